"""Persons and their stays, with the split."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from evrev.errors import DataError
from evrev.records.split import Place, SplitRule, split_persons


def make_stays(patient: pl.DataFrame, rule: SplitRule, path: Path) -> pl.DataFrame:
    """One row per stay, in rank order of persons and, within a person, in order of time as far as recorded.

    Stays of a person are ordered by year of hospital discharge, visit number and stay id: the visit number
    restarts with every hospital stay, and the tables hold no date. DataError for a table without rows, a
    stay that stands twice or a stay without a person.
    """
    _check(patient, path)
    places = split_persons(patient["uniquepid"], rule)
    return (
        patient.join(_places_frame(places), on="uniquepid", how="left")
        .sort("rank", "hospitaldischargeyear", "unitvisitnumber", "patientunitstayid")
        .with_columns(stay_order=pl.int_range(pl.len(), dtype=pl.Int64).over("uniquepid"))
        .select(
            pl.col("uniquepid").alias("person"),
            pl.col("patientunitstayid").alias("stay"),
            pl.col("patienthealthsystemstayid").alias("hospital_stay"),
            "partition",
            "rank",
            "stay_order",
            pl.col("unitdischargeoffset").alias("unit_discharge_offset"),
            "age",
            "gender",
        )
    )


def _places_frame(places: dict[str, Place]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "uniquepid": list(places),
            "partition": [place.partition for place in places.values()],
            "rank": [place.rank for place in places.values()],
        },
        schema={"uniquepid": pl.String, "partition": pl.String, "rank": pl.Int64},
    )


def _check(stays: pl.DataFrame, path: Path) -> None:
    if stays.is_empty():
        raise DataError("the table patient has a header and no rows", where=path, remedy="download it again")
    nobody = stays.filter(pl.col("uniquepid") == "")
    if nobody.height:
        stay = nobody["patientunitstayid"][0]
        raise DataError(f"stay {stay}: uniquepid is empty, so the stay belongs to no person", where=path)
    twice = stays.filter(pl.col("patientunitstayid").is_duplicated())
    if twice.height:
        raise DataError(f"stay {twice['patientunitstayid'][0]} stands twice", where=path)
