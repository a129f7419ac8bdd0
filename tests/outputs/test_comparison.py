"""The paper's figures beside ours: every cell, what differs, and what did not run."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import paper_scores
from evrev.formats.settings import ModelEntry
from evrev.outputs.comparison import comparison_csv, comparison_table
from evrev.outputs.make import BUILDERS
from evrev.outputs.render import to_markdown
from evrev.outputs.source import Source
from evrev.outputs.table import Table
from evrev.statistics.analyse import analyse


def table(
    folder: Path,
    number: int,
    models: dict[str, ModelEntry],
    change: paper_scores.Change | None = None,
) -> Table:
    names = {entry.label: name for name, entry in paper_scores.models().items()}
    paper_scores.write_scores(folder / "scores.duckdb", names=names, change=change)
    plan = paper_scores.heldout()
    made = Source(
        statistics=analyse(scores=folder, plan=plan, out=folder),
        plan=plan,
        models=models,
        study="demo",
        run="aaaaaaaaaaaa",
        digest="cccccccccccc",
        scores=None,
        partial={},
        notes={},
    )
    return BUILDERS[number](made)


def cells(made: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(comparison_csv(made))))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_papers_counts_compare_as_equal(tmp_path: Path, number: int) -> None:
    found = cells(table(tmp_path, number, paper_scores.models()))
    printed = paper_scores.paper(number)
    keys = {"model", "condition", "pipeline"}
    assert len(found) == sum(len(row.keys() - keys) for row in printed)
    assert {row["status"] for row in found} <= {"equal", "undefined"}
    assert {row["difference"] for row in found} <= {"0", ""}


def test_a_differing_count_shows_its_difference(tmp_path: Path) -> None:
    def change(kind: str, row: dict[str, Any]) -> None:
        if kind == "use_outcome" and row["trajectory"] == "p00000000-E1-small.reread.qwen2.5-7b":
            row["strict"] = False

    found = cells(table(tmp_path, 1, paper_scores.models(), change))
    (row,) = (row for row in found if row["status"] == "differs")
    assert (row["model"], row["pipeline"], row["quantity"]) == ("Qwen", "reread", "strict_e1")
    assert (row["paper"], row["here"], row["difference"]) == ("18", "17", "-1")
    assert row["proportion_difference"] == "-0.050"


def test_with_another_n_the_proportions_are_compared(tmp_path: Path) -> None:
    """Patients 18 and 19 leave: 18 of 18 here against the paper's 18 of 20."""

    def change(_kind: str, row: dict[str, Any]) -> bool:
        return int((row.get("trajectory") or row["id"])[1:9], 16) < 18

    made = table(tmp_path, 3, paper_scores.models(), change)
    row = next(row for row in cells(made) if (row["condition"], row["quantity"]) == ("E0", "strict"))
    assert (row["paper"], row["paper_n"], row["here"], row["here_n"]) == ("18", "20", "18", "18")
    assert (row["difference"], row["proportion_difference"], row["status"]) == ("", "+0.100", "differs")
    assert "18/20 → 18/18 (+0.100)" in to_markdown(comparison_table(made))


def test_the_papers_rows_without_a_run_here_read_not_run(tmp_path: Path) -> None:
    only = {"mistral-7b": paper_scores.models()["mistral-7b"]}
    found = cells(table(tmp_path, 4, only))
    assert {(row["model"], row["status"] == "not run") for row in found} == {
        ("Qwen", True),
        ("Mistral", False),
    }
    absent = next(row for row in found if row["model"] == "Qwen")
    assert (absent["paper"], absent["here"], absent["difference"]) == ("0", "", "")


def test_a_pipeline_the_paper_does_not_have_is_listed_as_such(tmp_path: Path) -> None:
    made = table(tmp_path, 1, paper_scores.models())
    cache = next(row for row in made.rows if row.cells["pipeline"].plain == "cache")
    name = cache.cells["pipeline"].model_copy(update={"value": "mine"})
    mine = cache.model_copy(update={"cells": {**cache.cells, "pipeline": name}})
    found = cells(made.model_copy(update={"rows": (*made.rows, mine)}))
    assert {row["status"] for row in found if row["pipeline"] == "mine"} == {"not in the paper"}


def test_a_row_of_the_paper_that_no_row_here_answers_reads_not_run(tmp_path: Path) -> None:
    made = table(tmp_path, 1, paper_scores.models())
    fewer = made.model_copy(update={"rows": made.rows[:-1]})
    lacking = [row for row in cells(fewer) if row["status"] == "not run"]
    assert {(row["model"], row["pipeline"]) for row in lacking} == {("Mistral", "local_repair")}
    assert len(cells(fewer)) == len(cells(made))
    last = comparison_table(fewer).rows[-1].cells
    assert (last["pipeline"].text, last["tokens_e1"].text) == ("local repair", "8676 → not run")


def test_worst_case_rows_are_not_compared(tmp_path: Path) -> None:
    made = table(tmp_path, 2, paper_scores.models())
    assert len(made.rows) == 12
    assert len(comparison_table(made).rows) == 6


def test_a_p_value_is_compared_as_printed(tmp_path: Path) -> None:
    found = cells(table(tmp_path, 2, paper_scores.models()))
    row = next(
        r for r in found if (r["model"], r["pipeline"], r["quantity"]) == ("Mistral", "cache", "p_one_sided")
    )
    assert (row["paper"], row["here"], row["difference"]) == ("0.9688", "0.9688", "0")
