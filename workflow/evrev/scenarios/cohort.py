"""The persons of one partition with what may be rendered of their stays, read from the records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from evrev.errors import DataError


class Row(NamedTuple):
    """One renderable row: what it is about (an order's or result's name, a path) and its rendered line.

    `day` is its ICU day; problems stand for the whole stay and have 0.
    """

    name: str
    line: str
    day: int = 0


@dataclass(frozen=True)
class Stay:
    """One ICU stay, every tuple in the order of the record. `number`, the record's own, is never written."""

    order: int
    orders: tuple[Row, ...]
    problems: tuple[Row, ...]
    results: tuple[Row, ...]
    treatments: tuple[Row, ...]
    number: int = 0


@dataclass(frozen=True)
class Person:
    """A person and all their stays, in time order as far as recorded."""

    person: str
    stays: tuple[Stay, ...]

    @cached_property
    def pseudonym(self) -> str:
        """What every written file calls the person: `p` and 8 hexadecimal digits of a hash."""
        return "p" + hashlib.sha256(f"evrev-patient:{self.person}".encode()).hexdigest()[:8]

    @cached_property
    def orders(self) -> tuple[Row, ...]:
        """The distinct order lines of all stays, without regard to case."""
        return _distinct(row for stay in self.stays for row in stay.orders)

    @cached_property
    def treatments(self) -> tuple[Row, ...]:
        """The distinct treatment lines of all stays, without regard to case."""
        return _distinct(row for stay in self.stays for row in stay.treatments)


class Cohort(NamedTuple):
    """The persons of a partition in hash order, and every order name in the whole of the records."""

    persons: tuple[Person, ...]
    order_names: tuple[str, ...]


# File -> (what a row is about, the order of the record within a stay).
_FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "orders": ("name", ("start", "order_offset", "medication_id")),
    "problems": ("path", ("position",)),
    "labs": ("name", ("offset", "lab_id")),
    "treatments": ("path", ("offset", "treatment_id")),
}


def read_cohort(records: Path, partition: str) -> Cohort:
    """Read a partition of a records folder. DataError names a file that is missing or lacks a column."""
    stays = _read(records, "stays", ("person", "stay", "partition", "rank", "stay_order"))
    stays = stays.filter(pl.col("partition") == partition).sort("rank", "stay_order")
    wanted = stays["stay"].implode()
    rows: dict[str, Mapping[int, tuple[Row, ...]]] = {}
    names: tuple[str, ...] = ()
    for file, (about, order) in _FILES.items():
        day = () if file == "problems" else ("day",)
        frame = _read(records, file, ("stay", about, "line", *day, *order))
        if file == "orders":
            names = tuple(frame[about].unique().sort())
        frame = frame.filter(pl.col("stay").is_in(wanted)).sort("stay", *order)
        rows[file] = _by_stay(frame.select("stay", about, "line", *day))
    return Cohort(_persons(stays, rows), names)


def _read(records: Path, file: str, columns: Iterable[str]) -> pl.DataFrame:
    path = records / f"{file}.parquet"
    try:
        return pl.read_parquet(path, columns=list(dict.fromkeys(columns)), glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        cause = str(error).splitlines()[0]
        raise DataError(
            f"cannot be read: {cause}", where=path, remedy="build the records again: evrev records build"
        ) from error


def _by_stay(frame: pl.DataFrame) -> dict[int, tuple[Row, ...]]:
    grouped: dict[int, list[Row]] = {}
    for stay, *row in frame.iter_rows():
        grouped.setdefault(stay, []).append(Row(*row))
    return {stay: tuple(rows) for stay, rows in grouped.items()}


def _persons(stays: pl.DataFrame, rows: dict[str, Mapping[int, tuple[Row, ...]]]) -> tuple[Person, ...]:
    found: dict[str, list[Stay]] = {}
    for record in stays.iter_rows(named=True):
        found.setdefault(record["person"], []).append(_stay(record, rows))
    return tuple(Person(person, tuple(theirs)) for person, theirs in found.items())


def _stay(record: Mapping[str, Any], rows: dict[str, Mapping[int, tuple[Row, ...]]]) -> Stay:
    orders, problems, results, treatments = (rows[file].get(record["stay"], ()) for file in _FILES)
    return Stay(record["stay_order"], orders, problems, results, treatments, record["stay"])


def _distinct(rows: Iterable[Row]) -> tuple[Row, ...]:
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row.line.casefold(), row)
    return tuple(first.values())
