"""Charted vital signs and nursing entries: one recorded value, one line."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from evrev.records.sift import Sifted, outside_stay, placed, sift
from evrev.records.tables import CHARTING, TABLES
from evrev.records.text import field, line, lined, mapped

COLUMNS = ("stay", "table", "offset", "row_id", "day", "line")
SIGNS = ("vitalPeriodic", "vitalAperiodic")
_HOURLY = ("vitalPeriodic", "nurseCharting")
_HOUR = 60


def make_charting(name: str, table: pl.DataFrame, stays: pl.DataFrame) -> Sifted:
    """The lines of one charting table, sorted by (stay, offset, row id, column), with counts of its rows.

    `VITAL | column | value` for the two tables of vital signs, `CHARTING | label | name | value` for nursing
    entries; a blank value was not recorded and makes no line. Of monitored signs and nursing entries the
    first value per variable and clock hour is kept, since they repeat every few minutes (paper, appendix O);
    of measured signs all are.
    """
    rows = _placed(name, table, stays)
    sifted = sift(rows, outside_stay())
    values = _entries(sifted.kept) if name == "nurseCharting" else _signs(name, sifted.kept)
    recorded = values["row"].n_unique()
    values = values.sort("stay", "offset", "row_id", "place", "line")
    if name in _HOURLY:
        values = values.with_columns(hour=pl.col("offset") // _HOUR)
        values = values.unique(["stay", "hour", "variable"], keep="first", maintain_order=True)
    kept = values["row"].n_unique()
    reasons = {**sifted.excluded, "no value": sifted.kept.height - recorded}
    if name in _HOURLY:
        reasons["later in its clock hour"] = recorded - kept
    lines = values.with_columns(table=pl.lit(name)).select(COLUMNS)
    return Sifted(lines, reasons, {"lines": lines.height}, kept)


def in_order(parts: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The lines of several tables, each sorted by stay, by stay and within a stay table by table."""
    if len(parts) == 1:
        return next(iter(parts.values()))
    return pl.concat(parts[name] for name in CHARTING if name in parts).sort("stay", maintain_order=True)


def _placed(name: str, table: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    number, _, offset = TABLES[name].integers
    return placed(table, stays, offset).rename({number: "row_id"}).with_row_index("row")


def _signs(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    variables = TABLES[name].texts
    values = (
        rows.with_columns(mapped(rows[variable], field) for variable in variables)
        .unpivot(on=variables, index=["row", "stay", "offset", "row_id", "day"], variable_name="variable")
        .filter(pl.col("value") != "")
    )
    places = pl.col("variable").replace_strict(list(variables), list(range(len(variables))))
    # Neither part is blank and both are clean, so that this is the line that `line` would make.
    return values.with_columns(
        line=pl.format("VITAL | {} | {}", "variable", "value"), place=places.cast(pl.Int64)
    )


def _entries(rows: pl.DataFrame) -> pl.DataFrame:
    label, name, value = (
        mapped(rows[column], field).alias(short)
        for column, short in zip(TABLES["nurseCharting"].texts, ("label", "name", "value"), strict=True)
    )
    values = rows.select("row", "stay", "offset", "row_id", "day").with_columns(label, name, value)
    values = values.filter(pl.col("value") != "")
    lines = lined(values, ("label", "name", "value"), lambda *texts: line("CHARTING", *texts))
    variable = lined(values, ("label", "name"), lambda *texts: line(*texts))
    return values.with_columns(lines, variable.alias("variable"), place=pl.lit(0, pl.Int64))
