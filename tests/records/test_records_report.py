"""The data audit as text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from records_world import Built, write_folder

from evrev.errors import DataError
from evrev.records.build import build_records
from evrev.records.report import RecordsReport, render_report


def test_the_report_file_is_what_the_build_returned(records: Built) -> None:
    written = json.loads((records.folder / "report.json").read_text())
    assert RecordsReport.model_validate(written) == records.report


def test_the_audit_names_counts_exclusions_and_the_partial_table(demo_records: Built) -> None:
    text = render_report(json.loads((demo_records.folder / "report.json").read_text()))
    assert "1,841 persons, 2,520 stays" in text
    assert "development 748, calibration 275, sealed 818" in text
    assert "PARTIAL: the table lab is lab.subset.csv.gz, not the whole table" in text
    assert "30,661   40.6%  unnamed" in text
    assert "29,013          (unnamed with a HICL code)" in text
    medication = next(line for line in text.splitlines() if line.startswith("medication "))
    assert medication.split()[:4] == ["medication", "75,604", "1,857", "1,372"]
    assert max(len(line) for line in text.splitlines()) <= 110


def test_the_audit_says_that_synthetic_records_are_nobodys(synthetic_records: Built) -> None:
    text = render_report(synthetic_records.report.model_dump(mode="json"))
    assert "synthetic" in text.splitlines()[0]
    assert "nobody's data" in text
    assert "PARTIAL" not in text


def test_the_audit_of_empty_tables_and_of_tables_nobody_asked_for(tmp_path: Path) -> None:
    data = write_folder(tmp_path / "tables", medication=[])
    report = build_records(source="eicu_demo", data=data, out=tmp_path / "out", tables=["medication"])
    text = render_report(report.model_dump(mode="json"))
    assert "not asked for: diagnosis, lab, treatment" in text


def test_something_else_is_not_a_report() -> None:
    with pytest.raises(DataError, match="source: Field required"):
        render_report({"partial": {}})
