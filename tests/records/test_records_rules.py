"""Each rule for rows, on tables small enough to read."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from records_world import write_folder

from evrev.records.build import build_records
from evrev.records.report import RecordsReport
from evrev.records.tables import CHARTING


class Tiny:
    """Builds hand-written tables and hands back lines and exclusions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self, **tables: list[dict[str, object]]) -> RecordsReport:
        data = write_folder(self._folder / "tables", **tables)
        return build_records(source="eicu_demo", data=data, out=self._folder / "out")

    def frame(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self._folder / "out" / f"{name}.parquet")


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    return Tiny(tmp_path)


def test_the_window_includes_both_its_ends(tiny: Tiny) -> None:
    starts = [-1441, -1440, -1, 0, 1439, 1440, 3000, 3001]
    report = tiny.build(medication=[{"drugstartoffset": at, "dosage": f"{at} mg"} for at in starts])
    assert list(tiny.frame("orders").select("start", "day").iter_rows()) == [
        (-1440, 0),
        (-1, 0),
        (0, 0),
        (1439, 0),
        (1440, 1),
        (3000, 2),
    ]
    assert report.tables["medication"].excluded["outside the window"] == 2


def test_orders_stand_by_start_then_order_offset_then_id(tiny: Tiny) -> None:
    tiny.build(
        medication=[
            {"medicationid": 10, "drugstartoffset": 5, "drugorderoffset": 2, "drugname": "d"},
            {"medicationid": 9, "drugstartoffset": 5, "drugorderoffset": 2, "drugname": "c"},
            {"medicationid": 8, "drugstartoffset": 5, "drugorderoffset": -2, "drugname": "b"},
            {"medicationid": 11, "drugstartoffset": -5, "drugorderoffset": 9, "drugname": "a"},
        ]
    )
    assert tiny.frame("orders")["name"].to_list() == ["a", "b", "c", "d"]


def test_a_repeat_is_dropped_but_one_drug_on_two_lines_stays(tiny: Tiny) -> None:
    tiny.build(
        patient=[{}, {"uniquepid": "b"}],
        medication=[
            {"drugname": "Aspirin", "drugstartoffset": 1},
            {"drugname": "ASPIRIN", "drugstartoffset": 2, "dosage": "81  MG"},
            {"drugname": "aspirin", "drugstartoffset": 3, "dosage": "325 mg"},
            {"drugname": "aspirin", "drugstartoffset": 4, "patientunitstayid": 2},
        ],
    )
    lines = tiny.frame("orders").select("stay", "line").rows()
    assert lines == [
        (1, "MEDICATION | Aspirin | 81 mg | PO | Daily"),
        (1, "MEDICATION | aspirin | 325 mg | PO | Daily"),
        (2, "MEDICATION | aspirin | 81 mg | PO | Daily"),
    ]


def test_a_cancelled_first_order_does_not_hide_its_repeat(tiny: Tiny) -> None:
    report = tiny.build(medication=[{"drugordercancelled": "YES"}, {"drugstartoffset": 7}])
    assert tiny.frame("orders")["start"].to_list() == [7]
    assert report.tables["medication"].excluded["cancelled"] == 1


def test_a_row_of_a_stay_nobody_has_is_counted_and_left_out(tiny: Tiny) -> None:
    tables = ("medication", "diagnosis", "lab", "treatment")
    lost: dict[str, object] = {"patientunitstayid": 77}
    report = tiny.build(**{name: [lost] for name in tables})
    for name in tables:
        assert report.tables[name].excluded["unknown stay"] == 1
        assert (report.tables[name].kept, report.tables[name].persons) == (0, 0)


def test_one_order_twice_with_different_doses_stays_as_two_lines(tiny: Tiny) -> None:
    tiny.build(medication=[{"medicationid": 5, "dosage": "81 mg"}, {"medicationid": 5, "dosage": "325 mg"}])
    assert tiny.frame("orders")["dose"].to_list() == ["325 mg", "81 mg"]


def test_a_person_whose_only_stay_has_no_order_in_the_window_keeps_the_stay(tiny: Tiny) -> None:
    report = tiny.build(
        patient=[{}, {"uniquepid": "b"}], medication=[{}, {"patientunitstayid": 2, "drugstartoffset": 9000}]
    )
    assert tiny.frame("stays")["person"].sort().to_list() == ["a", "b"]
    assert tiny.frame("orders")["stay"].to_list() == [1]
    assert (report.persons, report.tables["medication"].kept_persons) == (2, 1)


def test_an_order_keeps_its_code_as_recorded(tiny: Tiny) -> None:
    tiny.build(medication=[{"drughiclseqno": "1820"}, {"drugname": "heparin", "drughiclseqno": ""}])
    assert tiny.frame("orders").columns[-1] == "hicl"
    assert tiny.frame("orders")["hicl"].to_list() == ["1820", ""]


def test_prn_and_admixture_rows_electrolytes_albumin_and_insulin_stay(tiny: Tiny) -> None:
    names = ["potassium chloride 20 mEq tab", "albumin 25 %", "insulin lispro", "magnesium sulfate 2 g"]
    tiny.build(medication=[{"drugname": name, "frequency": "Q6H PRN"} for name in names])
    assert sorted(tiny.frame("orders")["name"]) == sorted(names)


def test_a_problem_is_the_same_in_another_case_and_whatever_its_state_at_discharge(tiny: Tiny) -> None:
    tiny.build(
        diagnosis=[
            {"diagnosisoffset": 30, "diagnosisstring": "renal|AKI"},
            {"diagnosisoffset": 20, "diagnosisstring": "renal|aki|acute"},
            {"diagnosisoffset": 10, "diagnosisstring": "renal| aki "},
            {"diagnosisoffset": 20, "diagnosisstring": "||"},
        ]
    )
    assert tiny.frame("problems").rows() == [
        (1, 0, 10, "renal|aki", "PROBLEM | renal|aki"),
        (1, 1, 20, "renal|aki|acute", "PROBLEM | renal|aki|acute"),
    ]


def test_results_without_a_name_or_a_value_are_left_out(tiny: Tiny) -> None:
    rows: list[dict[str, object]] = [{"labname": " "}, {"labresulttext": "  "}, {"labmeasurenamesystem": ""}]
    report = tiny.build(lab=rows)
    assert tiny.frame("labs")["line"].to_list() == ["LAB | sodium | 140"]
    assert report.tables["lab"].excluded == {
        "unknown stay": 0,
        "outside the window": 0,
        "no name": 1,
        "no result": 1,
    }


def test_text_that_could_break_a_line_cannot(tiny: Tiny) -> None:
    tiny.build(
        medication=[{"drugname": "a|b\n\x00c", "routeadmin": "P\u2028O"}],
        treatment=[{"treatmentstring": "renal|\tdial\rysis\x85|"}],
    )
    assert tiny.frame("orders")["line"].to_list() == ["MEDICATION | a/b c | 81 mg | P O | Daily"]
    assert tiny.frame("treatments")["line"].to_list() == ["TREATMENT | renal|dial ysis"]


def test_a_table_with_a_header_and_no_rows_gives_no_rows(tiny: Tiny) -> None:
    report = tiny.build(medication=[], diagnosis=[], lab=[], treatment=[])
    for name in ("orders", "problems", "labs", "treatments"):
        assert tiny.frame(name).is_empty()
    assert report.tables["lab"].rows == 0


def test_only_the_tables_asked_for_are_read(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables")
    (data / "treatment.csv").unlink()
    (data / "lab.csv").write_text("nonsense")
    report = build_records(
        source="eicu_demo", data=data, out=tmp_path / "out", tables=["medication", "diagnosis"]
    )
    assert report.unused == ("lab", "treatment", *CHARTING)
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == ["orders.parquet", "problems.parquet", "report.json", "split.json", "stays.parquet"]
