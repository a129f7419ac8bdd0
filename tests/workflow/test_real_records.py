"""The held-out batch on the eICU demo tables, with the laboratory extract that is at hand."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from workflow_project import Project


@pytest.fixture(scope="module")
def demo(root: Path, eicu_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished run on the demo records; it leaves the count of persons rendered for the audit."""
    settings = {"source": "eicu_demo", "data": str(eicu_demo), "lab": "lab.subset.csv.gz"}
    project = Project(root, tmp_path_factory.mktemp("demo") / "results", settings)
    done = project.snakemake("heldout")
    assert done.returncode == 0, done.stdout
    if count := os.environ.get("EVREV_PERSONS_FILE"):
        Path(count).write_text(str(_report(project)["taken"]))
    return project


def _report(project: Project) -> dict[str, object]:
    report: dict[str, object] = json.loads(
        project.files("*/scenarios/heldout/*/patients.json")[0].read_text()
    )
    return report


def _rows(project: Project, number: int) -> list[dict[str, str]]:
    with project.files(f"*/tables/table{number}.csv")[0].open(newline="") as handle:
        return list(csv.DictReader(handle))


def test_it_takes_the_sealed_persons_there_are_and_says_why_the_others_were_left_out(demo: Project) -> None:
    report = _report(demo)
    assert report["partition"] == "sealed"
    assert report["planned"] == 20
    assert 15 <= report["taken"] <= 20  # type: ignore[operator]
    exclusions = report["exclusions"]
    assert isinstance(exclusions, dict)
    assert sum(exclusions.values()) + report["eligible"] == report["considered"] == 818  # type: ignore[operator]


def test_every_condition_and_pipeline_has_every_patient(demo: Project) -> None:
    rows = _rows(demo, 3)
    assert len(rows) == 2 * 4 * 4
    assert {row["n"] for row in rows} == {str(_report(demo)["taken"])}


def test_the_partial_laboratory_table_is_stamped_on_every_table(demo: Project) -> None:
    for path in demo.files("*/tables/*.md") + demo.files("*/tables/*.tex"):
        assert "lab.subset.csv.gz" in path.read_text().replace("\\_", "_"), path.name


def test_rereading_costs_least_and_local_repair_revises_for_less_than_rebuild(demo: Project) -> None:
    costs = {(row["model"], row["condition"], row["pipeline"]): row for row in _rows(demo, 4)}
    for (model, condition, pipeline), row in costs.items():
        assert float(row["total"]) >= float(costs[model, condition, "reread"]["total"]), pipeline
        if condition in {"E1", "E1b"} and pipeline == "local_repair":
            assert float(row["revise"]) < float(costs[model, condition, "rebuild"]["revise"])
        if condition in {"E0", "E4"}:
            assert float(row["revise"]) == 0


def test_no_scenario_carries_the_identifier_of_a_person(demo: Project) -> None:
    split = json.loads(demo.files("*/records/*/split.json")[0].read_text())
    persons = set(split["persons"])
    for path in demo.files("*/scenarios/heldout/*/*.json"):
        text = path.read_text()
        assert not any(person in text for person in persons), path.name
