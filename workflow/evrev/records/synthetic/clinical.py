"""Synthetic diagnoses, laboratory results and treatments."""

from __future__ import annotations

import random

from evrev.records.synthetic.laboratory import (
    BEDSIDE_GLUCOSE,
    BLOOD_COUNT,
    BLOOD_GAS,
    CHEMISTRY,
    GLUCOSE_CEILING,
    OTHERS,
    TROPONIN,
    TROPONIN_FLOOR,
    Assay,
)
from evrev.records.synthetic.paths import CATEGORY_TWINS, DRUG_TREATMENTS, PLAIN_TREATMENTS, PROBLEMS
from evrev.records.synthetic.people import Row, Stay


def make_diagnoses(stay: Stay, rng: random.Random) -> list[Row]:
    """Diagnosis rows: each path repeats at later assessments."""
    paths = rng.sample(PROBLEMS, rng.randrange(2, 8))
    category, _, chain = paths[0].partition("|")
    twin = dict(CATEGORY_TWINS).get(category)
    if twin and rng.random() < 0.3:
        paths.append(f"{twin}|{chain}")
    rows: list[Row] = []
    for path in paths:
        first = rng.randrange(5, max(6, min(stay.end, 1200)))
        if rng.random() < 0.02:
            first = -rng.randrange(1, 400)
        code = "" if rng.random() < 0.15 else f"{780 + len(path) % 20}.{len(path) % 10}, R{len(path)}"
        for offset in [
            first,
            *(rng.randint(first, max(first, stay.end + 20)) for _ in range(rng.randrange(0, 5))),
        ]:
            spelling = path.replace(" ", "  ", 1) if rng.random() < 0.003 else path
            priority = rng.choice(("Primary", "Major", "Other"))
            active = "True" if rng.random() < 0.3 else "False"
            rows.append(
                {
                    "diagnosisoffset": offset,
                    "diagnosisstring": spelling,
                    "activeupondischarge": active,
                    "icd9code": code,
                    "diagnosispriority": priority,
                }
            )
    rng.shuffle(rows)
    return rows


def make_labs(stay: Stay, rng: random.Random) -> list[Row]:
    """Laboratory rows: panels at admission and every morning, bedside values between."""
    rows: list[Row] = []
    starts = [*range(-60, min(stay.end + 200, 4000), 720)]
    if rng.random() < 0.6:
        starts.append(-rng.randrange(400, 1400))
    if rng.random() < 0.25:
        starts.append(-rng.randrange(1700, 9000))
    for start in starts:
        offset = start + rng.randrange(0, 240)
        panel = [*CHEMISTRY, *BLOOD_COUNT, *rng.sample(OTHERS, 2)]
        if rng.random() < 0.4:
            panel += BLOOD_GAS
        if rng.random() < 0.4:
            panel.append(TROPONIN)
        rows += [_result(assay, offset, rng) for assay in panel]
        rows += [_result(BEDSIDE_GLUCOSE, offset + rng.randrange(60, 1300), rng) for _ in range(3)]
    return rows


def _result(assay: Assay, offset: int, rng: random.Random) -> Row:
    value = rng.uniform(assay.low, assay.high)
    text = f"{value:.{assay.digits}f}"
    number = str(float(text))
    if assay is TROPONIN and value < 0.6:
        text, number = f"<{TROPONIN_FLOOR}", ""
    elif assay is BEDSIDE_GLUCOSE and value > GLUCOSE_CEILING:
        text, number = f">{GLUCOSE_CEILING}", ""
    elif assay.name == "FiO2" and rng.random() < 0.2:
        number = str(float(text) * 100)
    elif assay.name == "ionized calcium":
        number = f"{float(text) * 4:.2f}"
    elif rng.random() < 0.003:
        number = ""
    return {
        "labresultoffset": offset,
        "labtypeid": 3 if assay in BLOOD_COUNT else 1,
        "labname": assay.name,
        "labresult": number,
        "labresulttext": text + "  " * (rng.random() < 0.009),
        "labmeasurenamesystem": assay.unit,
        "labmeasurenameinterface": assay.site_unit,
        "labresultrevisedoffset": offset + rng.randrange(5, 60),
    }


def make_treatments(stay: Stay, rng: random.Random) -> list[Row]:
    """Treatment rows; some paths end in a drug, whether or not an order names it."""
    paths = rng.sample(PLAIN_TREATMENTS, rng.randrange(2, 7)) + rng.sample(
        DRUG_TREATMENTS, rng.randrange(1, 6)
    )
    rows: list[Row] = []
    for path in paths:
        for _ in range(rng.randrange(1, 5)):
            offset = rng.randrange(-20, max(6, min(stay.end + 100, 3000)))
            active = "True" if rng.random() < 0.3 else "False"
            spelling = path.replace(" ", "  ", 1) if rng.random() < 0.003 else path
            rows.append(
                {"treatmentoffset": offset, "treatmentstring": spelling, "activeupondischarge": active}
            )
    rng.shuffle(rows)
    return rows
