"""The units that make a number a strength, and what a strength can be stated per."""

from __future__ import annotations

from fractions import Fraction

Scales = dict[str, tuple[str, Fraction]]
"""Casefolded spelling -> the unit it is counted in, and how many of that unit it is."""


def _scales(*units: tuple[str, str, str]) -> Scales:
    return {
        spelling: (base, Fraction(scale))
        for spellings, base, scale in units
        for spelling in spellings.split()
    }


AMOUNTS = _scales(
    ("ng nanogram nanograms", "mg", "1/1000000"),
    ("mcg mcgs ug μg µg microgram micrograms", "mg", "1/1000"),
    ("mg mgs milligram milligrams", "mg", "1"),
    ("g gm gms gram grams", "mg", "1000"),
    ("mgpe", "mgpe", "1"),
    ("u unit units unit(s) iu iunits", "unit", "1"),
    ("mu millionunit millionunits millionunit(s)", "unit", "1000000"),
    ("meq meqs", "meq", "1"),
    ("mmol mmole mmoles", "mmol", "1"),
    ("%", "%", "1"),
)
"""Amounts of a drug. Volumes and counts (`10 mL`, `2 tablets`) are none; `million units` is one word here."""

PER = _scales(
    ("ml mls cc", "ml", "1"),
    ("dl", "ml", "100"),
    ("l liter liters", "ml", "1000"),
    ("min minute minutes", "min", "1"),
    ("h hr hrs hour hours", "min", "60"),
    ("day days", "min", "1440"),
    ("g gm gram", "g", "1"),
    ("kg", "g", "1000"),
    ("m2 m²", "m2", "1"),
    ("act actuation actuations puff puffs spray inh inhalation dose doses", "dose", "1"),
    ("tab tablet cap capsule patch supp packet vial syringe bag ea each", "piece", "1"),
)
"""What may follow the stroke of `mg/mL`, `mcg/kg/min`, `mcg/dose`."""
