"""The main job, run as a user runs it, and what a second command does and does not make again."""

from __future__ import annotations

import os
from pathlib import Path

from workflow_project import Project, digests

NOTHING = "Nothing to be done"


def test_heldout_makes_four_tables_and_their_comparisons(finished: Project) -> None:
    names = [path.name for path in finished.files("synthetic-scripted-n2/tables/*.*")]
    assert names == [f"table{n}.{kind}" for n in (1, 2, 3, 4) for kind in ("csv", "md", "tex")]
    assert len(finished.files("synthetic-scripted-n2/comparison/table*.csv")) == 4


def test_every_output_of_a_scripted_reader_says_so_in_its_title(finished: Project) -> None:
    for path in finished.files("synthetic-scripted-n2/tables/*.*") + finished.files(
        "synthetic-scripted-n2/comparison/*.*"
    ):
        assert "scripted reader, not a model result" in path.read_text(), path.name


def test_latest_links_to_the_study_last_built(finished: Project) -> None:
    assert (finished.results / "latest").resolve() == (finished.results / "synthetic-scripted-n2").resolve()


def test_latest_can_be_pointed_back_at_an_earlier_study(copied: Project) -> None:
    assert copied.evrev("records", "build", patients="1").returncode == 0
    for patients in ("1", "2"):
        done = copied.evrev("latest", patients=patients)
        assert f"synthetic-scripted-n{patients}/tables" in done.stdout
        assert (copied.results / "latest").readlink() == Path(f"synthetic-scripted-n{patients}")


def test_a_second_run_has_nothing_to_do(finished: Project) -> None:
    assert NOTHING in finished.snakemake("heldout").stdout


def test_one_table_is_made_again_from_recorded_trajectories_without_a_model_call(copied: Project) -> None:
    before = digests(copied.results)
    table = copied.files("*/tables/table3.csv")[0]
    table.unlink()
    done = copied.snakemake("table3", "--quiet", "reason")
    assert done.returncode == 0, done.stdout
    assert "rule make_table3:" in done.stdout
    for other in ("agent", "scoring", "statistics", "make_table1", "records"):
        assert f"rule {other}:" not in done.stdout
    assert digests(copied.results) == before


def test_results_copied_to_another_place_need_nothing_made_again(copied: Project) -> None:
    assert NOTHING in copied.snakemake("heldout").stdout


def test_touched_files_make_nothing_run_again(copied: Project) -> None:
    for number, path in enumerate(sorted(copied.results.rglob("*"), reverse=True)):
        os.utime(path, (1_000_000_000 + number, 1_000_000_000 + number))
    assert NOTHING in copied.snakemake("heldout").stdout


def test_results_removed_and_made_again_are_the_same_bytes(finished: Project, project: Project) -> None:
    assert project.snakemake("heldout", concurrency="1").returncode == 0
    assert digests(project.results) == digests(finished.results)


def test_another_limit_is_another_study_beside_the_first(copied: Project) -> None:
    before = digests(copied.results / "synthetic-scripted-n2")
    assert copied.snakemake("heldout", patients="1").returncode == 0
    assert digests(copied.results / "synthetic-scripted-n2") == before
    assert len(copied.files("synthetic-scripted-n1/tables/*.csv")) == 4


def test_alias_table_off_makes_other_scenarios_and_another_scripted_run_and_keeps_the_first(
    copied: Project,
) -> None:
    assert copied.snakemake("heldout", aliases="false").returncode == 0
    runs = {path.parent.name for path in copied.files("*/frozen/heldout/*/manifest.json")}
    assert len(runs) == 2
    assert NOTHING not in copied.snakemake("heldout", "-n").stdout, "the tables are those of the other run"
    assert copied.snakemake("heldout").returncode == 0
    assert NOTHING in copied.snakemake("heldout", "-n").stdout


def test_a_scenario_and_a_trajectory_can_be_read(finished: Project) -> None:
    path = finished.files("*/scenarios/heldout/*/p*-E1-small.json")[0]
    shown = finished.evrev("scenarios", "show", path.stem).stdout
    assert "event E1" in shown
    text = finished.evrev("show", f"{path.stem}.local_repair.scripted-qwen").stdout
    assert "invalidated: c:D4, s:D4, G" in text
    assert "rebuilt: G" in text


def test_status_names_the_run_in_use(finished: Project) -> None:
    text = finished.evrev("status").stdout
    assert "complete, in use" in text
    assert "scripted-mistral all: 32 trajectories (0 failed)" in text


def test_a_run_of_one_model_leaves_the_other_out(project: Project) -> None:
    assert project.snakemake("heldout", models="scripted-mistral", patients="1").returncode == 0
    text = Path(project.files("*/comparison/table1.md")[0]).read_text()
    assert "not run" in text
