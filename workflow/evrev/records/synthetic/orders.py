"""Synthetic medication orders, written as different hospitals write them."""

from __future__ import annotations

import random

from evrev.records.synthetic.drugs import (
    COMBINATIONS,
    DRUGS,
    FREQUENCIES,
    FREQUENCY_PLACEHOLDERS,
    INSULINS,
    NOT_DRUGS,
    ROUTE_PLACEHOLDERS,
    ROUTES,
    Drug,
)
from evrev.records.synthetic.people import Row, Stay

STYLES = ("catalogue", "brand", "short", "spaced")
_UNNAMED = 0.4
_WEIGHTS = [1 / (place + 6) for place in range(len(DRUGS))]


def make_orders(stay: Stay, rng: random.Random) -> list[Row]:
    """The order rows of one stay, unnamed, cancelled, repeated and ill-timed ones among them."""
    rows: list[Row] = []
    named: list[Row] = []
    for _ in range(rng.randrange(22, 40)):
        if named and rng.random() < 0.12:
            what = rng.choice(named)
        else:
            what = _what(stay, rng)
            named.append(what)
        row = {**what, **_when(stay, rng)}
        if rng.random() < _UNNAMED:
            code = "" if rng.random() < 0.05 else str(rng.randrange(60_000, 60_400))
            row |= {"drugname": rng.choice(("", " ")), "drughiclseqno": code}
        rows.append(row)
    return rows


def _what(stay: Stay, rng: random.Random) -> Row:
    kind = rng.choices(("drug", "insulin", "combination", "not a drug"), (77, 4, 5, 14))[0]
    route, frequency = rng.choice(ROUTES["injection"]), rng.choice(FREQUENCIES)
    if kind == "drug":
        drug = rng.choices(DRUGS, _WEIGHTS)[0]
        # A hospital writes most of its orders in one manner.
        style = STYLES[stay.hospital % len(STYLES)] if rng.random() < 0.8 else rng.choice(STYLES)
        name, dose = drug_text(drug, rng.choice(drug.amounts), style, rng)
        route = rng.choice(ROUTES[drug.form])
    elif kind == "insulin":
        name, dose = (
            rng.choice(INSULINS),
            rng.choice(("Low Dose Sliding Scale", "2-12 Units", "10 Units", "0-8 5")),
        )
    else:
        name, dose = rng.choice(COMBINATIONS if kind == "combination" else NOT_DRUGS)
    if rng.random() < 0.05:
        dose, frequency = rng.choice(
            (
                ("PYXIS", "Pyxis"),
                ("ML", frequency),
                ("Manual Charge", frequency),
                ("40", frequency),
                (" ", ""),
            )
        )
    if rng.random() < 0.06:
        route = rng.choice(ROUTE_PLACEHOLDERS)
    if rng.random() < 0.05:
        frequency = rng.choice(FREQUENCY_PLACEHOLDERS)
    return {
        "drugname": name,
        "dosage": dose,
        "routeadmin": route,
        "frequency": frequency,
        "drugivadmixture": "Yes" if "IV" in route and rng.random() < 0.5 else "No",
        "prn": "Yes" if "PRN" in frequency else "No",
        "drughiclseqno": str(rng.randrange(60_000, 60_400)) if rng.random() < 0.9 else "",
        "loadingdose": "",
        "gtc": rng.randrange(1, 99),
    }


def drug_text(drug: Drug, amount: str, style: str, rng: random.Random) -> tuple[str, str]:
    """The name and the dose field of one order of `drug` in one of `STYLES`."""
    whole = f"{drug.name} {drug.salt}".strip()
    if style == "catalogue":
        coded = rng.choice(("1 5002", "1-2 5002")) if drug.form == "oral" else f"{amount} 3"
        dose = coded if rng.random() < 0.5 else f"{amount} {drug.unit}"
        return _catalogue(drug, whole.upper(), amount), dose
    if style == "brand":
        bracket = f" ({drug.brand.upper()})" if drug.brand else ""
        form = {"oral": "tab", "injection": "inj", "infusion": "IVPB", "inhaled": "neb"}[drug.form]
        return f"{whole}{bracket} {form} {amount} {drug.unit}", f"{amount} {drug.unit}"
    if style == "short":
        name = rng.choice(
            [text for text in (drug.tall or drug.name.capitalize(), drug.name, drug.brand) if text]
        )
        return name, f"{amount} {rng.choice((drug.unit, drug.unit.upper()))}"
    form = {"oral": "ORAL TAB", "injection": "INJ", "infusion": "IV VIAL", "inhaled": "NEB"}[drug.form]
    dose = rng.choice((f"{amount} {drug.unit.upper()}", "1 TAB" if drug.form == "oral" else ""))
    return f"{whole.upper()}  {amount} {drug.unit.upper()}  {form}", dose


def _catalogue(drug: Drug, name: str, amount: str) -> str:
    unit = drug.unit.upper()
    if drug.form == "oral":
        return f"{name} {amount} {unit} PO TABS"
    if drug.form == "injection":
        return f"1 ML  -  {name} {amount} {unit}/ML IJ SOLN"
    if drug.form == "infusion":
        return f"100 ML FLEX CONT : {name} IN D5W {amount} {unit}/100ML IV SOLN"
    return f"{name} {amount} {unit}/3ML IN NEBU"


def _when(stay: Stay, rng: random.Random) -> Row:
    start = int(rng.triangular(-600, min(stay.end, 4000), 0))
    if rng.random() < 0.06:
        start = rng.choice((-rng.randrange(1500, 60_000), stay.end + rng.randrange(1, 5000), 525_599))
    stop = start + rng.randrange(30, 5000)
    if rng.random() < 0.1:
        stop = rng.choice((0, start - rng.randrange(1, 3000)))
    return {
        "drugorderoffset": max(-1500, min(start, stay.end)) - rng.randrange(0, 120),
        "drugstartoffset": start,
        "drugstopoffset": stop,
        "drugordercancelled": "Yes" if rng.random() < 0.035 else "No",
    }
