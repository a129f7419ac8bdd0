"""What a stay holds that no task may use, by table and ICU day: the length levels are made of it (App. O)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import polars as pl

from evrev.errors import DataError, SettingsError
from evrev.formats.scenario import Document, Source, Version
from evrev.scenarios.cohort import Stay
from evrev.scenarios.prompt_body import Tokens, payload_tokens

_WORD = re.compile(r"[^\W_]+")
_REBUILD = "build the records again: evrev records build"


class Table(NamedTuple):
    """A context table: how its documents are labelled and titled."""

    kind: Literal["laboratory", "charting"]
    source: Source
    title: str


TABLES: dict[str, Table] = {
    "lab": Table("laboratory", "lab", "laboratory results"),
    "vitalPeriodic": Table("charting", "ehr", "periodic vital signs"),
    "vitalAperiodic": Table("charting", "ehr", "aperiodic vital signs"),
    "nurseCharting": Table("charting", "ehr", "nursing chart"),
}
"""By name, in their order within one ICU day."""


class Collision(NamedTuple):
    """A medication key that a document holds, and on how many of its lines."""

    document: str
    title: str
    key: str
    lines: int


@dataclass(frozen=True)
class ContextDay:
    """The lines of one table on one ICU day of a stay."""

    table: str
    day: int
    lines: tuple[str, ...]

    @cached_property
    def tokens(self) -> Tokens:
        """Qwen2.5 tokens of the lines."""
        return payload_tokens(self.lines)

    def document(self, number: int) -> Document:
        """The document they make."""
        table = TABLES[self.table]
        return Document(
            id=f"D{number}",
            kind=table.kind,
            source=table.source,
            title=f"{table.title}, ICU day {self.day}",
            versions=(Version(version=1, lines=self.lines),),
        )


class Context(NamedTuple):
    """The charting of some stays, by stay number, and the context tables that the records lack."""

    charting: Mapping[int, tuple[ContextDay, ...]]
    absent: tuple[str, ...]

    def days(self, stay: Stay) -> tuple[ContextDay, ...]:
        """Everything a stay has, by ICU day and then in the order of the tables."""
        days = (*_laboratory(stay), *self.charting.get(stay.number, ()))
        return tuple(sorted(days, key=lambda one: (one.day, list(TABLES).index(one.table))))


def read_context(records: Path, stays: Iterable[Stay], *, allow_absent: bool = False) -> Context:
    """Read the charting of some stays from a records folder.

    Context tables that the records were built without are named in the result; unless `allow_absent` they
    are a SettingsError, since every level would silently be made of fewer tables. DataError for a file that
    is missing or is not what it should be.
    """
    held = _held(records / "report.json")
    absent = tuple(name for name in TABLES if name not in held)
    if absent and not allow_absent:
        raise SettingsError(
            f"the length levels need tables that these records lack: {', '.join(absent)}",
            where=records,
            remedy="build the records with these tables, or allow their absence explicitly",
        )
    present = [name for name in TABLES if name in held and name != "lab"]
    return Context(_charting(records / "charting.parquet", stays, present) if present else {}, absent)


def collisions(documents: Iterable[Document], keys: Iterable[str]) -> tuple[Collision, ...]:
    """Which medication keys occur in documents as whole phrases, without regard to case or punctuation.

    A report and never a fault: laboratory names such as glucose or digoxin are analytes, not orders.
    """
    phrases = {key: " ".join(_WORD.findall(key.casefold())) for key in sorted(set(keys))}
    found = []
    for document in documents:
        texts = [f" {' '.join(_WORD.findall(line.casefold()))} " for line in document.versions[0].lines]
        whole = "\n".join(texts)
        for key, phrase in phrases.items():
            if phrase and f" {phrase} " in whole:
                lines = sum(f" {phrase} " in text for text in texts)
                found.append(Collision(document.id, document.title, key, lines))
    return tuple(found)


def _held(report: Path) -> frozenset[str]:
    try:
        return frozenset(json.loads(report.read_text("utf-8"))["tables"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"cannot be read as a report of tables: {error}", where=report, remedy=_REBUILD
        ) from error


def _charting(path: Path, stays: Iterable[Stay], tables: Iterable[str]) -> dict[int, tuple[ContextDay, ...]]:
    wanted = pl.Series([stay.number for stay in stays], dtype=pl.Int64).implode()
    try:
        frame = (
            pl.scan_parquet(path, glob=False)
            .filter(pl.col("stay").is_in(wanted) & pl.col("table").is_in(list(tables)))
            .group_by("stay", "table", "day", maintain_order=True)
            .agg("line")
            .collect()
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(
            f"cannot be read: {str(error).splitlines()[0]}", where=path, remedy=_REBUILD
        ) from error
    found: dict[int, list[ContextDay]] = {}
    for stay, table, day, lines in frame.iter_rows():
        found.setdefault(stay, []).append(ContextDay(table, day, tuple(lines)))
    return {stay: tuple(days) for stay, days in found.items()}


def _laboratory(stay: Stay) -> tuple[ContextDay, ...]:
    lines: dict[int, list[str]] = {}
    for row in stay.results:
        lines.setdefault(row.day, []).append(row.line)
    return tuple(ContextDay("lab", day, tuple(of_day)) for day, of_day in lines.items())
