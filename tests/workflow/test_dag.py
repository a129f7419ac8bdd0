"""The workflow resolves from a fresh clone, before anything exists."""

from __future__ import annotations

import re

import pytest
from workflow_project import Project

from evrev.outputs.registry import TABLE_BATCH


def _jobs(text: str) -> dict[str, int]:
    stats = text.split("Job stats:")[1]
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", stats, re.MULTILINE)}


def test_heldout_resolves_from_a_fresh_clone(clone: Project) -> None:
    done = clone.snakemake("heldout", "-n")
    assert done.returncode == 0, done.stdout
    jobs = _jobs(done.stdout)
    assert jobs["agent"] == 2  # one generation job per model
    assert jobs["total"] == 12
    assert not any(clone.results.glob("*-*")), "a dry run makes nothing"


def test_the_literal_slurm_command_resolves_from_a_fresh_clone(clone: Project) -> None:
    done = clone.typed("--profile", "slurm", "heldout", "-n")
    assert done.returncode == 0, done.stdout
    assert "results/eicu_demo-qwen2.5-7b+mistral-7b/" in done.stdout
    assert _jobs(done.stdout)["agent"] == 2


def test_a_command_line_setting_does_not_wipe_those_of_the_profile(clone: Project) -> None:
    done = clone.typed("--profile", "slurm", "heldout", "-n", "--config", "patients=3")
    assert "results/eicu_demo-qwen2.5-7b+mistral-7b-n3/" in done.stdout


@pytest.mark.parametrize("number", TABLE_BATCH)
def test_each_table_is_a_target(project: Project, number: int) -> None:
    done = project.snakemake(f"table{number}", "-n")
    assert done.returncode == 0, done.stdout
    assert _jobs(done.stdout)[f"make_table{number}"] == 1


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"modles": "x"}, "unknown key 'modles' (did you mean 'models'?)"),
        ({"patients": "0"}, "patients: Input should be greater than or equal to 1, not 0"),
        ({"models": "scripted-quen"}, "no model 'scripted-quen' (did you mean 'scripted-qwen'?)"),
        ({"source": "eicu_demo"}, "source eicu_demo needs a folder"),
    ],
)
def test_a_wrong_setting_is_named_when_the_workflow_is_read(
    project: Project, setting: dict[str, str], says: str
) -> None:
    done = project.snakemake("heldout", "-n", **setting)
    assert done.returncode == 2
    assert says in done.stdout
    assert "Traceback" not in done.stdout


def test_lint_has_nothing_to_say(project: Project) -> None:
    assert project.snakemake("--lint").returncode == 0
