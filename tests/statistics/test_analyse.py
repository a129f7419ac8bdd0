"""From scores to statistics: nothing is pooled, failures stay in n, and the paper's numbers come out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import paper_scores
from evrev.errors import DataError
from evrev.statistics.analyse import analyse
from evrev.statistics.result import CellResult, Statistics, read_statistics

QWEN, MISTRAL = "qwen2.5-7b", "mistral-7b"


def analysed(folder: Path, change: paper_scores.Change | None = None) -> Statistics:
    paper_scores.write_scores(folder / "scores.duckdb", change=change)
    return analyse(scores=folder, plan=paper_scores.heldout(), out=folder)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Statistics:
    return analysed(tmp_path_factory.mktemp("printed"))


def cell(result: Statistics, model: str, event: str, pipeline: str) -> CellResult:
    (found,) = (c for c in result.cells if (c.model, c.event, c.pipeline) == (model, event, pipeline))
    return found


def of(trajectory: str, event: str, pipeline: str, model: str, patient: int) -> bool:
    return trajectory == f"p{patient:08x}-{event}-small.{pipeline}.{model}"


def test_there_is_one_cell_per_model_event_and_pipeline_in_the_order_of_the_plan(printed: Statistics) -> None:
    plan = paper_scores.heldout()
    assert [(c.model, c.event, c.pipeline) for c in printed.cells] == [
        (m, e, p) for m in (MISTRAL, QWEN) for e in plan.events for p in plan.pipelines
    ]
    assert {c.n for c in printed.cells} == {20}


def test_an_endpoint_without_meaning_in_a_condition_has_no_count(printed: Statistics) -> None:
    for one in printed.cells:
        assert (one.counts["stale"] is None) == (one.event != "E1")
        assert (one.counts["retained"] is None) == (one.event != "E1b")
        assert one.counts["unsupported"] is not None


def test_means_and_their_ratios_are_unrounded(printed: Statistics) -> None:
    tokens = cell(printed, MISTRAL, "E0", "reread").tokens
    assert (tokens.use_prompt, tokens.use_completion, tokens.total) == (1606.65, 338.65, 1945.3)
    assert cell(printed, MISTRAL, "E0", "reread").ratio_total == 1.0
    cache = cell(printed, MISTRAL, "E0", "cache")
    assert cache.ratio_total == cache.tokens.total / 1945.3


def test_phases_add_up_to_the_total(printed: Statistics) -> None:
    for one in printed.cells:
        t = one.tokens
        assert t.ingest + t.use0 + t.revise + t.later_uses == pytest.approx(t.total)
        assert t.ingest + t.revise + t.use_prompt + t.use_completion == pytest.approx(t.total)
        assert t.calls == 4


def test_the_primary_family_is_the_papers(printed: Statistics) -> None:
    found = [(t.model, t.pipeline, t.k, t.k_reference, t.b, t.c, t.p, t.rejected) for t in printed.tests]
    assert found == [
        (MISTRAL, "cache", 1, 4, 1, 4, 0.96875, False),
        (MISTRAL, "rebuild", 4, 4, 3, 3, 0.65625, False),
        (MISTRAL, "local_repair", 4, 4, 3, 3, 0.65625, False),
        (QWEN, "cache", 2, 0, 2, 0, 0.25, False),
        (QWEN, "rebuild", 0, 0, 0, 0, 1.0, False),
        (QWEN, "local_repair", 1, 0, 1, 0, 0.5, False),
    ]
    thresholds = [round(t.holm_threshold, 4) for t in printed.tests]
    assert thresholds == [0.05, 0.0167, 0.025, 0.0167, 0.05, 0.025]


def test_six_pairs_in_one_direction_are_the_fewest_that_pass_the_first_of_three_steps(
    printed: Statistics,
) -> None:
    assert {(t.power.pairs, t.power.p) for t in printed.tests} == {(6, 0.015625)}


def test_five_patients_can_reject_nothing_and_the_record_says_so(tmp_path: Path) -> None:
    def few(table: str, row: dict[str, Any]) -> bool:
        return int(row["id" if table == "trajectory" else "trajectory"][1:9], 16) < 5

    result = analysed(tmp_path, few)
    assert {(t.n, t.power.pairs) for t in result.tests} == {(5, None)}


def test_a_test_rejects_by_the_step_down(tmp_path: Path) -> None:
    """Cache 8:0 and rebuild 6:0 fall, local repair 4:0 (p = 0.0625) does not."""
    shown = {"cache": 8, "rebuild": 6, "local_repair": 4}

    def change(table: str, row: dict[str, Any]) -> None:
        if table == "use_outcome" and QWEN in row["trajectory"] and "-E4-" in row["trajectory"]:
            pipeline = row["trajectory"].split(".")[1]
            row["unsupported_any"] = int(row["trajectory"][1:9], 16) < shown.get(pipeline, 0)

    tests = [t for t in analysed(tmp_path, change).tests if t.model == QWEN]
    assert [(t.b, t.rejected) for t in tests] == [(8, True), (6, True), (4, False)]
    assert [t.holm_adjusted for t in tests] == [3 / 256, 2 / 64, 1 / 16]


def test_a_failure_stays_in_n_and_the_worst_case_counts_it_against_memory(tmp_path: Path) -> None:
    """One unreadable cache answer of a patient who listed nothing, one of re-reading's who did."""

    def change(table: str, row: dict[str, Any]) -> None:
        if table != "use_outcome" or row["use"] != 1:
            return
        if of(row["trajectory"], "E4", "cache", MISTRAL, 5) or of(
            row["trajectory"], "E4", "reread", MISTRAL, 0
        ):
            row.update(format_failure=True, unsupported_any=None, fabricated=None, missing=None, strict=False)

    result = analysed(tmp_path, change)
    cache, reread = (cell(result, MISTRAL, "E4", name) for name in ("cache", "reread"))
    count = cache.counts["unsupported"]
    assert count is not None
    assert (count.k, count.n, count.unset) == (1, 20, 1)
    assert cache.format_failures == {"medication": 1, "problem_list": 0}
    assert reread.counts["unsupported"] is not None
    assert reread.counts["unsupported"].k == 3
    test = next(t for t in result.tests if (t.model, t.pipeline) == (MISTRAL, "cache"))
    worst = test.worst_case
    assert worst is not None
    assert (test.n, test.b, test.c, test.unset, test.unset_reference) == (20, 1, 3, 1, 1)
    assert (worst.n, worst.k, worst.k_reference, worst.b, worst.c) == (20, 2, 3, 2, 3)


def test_a_failed_trajectory_counts_as_attempted(tmp_path: Path) -> None:
    def change(table: str, row: dict[str, Any]) -> None:
        if table == "trajectory" and of(row["id"], "E1", "rebuild", QWEN, 3):
            row.update(status="failed", failure_kind="context_overflow")
        if table == "use_outcome" and row["use"] > 0 and of(row["trajectory"], "E1", "rebuild", QWEN, 3):
            row.update(executed=False, strict=False, stale=None, unsupported_any=None, fabricated=None)

    rebuild = cell(analysed(tmp_path, change), QWEN, "E1", "rebuild")
    assert (rebuild.n, rebuild.executed, rebuild.execution_failures) == (20, 19, 1)
    assert rebuild.format_failures["medication"] == 0
    strict, stale = rebuild.counts["strict"], rebuild.counts["stale"]
    assert strict is not None
    assert stale is not None
    assert (strict.k, strict.n) == (17, 20)
    assert (stale.k, stale.n, stale.unset) == (0, 20, 1)


def test_a_reference_that_costs_nothing_gives_no_ratio(tmp_path: Path) -> None:
    def change(table: str, row: dict[str, Any]) -> None:
        if table == "phase_cost" and ".reread." in row["trajectory"]:
            row.update(prompt=0, completion=0, total=0)

    for one in analysed(tmp_path, change).cells:
        assert one.ratio_total is None
        assert one.ratio_use_prompt is None


def test_sizes_are_never_pooled(tmp_path: Path) -> None:
    plan = paper_scores.heldout().model_copy(update={"sizes": ("small", "large")})

    def change(table: str, row: dict[str, Any]) -> None:
        if table == "trajectory" and int(row["patient"][1:], 16) >= 12:
            row["size"] = "large"

    paper_scores.write_scores(tmp_path / "scores.duckdb", change=change)
    result = analyse(scores=tmp_path / "scores.duckdb", plan=plan, out=tmp_path)
    assert {(c.size, c.n) for c in result.cells} == {("small", 12), ("large", 8)}
    assert len(result.cells) == 64
    assert {(t.size, t.n) for t in result.tests} == {("small", 12), ("large", 8)}


def test_what_is_written_reads_back_and_is_the_same_twice(tmp_path: Path, printed: Statistics) -> None:
    first = analysed(tmp_path)
    data = (tmp_path / "statistics.json").read_bytes()
    assert read_statistics(tmp_path) == first == printed
    analyse(scores=tmp_path, plan=paper_scores.heldout(), out=tmp_path)
    assert (tmp_path / "statistics.json").read_bytes() == data


def test_a_missing_or_foreign_scores_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        analyse(scores=tmp_path / "scores.duckdb", plan=paper_scores.heldout(), out=tmp_path)
    (tmp_path / "scores.duckdb").write_text("not a database, but long enough to be read as one\n" * 100)
    with pytest.raises(DataError, match="is not a scores file"):
        analyse(scores=tmp_path, plan=paper_scores.heldout(), out=tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_statistics(tmp_path)
    (tmp_path / "statistics.json").write_text('{"batch": "heldout"}')
    with pytest.raises(DataError, match="role"):
        read_statistics(tmp_path)


def test_a_patient_twice_in_a_cell_is_refused(tmp_path: Path) -> None:
    def change(table: str, row: dict[str, Any]) -> None:
        if table == "trajectory" and row["patient"] == "p00000001":
            row["patient"] = "p00000000"

    with pytest.raises(DataError, match="patient p00000000 stands twice in"):
        analysed(tmp_path, change)


def test_an_endpoint_that_lacks_a_patient_is_refused(tmp_path: Path) -> None:
    def change(table: str, row: dict[str, Any]) -> None:
        if table == "use_outcome" and row["use"] == 1 and of(row["trajectory"], "E0", "cache", QWEN, 4):
            row["use"] = 9

    with pytest.raises(DataError, match=r"strict lacks 1 attempted patients in \S+ E0 small cache"):
        analysed(tmp_path, change)


def test_a_family_never_tests_an_endpoint_that_its_condition_does_not_define(tmp_path: Path) -> None:
    paper_scores.write_scores(tmp_path / "scores.duckdb")
    plan = paper_scores.heldout()
    family = plan.families[0].model_copy(update={"endpoint": "stale"})
    with pytest.raises(DataError, match="stale is not defined in E4"):
        analyse(scores=tmp_path, plan=plan.model_copy(update={"families": (family,)}), out=tmp_path)


def test_a_family_never_shrinks_to_the_pipelines_at_hand(tmp_path: Path) -> None:
    def change(table: str, row: dict[str, Any]) -> None:
        if table == "trajectory" and (row["event"], row["pipeline"]) == ("E4", "rebuild"):
            row["pipeline"] = "another"

    with pytest.raises(DataError, match="tests rebuild in E4"):
        analysed(tmp_path, change)


def test_scores_without_a_trajectory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no trajectory"):
        analysed(tmp_path, lambda _table, _row: False)


def test_importing_the_analysis_loads_no_heavy_library() -> None:
    code = "import sys, evrev.statistics.analyse; print({'scipy', 'duckdb', 'polars'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
