"""The strengths an order states, and whether it states exactly one (paper section 3 and appendix I).

A strength is a number with a unit of amount: `40 mg`, `5,000 units`, `25 MG/ML`, `10 %`. A volume (`10 mL`)
and a count (`2 tablets`) are numbers but no strengths, and so are a site's unit codes (`40 3`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

from evrev.medication.units import AMOUNTS, PER, Scales


def _any_of(units: Scales) -> str:
    longest = sorted(units, key=lambda spelling: (-len(spelling), spelling))
    return "|".join(re.escape(spelling).replace("million", r"million\s?") for spelling in longest)


# At most twelve digits: no recorded strength has more, and a cell of a million digits is soon passed over.
_NUMBER = r"(?:(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,12})(?:\.[0-9]{1,12})?|\.[0-9]{1,12})"
_UNIT = rf"(?:{_any_of(AMOUNTS)})(?!(?<!%)[^\W_])"
_SLASH = r"\s?(?:/|\bper\b)\s?"
_JOINT = r"(?:\s?[-–/]\s?|\s(?:to|or)\s)"
_EXPRESSION = re.compile(
    rf"(?<![\w.,])(?P<numbers>{_NUMBER}(?:{_JOINT}{_NUMBER}){{0,5}}(?P<beside>\s?\([^()]{{0,20}}\))?)"
    rf"[\s-]{{0,3}}(?P<unit>{_UNIT})"
    rf"(?P<per>(?:{_SLASH}(?:{_NUMBER}\s?)?(?:{_any_of(PER)})(?![^\W_])){{0,3}})"
    rf"(?P<cut>\s?/(?!\s?{_NUMBER}\s?{_UNIT}))?",
    re.IGNORECASE,
)
_PER = re.compile(rf"/(?P<number>{_NUMBER})?(?P<unit>{_any_of(PER)})(?![^\W_])")
_NUMBERS = re.compile(_NUMBER)
# `37.5 G TUBE : ...`, `8 G - ...`: what the package weighs.
_CONTAINER = re.compile(rf"\s*{_NUMBER}\s?(?:g|gm|gms|gram)\b[^:0-9]{{0,40}}?(?::|\s-\s)", re.IGNORECASE)


class Strength(NamedTuple):
    """A stated strength: `span` is where its number stands in the text, `written` the whole of it.

    `unit` is casefolded and without blanks: `mg`, `mg/ml`, `mg/5ml`, `unit/kg/hr`.
    """

    value: Decimal
    unit: str
    span: tuple[int, int]
    written: str

    @property
    def amount(self) -> tuple[Fraction, str]:
        """What it comes to: equal for `1 g` and `1,000 mg`, and for `10 mg/5 mL` and `2 mg/mL`."""
        unit, slash, rest = self.unit.partition("/")
        base, scale = AMOUNTS[unit]
        value = Fraction(self.value) * scale
        for part in _PER.finditer(slash + rest):
            per, size = PER[part["unit"]]
            count = Fraction(_value(part["number"] or "1"))
            value, base = (value / (size * count) if count else value), f"{base}/{per}"
        return value, base


Reason = Literal[
    "eligible",
    "no_strength",
    "several_strengths",
    "combination",
    "range",
    "per_number",
    "number_in_name",
    "number_in_dose",
    "number_in_route",
    "cut_unit",
]
REASONS: dict[Reason, str] = {
    "no_strength": "no strength in name and dose, or one of zero",
    "several_strengths": "more than one strength",
    "combination": "several numbers share a unit in the name, as in 5-325 MG",
    "range": "several numbers share a unit in the dose, as in 1-2 mg",
    "per_number": "the unit holds a number, as in 4 MG/2 ML",
    "number_in_name": "a further number in the name",
    "number_in_dose": "a further number in the dose",
    "number_in_route": "a further number in the route",
    "cut_unit": "a unit that breaks off, as in 5 MG/M",
    "eligible": "one strength and no other number",
}
"""What `explicit_strength` can find, in the order in which it asks."""


class Verdict(NamedTuple):
    """Whether an order states exactly one strength, and if so in which field, and which."""

    reason: Reason
    field: Literal["name", "dose"] | None = None
    strength: Strength | None = None


def strengths(text: str) -> tuple[Strength, ...]:
    """Every strength in a text, in order; numbers that share a unit (`10-325 mg`) are a strength each."""
    return tuple(strength for match in _expressions(text) for strength in _stated(match))


def explicit_strength(name: str, dose: str, route: str) -> Verdict:
    """Whether an order states one strength, in its name or its dose, and no other number but the frequency's.

    A name with a strength beside a dose with another number therefore never counts: changing one of the two
    would leave the order contradicting itself.
    """
    in_name, in_dose = list(_expressions(name)), list(_expressions(dose))
    if len(in_name) + len(in_dose) != 1:
        return Verdict("several_strengths" if in_name or in_dose else "no_strength")
    (match,) = in_name or in_dose
    stated, *more = _stated(match)
    if more or match["beside"]:
        return Verdict("combination" if in_name else "range")
    if not stated.value:
        return Verdict("no_strength")
    if _NUMBERS.search(match["per"].casefold().replace("m2", "")):
        return Verdict("per_number")
    around = match.string[: match.start()] + match.string[match.end() :]
    if _has_number(around if in_name else name):
        return Verdict("number_in_name")
    if _has_number(dose if in_name else around):
        return Verdict("number_in_dose")
    if _has_number(route):
        return Verdict("number_in_route")
    return Verdict("cut_unit") if match["cut"] else Verdict("eligible", "name" if in_name else "dose", stated)


def same_style(value: Decimal, written: str) -> str:
    """`value` as a number in the style of `written`: commas, and the zero before a point, as there.

    A decimal part ends in no zero.
    """
    text = f"{value.normalize():,f}" if "," in written else f"{value.normalize():f}"
    return text.removeprefix("0") if written.startswith(".") and value < 1 else text


def _expressions(text: str) -> Iterator[re.Match[str]]:
    container = _CONTAINER.match(text)
    return _EXPRESSION.finditer(text, container.end() if container else 0)


def _stated(match: re.Match[str]) -> Iterator[Strength]:
    unit = re.sub(r"\s+|,", "", re.sub(r"\bper\b", "/", (match["unit"] + match["per"]).casefold()))
    end = match.end("per")
    for number in _NUMBERS.finditer(match.string, *match.span("numbers")):
        yield Strength(_value(number[0]), unit, number.span(), match.string[number.start() : end])


def _value(number: str) -> Decimal:
    return Decimal(number.replace(",", ""))


def _has_number(text: str) -> bool:
    return any(character.isnumeric() for character in text)
