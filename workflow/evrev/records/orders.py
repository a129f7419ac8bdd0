"""Medication orders: which rows may be rendered, and their lines."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from evrev.records.sift import Sifted, outside_stay, placed, sift
from evrev.records.text import dose, field, line, lined, mapped, shown

COLUMNS = (
    "stay", "start", "order_offset", "medication_id", "name", "dose", "route", "frequency", "line", "day",
    "hicl",
)  # fmt: skip
_FIELDS: dict[str, tuple[str, Callable[[str], str]]] = {
    "name": ("drugname", field),
    "dose": ("dosage", dose),
    "route": ("routeadmin", shown),
    "frequency": ("frequency", shown),
}


def make_orders(
    medication: pl.DataFrame, stays: pl.DataFrame, is_not_a_drug: Callable[[str], bool]
) -> Sifted:
    """Renderable orders, sorted by (stay, start, order offset, id), each with its recorded HICL code.

    A row is left out when it has no name, was cancelled, lies outside the window, is a fluid, diluent or
    other non-drug, or repeats an earlier line of its stay but for case. One drug on two lines stays.
    """
    rows = _rendered(medication, stays, is_not_a_drug)
    sifted = sift(
        rows,
        {
            "unnamed": pl.col("name") == "",
            "cancelled": pl.col("cancelled"),
            **outside_stay(),
            "not a drug": pl.col("not_a_drug"),
            "repeated line": ~pl.struct("stay", "folded").is_first_distinct(),
        },
    )
    coded = (rows["name"] == "") & (rows["hicl"] != "")
    notes = {"unnamed with a HICL code": int(coded.sum())}
    for name in ("dose", "route", "frequency"):
        notes[f"{name} recorded but shown empty"] = int(sifted.kept[f"{name} hidden"].sum())
    return sifted._replace(kept=sifted.kept.rename({"offset": "start"}).select(COLUMNS), notes=notes)


def _rendered(
    medication: pl.DataFrame, stays: pl.DataFrame, is_not_a_drug: Callable[[str], bool]
) -> pl.DataFrame:
    fields = {name: mapped(medication[source], rule) for name, (source, rule) in _FIELDS.items()}
    hidden = {
        f"{name} hidden": (medication[source] != "") & (fields[name] == "")
        for name, (source, _) in _FIELDS.items()
    }
    rows = placed(medication.with_columns(**fields, **hidden), stays, "drugstartoffset").rename(
        {"drugorderoffset": "order_offset", "medicationid": "medication_id", "drughiclseqno": "hicl"}
    )
    names = rows["name"].unique().to_list()
    not_drugs = [name for name in names if name and is_not_a_drug(name)]
    lines = lined(rows, tuple(_FIELDS), lambda *values: line("MEDICATION", *values))
    return rows.with_columns(
        lines,
        mapped(lines, str.casefold).alias("folded"),
        cancelled=pl.col("drugordercancelled").str.to_lowercase() == "yes",
        not_a_drug=pl.col("name").is_in(not_drugs),
    ).sort("stay", "offset", "order_offset", "medication_id", "line", "hicl")
