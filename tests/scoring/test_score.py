"""Scoring a batch: what is checked before, what the tables hold, and what the endpoint views give."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from scoring_builders import (
    ASPIRIN,
    METOPROLOL,
    PATHS,
    PERFECT,
    VANCOMYCIN,
    make_call,
    make_plan,
    make_scenario,
    make_trajectory,
    perfect,
    seal,
    write_scenarios,
    write_shard,
)

from evrev.errors import DataError, DigestError, SettingsError
from evrev.formats.canonical import digest_file
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.trajectory import Failure, Trajectory
from evrev.formats.trajectory_io import NAME, read_trajectories, write_trajectories
from evrev.medication import load_aliases
from evrev.scoring.database import connect, content_digest
from evrev.scoring.schema import ENDPOINTS, TABLES
from evrev.scoring.score import DATABASE, score

PLAN = make_plan()
ONE = make_plan(pipelines=("reread",))
ALIASES = load_aliases()


def run(
    folder: Path,
    scenarios: Iterable[Scenario],
    trajectories: Iterable[Trajectory],
    plan: Plan = ONE,
    **options: Any,
) -> Path:
    """Score trajectories from one shard; the database."""
    folder.mkdir(exist_ok=True)
    inputs = write_scenarios(folder / "scenarios", scenarios)
    shard = write_shard(folder / "shard", trajectories)
    (folder / "out").mkdir()
    score(
        scenarios=inputs,
        shards=[shard],
        plan=plan,
        out=folder / "out",
        **{"aliases": ALIASES} | options,
    )
    return folder / "out" / DATABASE


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with connect(path, read_only=True) as db:
        return db.execute(sql).fetchall()


def use(path: Path, index: int, *columns: str) -> tuple[Any, ...]:
    (found,) = rows(path, f"SELECT {', '.join(columns)} FROM use_outcome WHERE use = {index}")
    return found


def test_a_batch_answered_perfectly_is_strict_in_every_cell(tmp_path: Path) -> None:
    scenarios = [make_scenario(e, patient=p) for p in ("p1", "p2") for e in PLAN.events]
    made = [make_trajectory(s, pipeline=p, model=m) for m in "ab" for s in scenarios for p in PLAN.pipelines]
    path = run(tmp_path, scenarios, made, PLAN)
    for view in ("strict", "problem_list"):
        assert rows(path, f"SELECT count(*), count_if(value) FROM endpoint_{view}") == [(40, 40)]
    for view in ("unsupported", "fabricated", "missing"):
        assert rows(path, f"SELECT count(*), count_if(value) FROM endpoint_{view}") == [(40, 0)]
    assert rows(path, "SELECT event FROM endpoint_stale WHERE value IS NOT NULL GROUP BY event") == [("E1",)]
    assert rows(path, "SELECT event, count_if(value) FROM endpoint_retained WHERE value GROUP BY event") == [
        ("E1b", 8)
    ]
    named = "SELECT DISTINCT event FROM endpoint_unsupported_event_key WHERE value IS NOT NULL"
    assert rows(path, named) == [("E4",)]


def test_every_declared_table_and_view_is_there_and_typed(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    path = run(tmp_path, [scenario], [make_trajectory(scenario)])
    with connect(path, read_only=True) as db:
        for table, columns in TABLES.items():
            described = db.execute(f'DESCRIBE "{table}"').fetchall()
            assert {row[0]: row[1] for row in described} == {
                name: kind.removesuffix(" NOT NULL") for name, kind in columns.items()
            }
        for name in ENDPOINTS:
            described = db.execute(f"DESCRIBE endpoint_{name}").fetchall()
            assert [row[0] for row in described] == [
                "model",
                "event",
                "size",
                "level",
                "stratum",
                "pipeline",
                "patient",
                "value",
            ]


def test_medication_is_read_on_use_1_and_the_problem_list_on_use_2(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    made = make_trajectory(scenario, answers=[[], PERFECT, []])
    path = run(tmp_path, [scenario], [made])
    assert rows(path, "SELECT value FROM endpoint_strict") == [(True,)]
    assert rows(path, "SELECT value FROM endpoint_problem_list") == [(False,)]
    assert use(path, 0, "strict", "missing") == (False, True)


def test_stale_is_kept_for_every_use_and_counted_on_use_1(tmp_path: Path) -> None:
    plan = make_plan(pipelines=("reread",), tasks=("medication",) * 3, endpoints=("stale",))
    scenario = make_scenario("E1")
    stale = (*PERFECT, VANCOMYCIN)
    path = run(
        tmp_path, [scenario], [make_trajectory(scenario, answers=[stale, PERFECT, stale], plan=plan)], plan
    )
    assert rows(path, "SELECT use, stale FROM use_outcome ORDER BY use") == [(0, None), (1, False), (2, True)]
    assert rows(path, "SELECT value FROM endpoint_stale") == [(False,)]
    assert rows(path, "SELECT * FROM endpoint_problem_list") == []


@pytest.mark.parametrize(
    ("items", "finish"), [(None, "stop"), (PERFECT, "length"), (None, "length"), (None, "content_filter")]
)
def test_a_format_failure_stays_in_the_denominator_and_sets_no_list_error(
    tmp_path: Path, items: Any, finish: str
) -> None:
    scenario = make_scenario("E1b")
    made = make_trajectory(scenario, answers=[PERFECT, items, PATHS], finish={1: finish})
    path = run(tmp_path, [scenario], [made])
    assert use(path, 1, "executed", "format_failure", "reached_gate") == (True, True, True)
    assert use(path, 1, "strict", "retained", "unsupported_any", "fabricated", "missing", "stale") == (
        False,
        False,
        None,
        None,
        None,
        None,
    )
    assert use(path, 1, "finish_reason", "capped") == (finish, finish == "length")
    assert rows(path, "SELECT value FROM endpoint_strict") == [(False,)]
    assert rows(path, "SELECT count(*) FROM item_label WHERE use = 1") == [(0,)]


def test_a_format_failure_of_the_problem_list_fails_it(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    path = run(tmp_path, [scenario], [make_trajectory(scenario, answers=[PERFECT, PERFECT, None])])
    assert use(path, 2, "format_failure", "problem_frozen_proxy", "strict") == (True, False, None)


def test_an_empty_list_is_readable_and_not_a_format_failure(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    path = run(tmp_path, [scenario], [make_trajectory(scenario, answers=[[], [], []])])
    assert use(path, 1, "format_failure", "n_items", "strict", "missing") == (False, 0, False, True)
    assert use(path, 2, "format_failure", "n_items", "problem_frozen_proxy") == (False, 0, False)


def test_an_execution_failure_keeps_a_row_for_every_planned_use(tmp_path: Path) -> None:
    scenario = make_scenario("E1b")
    failure = Failure(kind="context_overflow", message="too long")
    made = make_trajectory(scenario, answers=[PERFECT], failure=failure)
    path = run(tmp_path, [scenario], [made])
    assert rows(path, "SELECT use, task, executed FROM use_outcome ORDER BY use") == [
        (0, "medication", True),
        (1, "medication", False),
        (2, "problem_list", False),
    ]
    names = ("format_failure", "reached_gate", "accepted", "strict", "retained", "stale", "missing")
    assert use(path, 1, *names) == (False, False, False, False, False, None, None)
    assert use(path, 2, "problem_frozen_proxy") == (False,)
    assert rows(path, "SELECT status, failure_kind FROM trajectory") == [("failed", "context_overflow")]


def test_a_blocked_use_reached_the_gate_and_is_no_success(tmp_path: Path) -> None:
    scenario = make_scenario("E1")
    made = make_trajectory(scenario, answers=[PERFECT, (*PERFECT, VANCOMYCIN), PATHS], blocked=[1, 2])
    path = run(tmp_path, [scenario], [made])
    assert use(path, 1, "reached_gate", "accepted", "strict", "stale", "stale_listed") == (
        True,
        False,
        False,
        False,
        True,
    )
    assert use(path, 2, "reached_gate", "accepted", "problem_frozen_proxy") == (True, False, False)


def test_every_item_has_a_label_with_a_reason(tmp_path: Path) -> None:
    scenario = make_scenario("E1")
    made = make_trajectory(scenario, answers=[PERFECT, [ASPIRIN, VANCOMYCIN, "warfarin"], ["gout", *PATHS]])
    path = run(tmp_path, [scenario], [made])
    found = rows(path, "SELECT position, key, label, reason FROM item_label WHERE use = 1 ORDER BY position")
    assert [row[:3] for row in found] == [
        (0, "aspirin", "expected"),
        (1, "vancomycin", "stale"),
        (2, "warfarin", "fabricated"),
    ]
    assert all(row[3] for row in found)
    assert rows(path, "SELECT label FROM item_label WHERE use = 2 ORDER BY position") == [
        ("unmatched",),
        ("matched",),
        ("matched",),
    ]


def test_both_readings_of_names_are_kept_and_aliases_can_be_switched_off(tmp_path: Path) -> None:
    scenario = make_scenario("E1")
    made = [make_trajectory(scenario, answers=[PERFECT, [ASPIRIN, METOPROLOL, "ondansetron"], PATHS])]
    on = run(tmp_path / "on", [scenario], made)
    off = run(tmp_path / "off", [scenario], made, aliases=None)
    assert use(on, 1, "strict", "strict_no_alias", "fabricated_no_alias") == (True, False, True)
    assert use(off, 1, "strict", "strict_no_alias") == (False, False)


def test_costs_and_calls_are_recorded_call_by_call(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    calls = [make_call(f"e:D{n}@1", "ingest", "extraction", document=f"D{n}") for n in (1, 2, 3)]
    made = make_trajectory(scenario, calls=calls)
    path = run(tmp_path, [scenario], [made])
    assert rows(path, "SELECT phase, calls, prompt, completion, total FROM phase_cost ORDER BY phase") == [
        ("ingest", 3, 300, 30, 330),
        ("later_uses", 2, 200, 20, 220),
        ("revise", 0, 0, 0, 0),
        ("use0", 1, 100, 10, 110),
    ]
    assert rows(path, 'SELECT name, phase, "use" FROM "call" ORDER BY position')[2:4] == [
        ("e:D3@1", "ingest", None),
        ("u0", "use0", 0),
    ]


def test_the_counts_returned_say_what_was_scored(tmp_path: Path) -> None:
    scenario = make_scenario("E1")
    folder = write_scenarios(tmp_path / "s", [scenario])
    shard = write_shard(
        tmp_path / "t", [make_trajectory(scenario, answers=[PERFECT, None, PATHS], blocked=[2])]
    )
    (tmp_path / "o").mkdir()
    counts = score(scenarios=folder, shards=[shard], plan=ONE, aliases=ALIASES, out=tmp_path / "o")
    assert counts["rows"]["use_outcome"] == 3
    assert counts["format_failures"] == {"medication": 1, "problem_list": 0}
    assert (counts["blocked"], counts["execution_failures"]) == (1, 0)
    assert counts["labels"]["matched"] == 2
    assert [p.name for p in (tmp_path / "o").iterdir()] == [DATABASE]


def test_scoring_again_gives_the_same_content_whatever_the_order_of_the_shards(tmp_path: Path) -> None:
    scenarios = [make_scenario(event) for event in PLAN.events]
    folder = write_scenarios(tmp_path / "s", scenarios)
    shards = [write_shard(tmp_path / m, [make_trajectory(s, model=m) for s in scenarios]) for m in ("a", "b")]
    found = []
    for name, order in (("one", shards), ("other", shards[::-1])):
        (tmp_path / name).mkdir()
        score(scenarios=folder, shards=order, plan=ONE, aliases=ALIASES, out=tmp_path / name)
        found.append(content_digest(tmp_path / name / DATABASE))
    assert found[0] == found[1]


def test_another_answer_gives_other_content(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    one = run(tmp_path / "a", [scenario], [make_trajectory(scenario)])
    other = run(
        tmp_path / "b", [scenario], [make_trajectory(scenario, answers=[PERFECT, PERFECT, PATHS[:1]])]
    )
    assert content_digest(one) != content_digest(other)


class Fixture:
    """A finished shard of one E1 trajectory, to be spoiled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scenario = make_scenario("E1")
        self.scenarios = write_scenarios(folder / "scenarios", [self.scenario])
        self.shard = write_shard(folder / "shard", [make_trajectory(self.scenario)])
        self.out = folder / "out"
        self.out.mkdir()

    def rewrite(self, *trajectories: Trajectory) -> None:
        write_trajectories(self.shard / NAME, trajectories)
        seal(self.shard)

    def score(self, plan: Plan = ONE, **options: Any) -> None:
        given: dict[str, Any] = {"shards": [self.shard]} | options
        score(scenarios=self.scenarios, plan=plan, aliases=ALIASES, out=self.out, **given)

    def refuses(self, kind: type[Exception], match: str, plan: Plan = ONE, **options: Any) -> None:
        with pytest.raises(kind, match=match):
            self.score(plan, **options)
        assert list(self.out.iterdir()) == []


@pytest.fixture
def made(tmp_path: Path) -> Fixture:
    return Fixture(tmp_path)


def test_a_trajectory_file_edited_by_hand_is_named_before_scoring(made: Fixture) -> None:
    (read,) = read_trajectories(made.shard / NAME)
    edited = read.model_copy(update={"status": "failed"})
    write_trajectories(made.shard / NAME, [edited])
    made.refuses(DigestError, r"shard/trajectories\.jsonl\.zst: altered after the run")


def test_one_flipped_byte_is_enough(made: Fixture) -> None:
    path = made.shard / NAME
    before = digest_file(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    made.refuses(DigestError, before[:12])


def test_a_shard_without_a_manifest_is_not_finished(made: Fixture) -> None:
    (made.shard / "manifest.json").unlink()
    made.refuses(DataError, "not finished")


def test_a_shard_without_its_trajectories_is_not_finished(made: Fixture) -> None:
    (made.shard / NAME).unlink()
    made.refuses(DataError, "not finished")


def test_a_manifest_that_is_none_is_named(made: Fixture) -> None:
    (made.shard / "manifest.json").write_text("{}")
    made.refuses(DigestError, r"manifest\.json: is no manifest")


def test_a_missing_trajectory_is_named(made: Fixture) -> None:
    made.refuses(DataError, r"1 of 2 trajectories are missing: p00000001-E1-small\.cache\.m1", PLAN)


def test_no_trajectory_at_all_is_an_error(made: Fixture) -> None:
    made.rewrite()
    made.refuses(DataError, "missing")
    made.refuses(DataError, "missing", shards=[])


def test_a_model_that_was_asked_for_and_has_no_shard_is_missing(made: Fixture) -> None:
    made.score(models=["m1"])
    (made.out / DATABASE).unlink()
    made.refuses(DataError, r"missing: .*reread\.m2", models=["m1", "m2"])
    made.refuses(DataError, "not asked for", models=["m2"])


def test_a_doubled_trajectory_is_named(made: Fixture) -> None:
    made.refuses(DataError, "reread.m1: stands twice", shards=[made.shard, made.shard])


def test_a_trajectory_of_another_batch_scenario_or_pipeline_is_refused(made: Fixture) -> None:
    one = make_trajectory(made.scenario)
    made.rewrite(one.model_copy(update={"batch": "other"}))
    made.refuses(DataError, "batch other")
    made.rewrite(one.model_copy(update={"scenario": "q"}))
    made.refuses(DataError, "scenario q is not in the batch")
    made.rewrite(one, make_trajectory(made.scenario, pipeline="selector"))
    made.refuses(DataError, "no pipeline selector")


def test_a_trajectory_that_ran_on_another_version_of_its_scenario_is_named(made: Fixture) -> None:
    made.rewrite(make_trajectory(made.scenario, scenario_digest="f" * 64))
    made.refuses(DigestError, r"reread\.m1: ran on scenario digest ffffffffffff")


def test_a_scenario_edited_after_the_run_is_named(made: Fixture) -> None:
    path = made.scenarios / f"{made.scenario.id}.json"
    path.write_text(path.read_text().replace("81 MG", "82 MG"))
    made.refuses(DigestError, "ran on scenario digest")


def test_scenarios_of_another_task_contract_are_refused(made: Fixture) -> None:
    path = made.scenarios / f"{made.scenario.id}.json"
    path.write_text(path.read_text().replace(made.scenario.task_contract, "e" * 64))
    made.refuses(DigestError, "task contract eeeeeeeeeeee")


def test_a_complete_trajectory_with_too_few_uses_is_refused(made: Fixture) -> None:
    made.rewrite(make_trajectory(made.scenario, answers=[PERFECT, PERFECT]))
    made.refuses(DataError, "has 2 uses, the plan asks 3")


def test_a_use_of_another_task_than_the_plan_asks_is_refused(made: Fixture) -> None:
    tasks = ("medication", "problem_list", "medication")
    plan = make_plan(pipelines=("reread",), tasks=tasks, endpoints=())
    made.refuses(DataError, "not what the plan asks", plan)


def test_a_plan_that_declares_an_unknown_endpoint_is_refused(made: Fixture) -> None:
    plan = make_plan(pipelines=("reread",), endpoints=("strikt",))
    made.refuses(SettingsError, "did you mean 'strict'", plan)


def test_a_plan_that_declares_an_endpoint_of_a_use_it_does_not_ask_for_is_refused(made: Fixture) -> None:
    plan = make_plan(pipelines=("reread",), tasks=("medication", "medication"), endpoints=("problem_list",))
    made.refuses(SettingsError, "'problem_list' is read on use 2, which is no problem_list task", plan)


def test_an_empty_scenario_folder_is_an_error(made: Fixture) -> None:
    shutil.rmtree(made.scenarios)
    made.refuses(DataError, "scenarios: ")


def test_odd_text_in_items_survives_into_the_tables(tmp_path: Path) -> None:
    scenario = make_scenario("E0")
    odd = ["\x00", "a'b\"c\\", "\u2028é", "x" * 100_000, "<script>alert(1)</script>", "{" * 10_000]
    path = run(tmp_path, [scenario], [make_trajectory(scenario, answers=[PERFECT, odd, odd])])
    for index in (1, 2):
        found = rows(path, f"SELECT item FROM item_label WHERE use = {index} ORDER BY position")
        assert [item for (item,) in found] == odd


@pytest.mark.parametrize("corruption", ["drop", "add", "stale", "swap"])
def test_a_perfect_answer_corrupted_is_no_longer_strict(tmp_path: Path, corruption: str) -> None:
    scenario = make_scenario("E1")
    items = list(perfect(scenario, 1))
    changed = {
        "drop": items[1:],
        "add": [*items, "digoxin 0.25 MG"],
        "stale": [*items, VANCOMYCIN],
        "swap": [*items[1:], "digoxin 0.25 MG"],
    }[corruption]
    path = run(tmp_path, [scenario], [make_trajectory(scenario, answers=[items, changed, PATHS])])
    assert rows(path, "SELECT value FROM endpoint_strict") == [(False,)]
