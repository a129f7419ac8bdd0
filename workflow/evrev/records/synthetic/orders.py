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

STYLES = ("catalogue", "short", "spaced", "short", "catalogue", "brand", "short")
"""How hospitals write their orders, each by its place; several write alike."""
_UNNAMED = 0.406
_UNNAMED_CODE, _NAMED_CODE = 0.946, 0.938
_PADDED = 0.004
_JUNK = 0.02
"""Share of codes that say nothing about the drug, as a few of the real ones do."""
_WEIGHTS = [1 / (place + 6) for place in range(len(DRUGS))]


def make_orders(stay: Stay, rng: random.Random) -> list[Row]:
    """The order rows of one stay, unnamed, cancelled, repeated and ill-timed ones among them."""
    rows: list[Row] = []
    named: list[Row] = []
    for _ in range(rng.randrange(28, 54)):
        if named and rng.random() < 0.24:
            what = rng.choice(named)
        else:
            what = _what(stay, rng)
            named.append(what)
        row = {**what, **_when(stay, rng)}
        if rng.random() < _UNNAMED:
            code = str(rng.randrange(60_000, 60_400)) if rng.random() < _UNNAMED_CODE else ""
            row |= {"drugname": rng.choice(("", " ")), "drughiclseqno": code}
            row["dosage"] = row["dosage"] if rng.random() < 0.87 else ""
            row["frequency"] = row["frequency"] if rng.random() < 0.88 else ""
        rows.append(row)
    return rows


def _what(stay: Stay, rng: random.Random) -> Row:
    kind = rng.choices(("drug", "insulin", "combination", "not a drug"), (75, 4, 4, 17))[0]
    route, frequency = rng.choice(ROUTES["injection"]), rng.choice(FREQUENCIES)
    code = 60_300
    if kind == "drug":
        drug = rng.choices(DRUGS, _WEIGHTS)[0]
        # A hospital writes most of its orders in one manner.
        style = STYLES[stay.hospital % len(STYLES)] if rng.random() < 0.8 else rng.choice(STYLES)
        name, dose = drug_text(drug, rng.choice(drug.amounts), style, rng)
        route = rng.choice(ROUTES[drug.form])
        code = 60_000 + DRUGS.index(drug)
    elif kind == "insulin":
        name, dose = (
            rng.choice(INSULINS),
            rng.choice(("Low Dose Sliding Scale", "2-12 Units", "10 Units", "0-8 5")),
        )
    else:
        texts = COMBINATIONS if kind == "combination" else NOT_DRUGS
        name, dose = rng.choice(texts)
        code = 60_200 + texts.index((name, dose)) + 50 * (kind == "combination")
    if rng.random() < 0.13:
        dose, frequency = rng.choice(
            (
                ("PYXIS", "Pyxis"),
                ("PYXIS", "Pyxis"),
                ("ML", frequency),
                ("Manual Charge", frequency),
                ("40", frequency),
                (" ", ""),
                ("", ""),
                ("", frequency),
                ("", ""),
            )
        )
    if rng.random() < _JUNK:
        code = 60_399
    if rng.random() < 0.06:
        route = rng.choice(ROUTE_PLACEHOLDERS)
    if rng.random() < 0.04:
        frequency = rng.choice(FREQUENCY_PLACEHOLDERS)
    elif rng.random() < 0.02:
        frequency = ""
    return {
        "drugname": name,
        "dosage": dose,
        "routeadmin": route + " " * (60 * (rng.random() < _PADDED)),
        "frequency": frequency + " " * (80 * (rng.random() < _PADDED)),
        "drugivadmixture": "Yes" if "IV" in route and rng.random() < 0.5 else "No",
        "prn": "Yes" if "PRN" in frequency else "No",
        "drughiclseqno": str(code) if rng.random() < _NAMED_CODE else "",
        "loadingdose": "",
        "gtc": rng.randrange(1, 99),
    }


def drug_text(drug: Drug, amount: str, style: str, rng: random.Random) -> tuple[str, str]:
    """The name and the dose field of one order of `drug` in one of `STYLES`."""
    whole = f"{drug.name} {drug.salt}".strip()
    if style == "catalogue":
        coded = rng.choice(("1 5002", "1-2 5002")) if drug.form == "oral" else f"{amount} 3"
        coded = coded if rng.random() < 0.7 else f"{amount} {drug.unit}"
        dose = coded if rng.random() < 0.5 else f"{amount} {drug.unit}"
        return _catalogue(drug, whole.upper(), amount), dose
    if style == "brand":
        bracket = f" ({drug.brand.upper()})" if drug.brand else ""
        form = {"oral": "tab", "injection": "inj", "infusion": "IVPB", "inhaled": "neb"}[drug.form]
        return f"{whole}{bracket} {form} {amount} {drug.unit}", f"{amount} {drug.unit}"
    if style == "short":
        name = rng.choice(
            [text for text in (drug.tall, drug.tall, drug.name.capitalize(), drug.name, drug.brand) if text]
        )
        return name, f"{amount} {rng.choice((drug.unit, drug.unit.upper()))}"
    form = {"oral": "ORAL TAB", "injection": "INJ", "infusion": "IV VIAL", "inhaled": "NEB"}[drug.form]
    dose = rng.choice((f"{amount} {drug.unit.upper()}", "1 TAB" if drug.form == "oral" else ""))
    gap = "  " if rng.random() < 0.15 else " "
    return f"{whole.upper()}{gap}{amount} {drug.unit.upper()}{gap}{form}", dose


def _catalogue(drug: Drug, name: str, amount: str) -> str:
    unit = drug.unit.upper()
    if drug.form == "oral":
        return f"{name} {amount} {unit} PO TABS"
    if drug.form == "injection":
        return f"1 ML VIAL : {name} {amount} {unit}/ML IJ SOLN"
    if drug.form == "infusion":
        return f"100 ML FLEX CONT : {name} IN D5W {amount} {unit}/100ML IV SOLN"
    return f"{name} {amount} {unit}/3ML IN NEBU"


def _when(stay: Stay, rng: random.Random) -> Row:
    start = int(rng.triangular(-900, min(stay.end, 4000), 0))
    if rng.random() < 0.1:
        early = -rng.randrange(1500, 60_000)
        start = early if rng.random() < 0.85 else rng.choice((stay.end + rng.randrange(1, 5000), 525_599))
    stop = start + rng.randrange(30, 2500)
    if rng.random() < 0.09:
        stop = rng.choice((0, start - rng.randrange(1, 3000)))
    # Most orders are entered at the bedside only after admission, whenever they started.
    ordered = (
        -rng.randrange(1, 1500)
        if rng.random() < 0.06
        else max(0, min(start, stay.end)) + rng.randrange(0, 90)
    )
    return {
        "drugorderoffset": ordered,
        "drugstartoffset": start,
        "drugstopoffset": stop,
        "drugordercancelled": "Yes" if rng.random() < 0.035 else "No",
    }
