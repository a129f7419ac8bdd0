"""Writing the synthetic tables as CSV.gz files that the reader cannot tell from downloaded ones."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from evrev.formats.canonical import derive_seed, write_bytes
from evrev.records.synthetic.charting import Values, make_charting
from evrev.records.synthetic.clinical import make_diagnoses, make_labs, make_treatments
from evrev.records.synthetic.orders import make_orders
from evrev.records.synthetic.people import Row, Stay, make_person
from evrev.records.tables import CHARTING

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
        "vitalPeriodic": """
            vitalperiodicid patientunitstayid observationoffset temperature sao2 heartrate respiration cvp
            etco2 systemicsystolic systemicdiastolic systemicmean pasystolic padiastolic pamean st1 st2 st3
            icp""",
        "vitalAperiodic": """
            vitalaperiodicid patientunitstayid observationoffset noninvasivesystolic noninvasivediastolic
            noninvasivemean paop cardiacoutput cardiacinput svr svri pvr pvri""",
        "nurseCharting": """
            nursingchartid patientunitstayid nursingchartoffset nursingchartentryoffset
            nursingchartcelltypecat nursingchartcelltypevallabel nursingchartcelltypevalname
            nursingchartvalue""",
    }.items()
}
"""The columns of each table in the order of the release."""
_MAKERS: dict[str, Callable[[Stay, random.Random], list[Row]]] = {
    "medication": make_orders,
    "diagnosis": make_diagnoses,
    "lab": make_labs,
    "treatment": make_treatments,
}


def write_tables(
    folder: Path, *, persons: int = PERSONS, seed: int = SEED, tables: Collection[str] = tuple(COLUMNS)
) -> None:
    """Write `tables` (all eight by default) of `persons` synthetic persons into `folder`, as NAME.csv.gz.

    Equal arguments give equal files; more persons leave the rows of the first ones as they are, but for the
    running id of each row, and which tables are asked for changes no row of any.
    """
    rows: dict[str, list[Values]] = {name: [] for name in COLUMNS}
    for number in range(1, persons + 1):
        rng = random.Random(derive_seed("synthetic records", seed, number))
        people = make_person(number, rng)
        for stay, patient_row in people:
            rows["patient"].append(_ordered("patient", patient_row))
            for name, make in _MAKERS.items():
                found = [] if rng.random() < _GAP else make(stay, rng)
                rows[name] += [_ordered(name, {**row, "patientunitstayid": stay.stay})[1:] for row in found]
        if set(CHARTING) & set(tables):
            rng = random.Random(derive_seed("synthetic charting", seed, number))
            for name, charted in make_charting([stay for stay, _ in people], rng).items():
                rows[name] += charted
    for name in (name for name in COLUMNS if name in tables):
        if name != "patient":
            rows[name] = [(_FIRST_ROW + place, *row) for place, row in enumerate(rows[name])]
        write_bytes(folder / f"{name}.csv.gz", _compressed(COLUMNS[name], rows[name]))


def _ordered(name: str, row: Row) -> Values:
    return tuple(row.get(column, "") for column in COLUMNS[name])


def _compressed(columns: Sequence[str], rows: list[Values]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return gzip.compress(text.getvalue().encode(), compresslevel=1, mtime=0)
