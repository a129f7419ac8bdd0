"""Taking rows out by named reasons, so that every row of a table is accounted for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import polars as pl

WINDOW_START = -1440
DAY = 1440


class Sifted(NamedTuple):
    """What may be rendered of a table, how many of its rows each reason took, and counts worth reporting.

    `rows` is the number of source rows kept where one row can make several lines; else one row is one line.
    """

    kept: pl.DataFrame
    excluded: dict[str, int]
    notes: Mapping[str, int] = MappingProxyType({})
    rows: int | None = None


def sift(rows: pl.DataFrame, reasons: Mapping[str, pl.Expr]) -> Sifted:
    """Drop rows reason by reason: a row counts once, under the first reason that applies to it."""
    excluded = {}
    for reason, applies in reasons.items():
        kept = rows.filter(~applies)
        excluded[reason] = rows.height - kept.height
        rows = kept
    return Sifted(rows, excluded)


def placed(rows: pl.DataFrame, stays: pl.DataFrame, offset: str) -> pl.DataFrame:
    """`rows` with `stay`, `offset`, its ICU day and the end of its stay (null where the stay is unknown).

    ICU day 0 is the first 24 hours after unit admission and also holds everything before it.
    """
    return (
        rows.rename({"patientunitstayid": "stay", offset: "offset"})
        .join(stays.select("stay", "unit_discharge_offset"), on="stay", how="left", maintain_order="left")
        .with_columns(day=(pl.col("offset") // DAY).clip(lower_bound=0))
    )


def outside_stay() -> dict[str, pl.Expr]:
    """The reasons that hold for every table: an unknown stay, and an offset outside the window.

    The window runs from 24 hours before unit admission to unit discharge, ends included; when something was
    stopped is never looked at.
    """
    return {
        "unknown stay": pl.col("unit_discharge_offset").is_null(),
        "outside the window": ~pl.col("offset").is_between(WINDOW_START, pl.col("unit_discharge_offset")),
    }
