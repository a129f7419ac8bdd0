"""Records built once per session, from the synthetic tables and from the real ones where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from records_world import Built

from evrev.records.build import build_records
from evrev.records.synthetic import write_tables
from evrev.records.tables import TABLES


@pytest.fixture(scope="session")
def synthetic_records(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The records of the synthetic source, with the tables that it writes."""
    folder = tmp_path_factory.mktemp("synthetic")
    write_tables(folder / "tables")
    report = build_records(source="synthetic", out=folder / "records")
    return Built("synthetic", folder / "records", folder / "tables", report)


@pytest.fixture(scope="session")
def demo_records(tmp_path_factory: pytest.TempPathFactory, eicu_demo: Path) -> Built:
    """The records of the eICU demo, a subset standing in for its laboratory table."""
    out = tmp_path_factory.mktemp("demo") / "records"
    report = build_records(source="eicu_demo", data=eicu_demo, lab="lab.subset.csv.gz", out=out)
    return Built("eicu_demo", out, eicu_demo, report)


@pytest.fixture(scope="session", params=["synthetic", "demo"])
def records(request: pytest.FixtureRequest) -> Built:
    """Either of the two."""
    built = request.getfixturevalue(f"{request.param}_records")
    assert isinstance(built, Built)
    return built


@pytest.fixture(scope="session")
def demo_charting(tmp_path_factory: pytest.TempPathFactory, eicu_demo: Path) -> Built:
    """The records of the eICU demo with the one charting table at hand."""
    out = tmp_path_factory.mktemp("demo-charting") / "records"
    report = build_records(
        source="eicu_demo",
        data=eicu_demo,
        lab="lab.subset.csv.gz",
        out=out,
        tables=TABLES,
        allow_missing=("vitalPeriodic", "nurseCharting"),
    )
    return Built("eicu_demo", out, eicu_demo, report)


@pytest.fixture(scope="session")
def synthetic_charting(tmp_path_factory: pytest.TempPathFactory, synthetic_records: Built) -> Built:
    """The synthetic records with all charting tables."""
    out = tmp_path_factory.mktemp("synthetic-charting") / "records"
    report = build_records(source="synthetic", out=out, tables=TABLES)
    return Built("synthetic", out, synthetic_records.data, report)
