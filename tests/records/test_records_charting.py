"""Vital signs and nursing entries: which values make lines, and what a missing table means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from records_world import Built, write_folder

from evrev.errors import DataError
from evrev.records.build import build_records
from evrev.records.report import RecordsReport, render_report
from evrev.records.tables import CHARTING, CORE, TABLES

ALL = (*CORE, *CHARTING)
Rows = Sequence[Mapping[str, object]]


def charted(tmp_path: Path, **tables: Rows) -> tuple[pl.DataFrame, RecordsReport]:
    """Hand-written charting tables as records; those not given have no row."""
    data = write_folder(tmp_path / "tables", **{name: tables.get(name, []) for name in CHARTING})
    report = build_records(source="eicu_demo", data=data, out=tmp_path / "out", tables=ALL)
    return pl.read_parquet(tmp_path / "out" / "charting.parquet"), report


def test_each_recorded_value_makes_one_line_as_recorded_and_a_blank_makes_none(tmp_path: Path) -> None:
    frame, _ = charted(
        tmp_path,
        vitalPeriodic=[{"temperature": "36.50", "sao2": " 98 ", "heartrate": "", "icp": " "}],
        vitalAperiodic=[{"noninvasivesystolic": "120", "pvri": "0"}],
        nurseCharting=[{"nursingchartvalue": "Goal  met | WDL "}, {"nursingchartvalue": "  "}],
    )
    assert frame["line"].to_list() == [
        "VITAL | temperature | 36.50",
        "VITAL | sao2 | 98",
        "VITAL | noninvasivesystolic | 120",
        "VITAL | pvri | 0",
        "CHARTING | Glasgow coma score | Verbal | Goal met / WDL",
    ]
    assert frame.columns == ["stay", "table", "offset", "row_id", "day", "line"]


def test_monitored_signs_and_entries_keep_the_first_value_of_a_variable_and_clock_hour(
    tmp_path: Path,
) -> None:
    times = (-1, 0, 59, 60)
    frame, report = charted(
        tmp_path,
        vitalPeriodic=[
            {"vitalperiodicid": 9 - n, "observationoffset": at, "heartrate": str(at)}
            for n, at in enumerate(times)
        ],
        nurseCharting=[{"nursingchartoffset": at, "nursingchartvalue": str(at)} for at in times],
        vitalAperiodic=[{"observationoffset": at, "noninvasivesystolic": str(at)} for at in times],
    )
    values = {
        table: [line.rpartition(" ")[2] for line in frame.filter(pl.col("table") == table)["line"]]
        for table in CHARTING
    }
    assert values["vitalPeriodic"] == values["nurseCharting"] == ["-1", "0", "60"]
    assert values["vitalAperiodic"] == ["-1", "0", "59", "60"]
    for name in ("vitalPeriodic", "nurseCharting"):
        assert report.tables[name].excluded["later in its clock hour"] == 1
    assert "later in its clock hour" not in report.tables["vitalAperiodic"].excluded


def test_the_first_of_an_hour_is_by_offset_then_row_and_each_variable_has_its_own(tmp_path: Path) -> None:
    frame, report = charted(
        tmp_path,
        vitalPeriodic=[
            {"vitalperiodicid": 3, "observationoffset": 10, "heartrate": "3", "sao2": "93"},
            {"vitalperiodicid": 2, "observationoffset": 10, "heartrate": "2"},
            {"vitalperiodicid": 1, "observationoffset": 20, "heartrate": "1", "respiration": "21"},
        ],
        nurseCharting=[
            {"nursingchartid": 2},
            {"nursingchartid": 1, "nursingchartcelltypevalname": "Motor", "nursingchartvalue": "6"},
        ],
    )
    assert frame.select("row_id", "line").rows() == [
        (2, "VITAL | heartrate | 2"),
        (3, "VITAL | sao2 | 93"),
        (1, "VITAL | respiration | 21"),
        (1, "CHARTING | Glasgow coma score | Motor | 6"),
        (2, "CHARTING | Glasgow coma score | Verbal | 4"),
    ]
    found = report.tables["vitalPeriodic"]
    assert (found.rows, found.kept, found.notes["lines"]) == (3, 3, 3)


def test_the_window_and_the_icu_day_are_those_of_all_tables(tmp_path: Path) -> None:
    frame, report = charted(
        tmp_path,
        vitalAperiodic=[{"observationoffset": at} for at in (-1441, -1440, 1439, 1440, 3000, 3001)],
    )
    assert frame.select("offset", "day").rows() == [(-1440, 0), (1439, 0), (1440, 1), (3000, 2)]
    assert report.tables["vitalAperiodic"].excluded["outside the window"] == 2


def test_lines_stand_by_stay_then_table_then_time(tmp_path: Path) -> None:
    data = write_folder(
        tmp_path / "tables",
        patient=[{}, {"uniquepid": "b"}],
        vitalPeriodic=[{"patientunitstayid": 2}, {"observationoffset": 500}],
        vitalAperiodic=[{"observationoffset": 2}, {"patientunitstayid": 2, "observationoffset": 1}],
        nurseCharting=[{"nursingchartoffset": 1}],
    )
    build_records(source="eicu_demo", data=data, out=tmp_path / "out", tables=ALL)
    frame = pl.read_parquet(tmp_path / "out" / "charting.parquet")
    assert frame.select("stay", "table", "offset").rows() == [
        (1, "vitalPeriodic", 500),
        (1, "vitalAperiodic", 2),
        (1, "nurseCharting", 1),
        (2, "vitalPeriodic", 5),
        (2, "vitalAperiodic", 1),
    ]


def test_a_charting_table_is_read_only_if_asked_for_and_then_must_be_there(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables", vitalAperiodic=[{}])
    report = build_records(source="eicu_demo", data=data, out=tmp_path / "few")
    assert report.unused == CHARTING
    assert not (tmp_path / "few" / "charting.parquet").exists()
    with pytest.raises(DataError, match=r"the table vitalPeriodic is missing.*length levels"):
        build_records(source="eicu_demo", data=data, out=tmp_path / "none", tables=ALL)
    assert not (tmp_path / "none").exists()


def test_tables_allowed_to_be_missing_are_named_as_absent(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables", vitalAperiodic=[{}])
    report = build_records(
        source="eicu_demo", data=data, out=tmp_path / "out", tables=ALL, allow_missing=CHARTING
    )
    assert report.absent == ("vitalPeriodic", "nurseCharting")
    assert "vitalPeriodic" not in report.tables
    assert "ABSENT, as allowed: vitalPeriodic, nurseCharting" in render_report(report.model_dump())
    frame = pl.read_parquet(tmp_path / "out" / "charting.parquet")
    assert set(frame["table"]) == {"vitalAperiodic"}
    (data / "vitalAperiodic.csv").unlink()
    build_records(source="eicu_demo", data=data, out=tmp_path / "empty", tables=ALL, allow_missing=CHARTING)
    assert pl.read_parquet(tmp_path / "empty" / "charting.parquet").schema == frame.schema


def test_the_charting_of_the_demo_is_every_recorded_value_of_the_window(demo_charting: Built) -> None:
    ends = dict(demo_charting.frame("stays").select("stay", "unit_discharge_offset").iter_rows())
    expected = []
    for row in demo_charting.raw("vitalAperiodic"):
        stay, at = int(row["patientunitstayid"]), int(row["observationoffset"])
        if -1440 <= at <= ends[stay]:
            for name in TABLES["vitalAperiodic"].texts:
                if row[name].strip():
                    line = f"VITAL | {name} | {row[name].strip()}"
                    expected.append((stay, at, int(row["vitalaperiodicid"]), max(0, at // 1440), line))
    frame = demo_charting.frame("charting")
    found = frame.select("stay", "offset", "row_id", "day", "line").rows()
    assert len(found) > 500_000
    assert [row[:3] for row in found] == sorted(row[:3] for row in expected)
    assert set(found) == set(expected)


def test_every_charting_row_is_accounted_for_once(demo_charting: Built, synthetic_charting: Built) -> None:
    for built in (demo_charting, synthetic_charting):
        for name in set(CHARTING) & set(built.report.tables):
            table = built.report.tables[name]
            assert table.rows == table.kept + sum(table.excluded.values()) == len(built.raw(name))
            lines = built.frame("charting").filter(pl.col("table") == name)
            assert table.notes == {"lines": lines.height}
            assert lines.select("stay", "row_id").n_unique() == table.kept
