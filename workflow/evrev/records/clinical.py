"""Problems, laboratory results and treatments: which rows may be rendered, and their lines."""

from __future__ import annotations

import polars as pl

from evrev.records.sift import Sifted, outside_stay, placed, sift
from evrev.records.text import field, lab_line, line, lined, mapped, path_field


def make_problems(diagnosis: pl.DataFrame, stays: pl.DataFrame) -> Sifted:
    """The distinct diagnosis paths of each stay in first-seen order, with that `position` and first offset.

    A path repeats with every re-assessment; whether it was active at discharge is not looked at.
    """
    rows = _paths(diagnosis, stays, "diagnosisoffset", "diagnosisstring", "PROBLEM")
    rows = rows.with_columns(mapped(rows["path"], str.casefold).alias("folded")).sort(
        "stay", "offset", "diagnosisid", "path"
    )
    repeated = {"repeated path": ~pl.struct("stay", "folded").is_first_distinct()}
    sifted = sift(rows, {**outside_stay(), "no path": pl.col("path") == "", **repeated})
    numbered = sifted.kept.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64).over("stay"))
    return sifted._replace(kept=numbered.select("stay", "position", "offset", "path", "line"))


def make_labs(lab: pl.DataFrame, stays: pl.DataFrame) -> Sifted:
    """Every laboratory result of the window, sorted by (stay, offset, id), with its value as text.

    The numeric column is never used: it is null for `<0.02` or `>600`, and disagrees with the text elsewhere.
    """
    rows = placed(lab, stays, "labresultoffset").rename({"labid": "lab_id"})
    columns = {"name": "labname", "text": "labresulttext", "unit": "labmeasurenamesystem"}
    rows = rows.with_columns(mapped(rows[source], field).alias(name) for name, source in columns.items())
    rows = rows.with_columns(lined(rows, tuple(columns), lab_line)).sort("stay", "offset", "lab_id", "line")
    reasons = {"no name": pl.col("name") == "", "no result": pl.col("text") == ""}
    sifted = sift(rows, {**outside_stay(), **reasons})
    return sifted._replace(kept=sifted.kept.select("stay", "offset", "lab_id", *columns, "line", "day"))


def make_treatments(treatment: pl.DataFrame, stays: pl.DataFrame) -> Sifted:
    """Every treatment row of the window, sorted by (stay, offset, id), with its path."""
    rows = _paths(treatment, stays, "treatmentoffset", "treatmentstring", "TREATMENT")
    rows = rows.rename({"treatmentid": "treatment_id"}).sort("stay", "offset", "treatment_id", "path")
    sifted = sift(rows, {**outside_stay(), "no path": pl.col("path") == ""})
    return sifted._replace(kept=sifted.kept.select("stay", "offset", "treatment_id", "path", "line", "day"))


def _paths(table: pl.DataFrame, stays: pl.DataFrame, offset: str, source: str, kind: str) -> pl.DataFrame:
    path = mapped(table[source], path_field)
    lines = mapped(path, lambda text: line(kind, text))
    return placed(table.with_columns(path.alias("path"), lines.alias("line")), stays, offset)
