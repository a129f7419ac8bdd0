"""Calls and tokens by phase, from call records alone."""

from __future__ import annotations

import pytest
from scoring_builders import make_call

from evrev.errors import DataError
from evrev.formats.trajectory import Usage
from evrev.scoring.cost import PHASES, PhaseCost, phase_costs, phase_of, use_of


def test_a_pipeline_without_memory_pays_for_its_uses_only() -> None:
    costs = phase_costs([make_call("u0"), make_call("u1"), make_call("u2")])
    assert costs == {
        "ingest": PhaseCost(),
        "use0": PhaseCost(1, 100, 10),
        "revise": PhaseCost(),
        "later_uses": PhaseCost(2, 200, 20),
    }


def test_local_repair_calls_fall_into_the_phases_of_the_papers_call_structure() -> None:
    ingest = [make_call(f"e:D{n}@1", "ingest", "extraction", document=f"D{n}") for n in range(1, 5)]
    ingest += [make_call(f"s:D{n}@1", "ingest", "summary", document=f"D{n}") for n in range(1, 5)]
    ingest.append(make_call("G@1", "ingest", "global_summary"))
    rest = [make_call("u0"), make_call("r:G", "revise", "global_summary"), make_call("u1"), make_call("u2")]
    costs = phase_costs([*ingest, *rest])
    assert {phase: cost.calls for phase, cost in costs.items()} == {
        "ingest": 9,
        "use0": 1,
        "revise": 1,
        "later_uses": 2,
    }


def test_no_calls_cost_nothing_in_every_phase() -> None:
    assert phase_costs([]) == dict.fromkeys(PHASES, PhaseCost())


def test_totals_are_prompt_plus_completion_whatever_was_cached() -> None:
    call = make_call("u1", usage=Usage(prompt=70, completion=7, cached=64))
    assert phase_costs([call])["later_uses"].total == 77


def test_use_ten_of_a_sweep_is_a_later_use() -> None:
    call = make_call("u10")
    assert (use_of(call), phase_of(call)) == (10, "later_uses")


def test_calls_that_answer_no_use_have_none() -> None:
    assert use_of(make_call("G@1", "ingest", "global_summary")) is None


def test_a_use_call_of_another_name_is_refused() -> None:
    with pytest.raises(DataError, match="u0, u1"):
        phase_costs([make_call("use-one")])
