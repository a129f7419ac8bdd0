"""The data audit: how many rows, persons and stays there are, what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl
from pydantic import Field, ValidationError

from evrev.errors import DataError
from evrev.formats.base import Record, explain
from evrev.records.sift import Sifted
from evrev.records.split import PARTITIONS
from evrev.records.tables import TABLES


class TableReport(Record):
    """One source table: what it holds, and what of it may be rendered."""

    file: str
    rows: int
    stays: int
    persons: int
    kept: int = Field(description="rows that may be rendered")
    kept_stays: int
    kept_persons: int
    excluded: dict[str, int] = Field(
        description="reason -> rows; each row counts once, first reason that applies"
    )
    notes: dict[str, int] = Field(default_factory=dict)


class RecordsReport(Record):
    """What `evrev records build` found (report.json)."""

    source: str
    persons: int
    stays: int
    salt: str
    partitions: dict[str, int]
    partial: dict[str, str] = Field(description="table that is not whole -> the file used for it")
    unused: tuple[str, ...] = Field(description="tables evrev knows and nobody asked for")
    absent: tuple[str, ...] = Field(
        default=(), description="tables asked for that are not there, as explicitly allowed"
    )
    tables: dict[str, TableReport]
    synthetic: dict[str, int] | None = Field(
        default=None, description="what made the tables, if they are synthetic"
    )


def _distinct(stays: pl.Series) -> pl.Series:
    # The distinct values alone would hold on to memory for as many as there were rows.
    return pl.Series(stays.unique().to_list(), dtype=pl.Int64)


class Tally:
    """Counts of one table, added up over parts that hold whole stays."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._rows = self._kept = 0
        self._stays: list[pl.Series] = []
        self._kept_stays: list[pl.Series] = []
        self._excluded: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()

    def add(self, raw: pl.DataFrame, sifted: Sifted) -> None:
        """Count the rows of one part and what was kept of them."""
        self._rows += raw.height
        self._kept += sifted.kept.height if sifted.rows is None else sifted.rows
        self._stays.append(_distinct(raw["patientunitstayid"]))
        self._kept_stays.append(_distinct(sifted.kept["stay"]))
        for total, more in ((self._excluded, sifted.excluded), (self._notes, sifted.notes)):
            # update() keeps reasons that took no row, unlike adding.
            total.update(more)

    def report(self, stays: pl.DataFrame) -> TableReport:
        """The counts; persons are counted over the stays the patient table knows."""
        person_of = stays.select("stay", "person")

        def persons(found: list[pl.Series]) -> int:
            return person_of.join(pl.DataFrame({"stay": pl.concat(found)}), on="stay")["person"].n_unique()

        return TableReport(
            file=self._file,
            rows=self._rows,
            stays=sum(map(len, self._stays)),
            persons=persons(self._stays),
            kept=self._kept,
            kept_stays=sum(map(len, self._kept_stays)),
            kept_persons=persons(self._kept_stays),
            excluded=dict(self._excluded),
            notes=dict(self._notes),
        )


def render_report(report: Mapping[str, Any]) -> str:
    """The report (the content of report.json) as text. DataError when it is not one."""
    try:
        found = RecordsReport.model_validate(report)
    except ValidationError as error:
        raise DataError(explain(error), where="report.json", remedy="build the records again") from error
    return "\n".join([*_head(found), "", *_counts(found), *_exclusions(found)]) + "\n"


def _head(found: RecordsReport) -> list[str]:
    parts = ", ".join(f"{name} {found.partitions[name]:,}" for name in PARTITIONS)
    lines = [
        f"source {found.source}: {found.persons:,} persons, {found.stays:,} stays",
        f"split by person (salt {found.salt}): {parts}",
    ]
    if found.synthetic:
        lines.append("synthetic records: made from a seed, nobody's data")
    lines += [
        f"PARTIAL: the table {name} is {file}, not the whole table" for name, file in found.partial.items()
    ]
    if found.absent:
        lines.append(f"ABSENT, as allowed: {', '.join(found.absent)}")
    if found.unused:
        lines.append(f"not asked for: {', '.join(found.unused)}")
    return lines


def _counts(found: RecordsReport) -> list[str]:
    header = ("table", "rows", "stays", "persons", "kept", "in stays", "of persons", "file")
    rows = [
        (
            name,
            *(f"{n:,}" for n in (t.rows, t.stays, t.persons, t.kept, t.kept_stays, t.kept_persons)),
            t.file,
        )
        for name, t in _in_order(found)
    ]
    widths = [max(len(row[place]) for row in (header, *rows)) for place in range(len(header))]
    return [_aligned(row, widths) for row in (header, *rows)]


def _in_order(found: RecordsReport) -> list[tuple[str, TableReport]]:
    return [(name, found.tables[name]) for name in TABLES if name in found.tables]


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    first, *numbers, last = row
    cells = [first.ljust(widths[0]), *(n.rjust(w) for n, w in zip(numbers, widths[1:-1], strict=True)), last]
    return "  ".join(cells)


def _exclusions(found: RecordsReport) -> list[str]:
    lines = []
    for name, table in _in_order(found):
        ordered = sorted(table.excluded.items(), key=lambda item: -item[1])
        reasons = {reason: count for reason, count in ordered if count}
        if reasons or table.notes:
            lines += ["", f"{name}: rows not rendered (each under the first reason that applies)"]
            lines += [
                f"  {count:>9,}  {count / table.rows:6.1%}  {reason}" for reason, count in reasons.items()
            ]
            lines += [f"  {count:>9,}  {'':6}  ({note})" for note, count in table.notes.items()]
    return lines
