"""Writing the synthetic tables as CSV.gz files that the reader cannot tell from downloaded ones."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from evrev.formats.canonical import derive_seed, write_bytes
from evrev.records.synthetic.clinical import make_diagnoses, make_labs, make_treatments
from evrev.records.synthetic.orders import make_orders
from evrev.records.synthetic.people import Row, Stay, make_person

PERSONS = 240
SEED = 1
_GAP = 0.04
"""Share of stays that lack one of the event tables, as many real ones do."""
_FIRST_ROW = 900_000_000
COLUMNS = {
    name: tuple(columns.split())
    for name, columns in {
        "patient": """
            patientunitstayid patienthealthsystemstayid gender age ethnicity hospitalid wardid
            apacheadmissiondx admissionheight hospitaladmittime24 hospitaladmitoffset hospitaladmitsource
            hospitaldischargeyear hospitaldischargetime24 hospitaldischargeoffset hospitaldischargelocation
            hospitaldischargestatus unittype unitadmittime24 unitadmitsource unitvisitnumber unitstaytype
            admissionweight dischargeweight unitdischargetime24 unitdischargeoffset unitdischargelocation
            unitdischargestatus uniquepid""",
        "medication": """
            medicationid patientunitstayid drugorderoffset drugstartoffset drugivadmixture drugordercancelled
            drugname drughiclseqno dosage routeadmin frequency loadingdose prn drugstopoffset gtc""",
        "diagnosis": """
            diagnosisid patientunitstayid activeupondischarge diagnosisoffset diagnosisstring icd9code
            diagnosispriority""",
        "lab": """
            labid patientunitstayid labresultoffset labtypeid labname labresult labresulttext
            labmeasurenamesystem labmeasurenameinterface labresultrevisedoffset""",
        "treatment": "treatmentid patientunitstayid treatmentoffset treatmentstring activeupondischarge",
    }.items()
}
"""The columns of each table in the order of the release."""
_MAKERS: dict[str, Callable[[Stay, random.Random], list[Row]]] = {
    "medication": make_orders,
    "diagnosis": make_diagnoses,
    "lab": make_labs,
    "treatment": make_treatments,
}


def write_tables(folder: Path, *, persons: int = PERSONS, seed: int = SEED) -> None:
    """Write patient, medication, diagnosis, lab and treatment of `persons` synthetic persons into `folder`.

    The charting tables are not made. Equal arguments give equal files; more persons leave the rows of the
    first ones as they are, but for the running id of each row.
    """
    rows: dict[str, list[Row]] = {name: [] for name in COLUMNS}
    for number in range(1, persons + 1):
        rng = random.Random(derive_seed("synthetic records", seed, number))
        for stay, patient_row in make_person(number, rng):
            rows["patient"].append(patient_row)
            for name, make in _MAKERS.items():
                found = [] if rng.random() < _GAP else make(stay, rng)
                rows[name] += [{**row, "patientunitstayid": stay.stay} for row in found]
    for name, columns in COLUMNS.items():
        if name in _MAKERS:
            rows[name] = [{**row, columns[0]: _FIRST_ROW + place} for place, row in enumerate(rows[name])]
        write_bytes(folder / f"{name}.csv.gz", _compressed(columns, rows[name]))


def _compressed(columns: Sequence[str], rows: list[Row]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return gzip.compress(text.getvalue().encode(), compresslevel=6, mtime=0)
