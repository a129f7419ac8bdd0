"""The transcribed figures of the paper: all there, unaltered, and in agreement with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

import paper_scores
from evrev.errors import DataError
from evrev.outputs.paper import FOLDER, paper_models, paper_table


def test_every_table_and_the_claims_are_there() -> None:
    names = {path.name for path in FOLDER.glob("*.csv")}
    assert names == {f"table{number:02}.csv" for number in range(1, 30)} | {"claims.csv"}
    assert len(paper_table(3)) == 32


def test_the_figures_are_those_transcribed(shared: Path) -> None:
    for path in FOLDER.glob("*.csv"):
        assert path.read_bytes() == (shared / "paper" / "tables" / path.name).read_bytes(), path.name


def test_table_1_is_part_of_table_3() -> None:
    cells = {(row["model"], row["condition"], row["pipeline"]): row for row in paper_scores.paper(3)}
    for row in paper_scores.paper(1):
        e1, e1b, e4 = (cells[row["model"], event, row["pipeline"]] for event in ("E1", "E1b", "E4"))
        assert (row["strict_e1"], row["strict_e4"]) == (e1["strict"], e4["strict"])
        assert (row["stale_e1"], row["retained_e1b"]) == (e1["stale"], e1b["retained"])
        assert (row["unsupported_e4"], row["tokens_e1"]) == (e4["unsupported"], e1["tokens"])


def test_models_come_in_the_papers_order_and_a_missing_table_is_named() -> None:
    assert paper_models(1) == ["Qwen", "Mistral"]
    with pytest.raises(DataError, match="cannot be read"):
        paper_table(99)
