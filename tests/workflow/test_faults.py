"""What a user sees when an input is wrong or a recorded file was edited: one message, nothing lost."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest
from workflow_project import Project


def _refused(done: subprocess.CompletedProcess[str], *says: str) -> None:
    assert done.returncode == 2, done.stdout
    for part in says:
        assert part in done.stdout, done.stdout
    assert "Traceback" not in done.stdout


@pytest.fixture
def tables(eicu_demo: Path, tmp_path: Path) -> Path:
    """A folder of links to the real tables that a test may damage."""
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("patient", "medication", "diagnosis", "treatment", "lab.subset"):
        (folder / f"{name}.csv.gz").symlink_to(eicu_demo / f"{name}.csv.gz")
    return folder


def _real(tables: Path, **more: str) -> dict[str, str]:
    return {"source": "eicu_demo", "data": str(tables), "lab": "lab.subset.csv.gz"} | more


def test_a_missing_table_is_named_and_nothing_is_written(project: Project, tables: Path) -> None:
    (tables / "diagnosis.csv.gz").unlink()
    _refused(project.evrev("records", "build", **_real(tables)), "the table diagnosis is missing")
    assert project.files("*/records/**/*") == []


def test_without_lab_the_error_names_the_missing_table_and_the_way_out(
    project: Project, tables: Path
) -> None:
    done = project.evrev("records", "build", **_real(tables, lab=""))
    _refused(done, "the table lab is missing", "LAB=lab.subset.csv.gz")


def test_a_truncated_gzip_is_named(project: Project, tables: Path) -> None:
    whole = (tables / "medication.csv.gz").read_bytes()
    (tables / "medication.csv.gz").unlink()
    (tables / "medication.csv.gz").write_bytes(whole[: len(whole) // 2])
    done = project.evrev("records", "build", **_real(tables))
    _refused(done, "medication.csv.gz", "the gzip stream is cut short")


def test_a_missing_column_is_named_with_those_expected(project: Project, tables: Path) -> None:
    text = gzip.decompress((tables / "diagnosis.csv.gz").read_bytes()).replace(b"diagnosisstring", b"text", 1)
    (tables / "diagnosis.csv.gz").unlink()
    (tables / "diagnosis.csv.gz").write_bytes(gzip.compress(text))
    done = project.evrev("records", "build", **_real(tables))
    _refused(done, "lacks the column diagnosisstring", "expected: ")


def test_snakemake_shows_the_message_of_a_failed_stage(project: Project, tables: Path) -> None:
    (tables / "patient.csv.gz").unlink()
    done = project.snakemake("heldout", **_real(tables))
    assert done.returncode != 0
    assert "the table patient is missing" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("log", [(), ("--log", "/proc/none/log")])
def test_a_fault_of_the_file_system_is_one_message(project: Project, log: tuple[str, ...]) -> None:
    project.results.mkdir()
    (project.results / "synthetic-scripted-n2").touch()
    done = project.evrev(*log, "records", "build")
    _refused(done, "synthetic-scripted-n2/records: Not a directory", "give the same command again")


def test_braces_in_a_data_path_are_text(project: Project) -> None:
    done = project.snakemake("records", "-n", source="eicu_demo", data="{batch} {x}")
    assert "Wildcard" not in done.stdout
    done = project.snakemake("heldout", source="eicu_demo", data="{batch} {x}")
    assert "evrev: {batch} {x}: no such folder" in done.stdout


def test_a_plan_that_asks_for_what_cannot_be_scored_is_named_before_the_first_model_call(
    clone: Project,
) -> None:
    plan = clone.root / "config" / "batches" / "heldout.yaml"
    plan.write_text(plan.read_text().replace("fabricated, missing", "fabricatd, missing"))
    done = clone.snakemake("heldout", patients="1", models="scripted-qwen")
    assert done.returncode != 0
    assert "no endpoint 'fabricatd' (did you mean 'fabricated'?)" in done.stdout
    assert clone.files("*/trajectories/**/*") == []


def test_a_scenario_edited_by_hand_is_named_before_it_is_used(copied: Project) -> None:
    path = copied.files("*/scenarios/heldout/*/p*-E1-small.json")[0]
    path.write_text(path.read_text().replace("MEDICATION", "MEDICATIONS", 1))
    for command in (
        ("freeze", "heldout"),
        ("run", "heldout", "--model", "scripted-qwen"),
        ("score", "heldout"),
    ):
        _refused(copied.evrev(*command), path.name, "was changed by hand")


def test_a_trajectory_file_edited_by_hand_is_named_before_scoring(copied: Project) -> None:
    shutil.rmtree(next(copied.results.glob("*/scores")))
    path = copied.files("*/trajectories/heldout/*/scripted-qwen/all/trajectories.jsonl.zst")[0]
    path.write_bytes(path.read_bytes() + b"\0")
    _refused(
        copied.evrev("score", "heldout"), "scripted-qwen/all/trajectories.jsonl.zst", "was changed by hand"
    )
    assert copied.files("*/scores/**/*") == []


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("run", "heldout", "--model", "scripted-quen"), "did you mean 'scripted-qwen'?"),
        (("run", "heldout", "--model", "scripted-qwen", "--shard", "E9"), "runs no 'E9'"),
        (("score", "heldut"), "did you mean 'heldout'?"),
        (("tables", "31"), "table 31 is not made here"),
        (("scenarios", "show", "nobody"), "no scenario 'nobody'"),
        (("show", "nothing"), "has no trajectory 'nothing'"),
    ],
)
def test_a_wrong_argument_is_named(finished: Project, command: tuple[str, ...], says: str) -> None:
    _refused(finished.evrev(*command), says)


def test_a_table_of_a_batch_that_has_not_run_says_which_target_makes_it(project: Project) -> None:
    _refused(project.evrev("tables", "3"), "run: snakemake table3")
