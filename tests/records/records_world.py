"""Built records beside the raw tables they came from, and tiny tables written by hand."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from evrev.records.report import RecordsReport
from evrev.records.tables import CORE, TABLES

STANDARD: dict[str, dict[str, object]] = {
    "patient": {
        "patientunitstayid": 1,
        "patienthealthsystemstayid": 10,
        "hospitaldischargeyear": 2014,
        "unitvisitnumber": 1,
        "unitdischargeoffset": 3000,
        "uniquepid": "a",
        "age": "70",
        "gender": "Female",
    },
    "medication": {
        "medicationid": 1,
        "patientunitstayid": 1,
        "drugorderoffset": 0,
        "drugstartoffset": 0,
        "drugordercancelled": "No",
        "drugname": "aspirin",
        "drughiclseqno": "",
        "dosage": "81 mg",
        "routeadmin": "PO",
        "frequency": "Daily",
    },
    "diagnosis": {
        "diagnosisid": 1,
        "patientunitstayid": 1,
        "diagnosisoffset": 5,
        "diagnosisstring": "renal|aki",
    },
    "lab": {
        "labid": 1,
        "patientunitstayid": 1,
        "labresultoffset": 5,
        "labname": "sodium",
        "labresulttext": "140",
        "labmeasurenamesystem": "mmol/L",
    },
    "treatment": {
        "treatmentid": 1,
        "patientunitstayid": 1,
        "treatmentoffset": 5,
        "treatmentstring": "renal|dialysis",
    },
    "vitalPeriodic": {
        "vitalperiodicid": 1,
        "patientunitstayid": 1,
        "observationoffset": 5,
        **dict.fromkeys(TABLES["vitalPeriodic"].texts, ""),
        "heartrate": "80",
    },
    "vitalAperiodic": {
        "vitalaperiodicid": 1,
        "patientunitstayid": 1,
        "observationoffset": 5,
        **dict.fromkeys(TABLES["vitalAperiodic"].texts, ""),
        "noninvasivesystolic": "120",
    },
    "nurseCharting": {
        "nursingchartid": 1,
        "patientunitstayid": 1,
        "nursingchartoffset": 5,
        "nursingchartcelltypecat": "Scores",
        "nursingchartcelltypevallabel": "Glasgow coma score",
        "nursingchartcelltypevalname": "Verbal",
        "nursingchartvalue": "4",
    },
}
"""A row of each table that may be rendered."""


def csv_text(table: str, rows: Sequence[Mapping[str, object]]) -> str:
    """`rows` as CSV, each on top of the standard row; ids count up unless given."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(STANDARD[table]), lineterminator="\n")
    writer.writeheader()
    first = next(iter(STANDARD[table]))
    for number, row in enumerate(rows, start=1):
        writer.writerow({**STANDARD[table], first: number, **row})
    return text.getvalue()


def write_folder(folder: Path, **tables: Sequence[Mapping[str, object]]) -> Path:
    """The five core tables as CSV, with one standard row where none are given, and what else is given."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys((*CORE, *tables)):
        (folder / f"{name}.csv").write_text(csv_text(name, tables.get(name, [{}])), "utf-8")
    return folder


@dataclass(frozen=True)
class Built:
    """A records folder, what building it reported, and the tables it was built from."""

    source: str
    folder: Path
    data: Path
    report: RecordsReport

    def frame(self, name: str) -> pl.DataFrame:
        """One of the Parquet files."""
        return pl.read_parquet(self.folder / f"{name}.parquet")

    def raw(self, table: str) -> list[dict[str, str]]:
        """The raw rows of a table, read without any of the code under test."""
        return self._raw[table]

    def raw_by_id(self, table: str) -> dict[int, dict[str, str]]:
        """Raw rows by the table's own row id."""
        return {int(row[TABLES[table].integers[0]]): row for row in self.raw(table)}

    @cached_property
    def _raw(self) -> dict[str, list[dict[str, str]]]:
        return {name: list(self._rows(self.report.tables[name].file)) for name in self.report.tables}

    def _rows(self, file: str) -> Iterator[dict[str, str]]:
        with gzip.open(self.data / file, "rt", encoding="utf-8", newline="") as lines:
            yield from csv.DictReader(lines)
