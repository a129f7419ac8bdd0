"""Synthetic persons and stays: the patient table."""

from __future__ import annotations

import random
from typing import NamedTuple

Row = dict[str, object]
FREQUENT_VISITOR = 11
"""The person with as many stays as the most anybody has in the real tables."""
_HOSPITALS = 14
_UNITS = ("Med-Surg ICU", "MICU", "SICU", "CCU-CTICU", "Neuro ICU")


class Stay(NamedTuple):
    """What the other tables need to know of a stay; `end` is its unit discharge offset in minutes."""

    stay: int
    hospital: int
    end: int


def person_id(number: int) -> str:
    """An identifier that nobody can take for a real one."""
    return f"synthetic-{number:05d}"


def make_person(number: int, rng: random.Random) -> list[tuple[Stay, Row]]:
    """The stays of one person with their rows; the visit number restarts with every hospital stay."""
    count = 24 if number == FREQUENT_VISITOR else rng.choices((1, 2, 3, 4), (80, 13, 5, 2))[0]
    hospital = rng.randrange(_HOSPITALS)
    age = "> 89" if rng.random() < 0.05 else str(rng.randrange(19, 90))
    fixed = {
        "gender": rng.choices(("Female", "Male", ""), (48, 51, 1))[0],
        "age": "" if rng.random() < 0.01 else age,
        "ethnicity": rng.choice(("Caucasian", "African American", "Hispanic", "Asian", "Other/Unknown")),
        "hospitalid": 9000 + hospital,
        "uniquepid": person_id(number),
    }
    # Stay ids do not follow time: readers must order by year and visit number.
    stay_ids = [9_000_000 + number * 100 + place for place in rng.sample(range(count), count)]
    found, hospital_stay, visit, year = [], number * 100, 0, 2014
    for stay_id in stay_ids:
        if visit == 0 or visit == 5 or rng.random() < 0.5:
            hospital_stay, visit = hospital_stay + 1, 0
            year = 2015 if year == 2015 or rng.random() < 0.5 else 2014
        visit += 1
        stay = Stay(stay_id, hospital, int(min(60_000, max(90, rng.lognormvariate(8.4, 0.5)))))
        varying = {"hospitaldischargeyear": year, "unitvisitnumber": visit}
        found.append((stay, {**fixed, **varying, **_stay_row(stay, 8_000_000 + hospital_stay, rng)}))
    return found


def _stay_row(stay: Stay, hospital_stay: int, rng: random.Random) -> Row:
    alive = rng.random() < 0.92
    weight = rng.uniform(45, 130)
    return {
        "patientunitstayid": stay.stay,
        "patienthealthsystemstayid": hospital_stay,
        "wardid": 700 + stay.hospital,
        "apacheadmissiondx": rng.choice(
            (
                "Sepsis, pulmonary",
                "CHF, congestive heart failure",
                "Bleeding, upper GI",
                "Overdose, other",
                "",
            )
            if rng.random() < 0.6
            else ("Sepsis, renal/UTI", "Rhythm disturbance")
        ),
        "admissionheight": f"{rng.uniform(150, 195):.2f}",
        "hospitaladmittime24": _clock(rng),
        "hospitaladmitoffset": -rng.randrange(1, 3000),
        "hospitaladmitsource": rng.choice(("", "Emergency Department", "Operating Room", "Floor")),
        "hospitaldischargetime24": _clock(rng),
        "hospitaldischargeoffset": stay.end + rng.randrange(0, 6000),
        "hospitaldischargelocation": "Home" if alive else "Death",
        "hospitaldischargestatus": "Alive" if alive else "Expired",
        "unittype": rng.choice(_UNITS),
        "unitadmittime24": _clock(rng),
        "unitadmitsource": rng.choice(("Emergency Department", "Operating Room", "Floor")),
        "unitstaytype": rng.choice(("admit", "readmit", "stepdown/other", "transfer")),
        "admissionweight": f"{weight:.2f}" if rng.random() < 0.9 else "",
        "dischargeweight": f"{weight - 1:.2f}" if rng.random() < 0.5 else "",
        "unitdischargetime24": _clock(rng),
        "unitdischargeoffset": stay.end,
        "unitdischargelocation": "Floor" if alive else "Death",
        "unitdischargestatus": "Alive" if alive else "Expired",
    }


def _clock(rng: random.Random) -> str:
    return f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:00"
