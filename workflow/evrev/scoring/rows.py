"""Rows that restate a record: the trajectory, how each use ended, its calls and their cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evrev.formats.scenario import Scenario
from evrev.formats.trajectory import Trajectory, Use
from evrev.scoring.cost import phase_costs, phase_of, use_of

Row = tuple[str, dict[str, Any]]


def use_fields(use: Use | None, finish: str | None) -> dict[str, Any]:
    """Whether a use ran, could be read, reached the gate and passed it; `finish` is how its call ended."""
    # An answer cut at the output cap is a format failure even where a repair left items standing.
    cut = finish == "length"
    return {
        "executed": use is not None,
        "format_failure": use is not None and (use.items is None or cut),
        "reached_gate": use is not None,
        "accepted": use is not None and use.commit == "accepted",
        "capped": use is not None and (use.parse.capped or cut),
        "parse_status": use.parse.status if use else None,
        "finish_reason": finish,
        "n_items": len(use.items) if use and use.items is not None else None,
    }


def trajectory_row(trajectory: Trajectory, scenario: Scenario) -> dict[str, Any]:
    """The `trajectory` row; what the scenario states is taken from the scenario."""
    failure, revision = trajectory.failure, trajectory.revision
    return {
        "id": trajectory.id,
        "batch": trajectory.batch,
        "scenario": scenario.id,
        "patient": scenario.patient,
        "partition": scenario.partition,
        "stratum": trajectory.stratum,
        "event": scenario.event,
        "size": scenario.size,
        "level": scenario.level,
        "pipeline": trajectory.pipeline,
        "model": trajectory.model,
        "temperature": trajectory.decoding.temperature,
        "seed": trajectory.decoding.seed,
        "status": trajectory.status,
        "failure_kind": failure.kind if failure else None,
        "failure_message": failure.message if failure else None,
        "invalidated": len(revision.invalidated) if revision else None,
        "rebuilt": len(revision.rebuilt) if revision else None,
        "store": trajectory.store,
    }


def call_rows(trajectory: Trajectory) -> Iterator[Row]:
    """The `call` rows in logical order, and a `phase_cost` row per phase."""
    for position, call in enumerate(trajectory.calls):
        yield (
            "call",
            {
                "trajectory": trajectory.id,
                "position": position,
                "name": call.name,
                "phase": phase_of(call),
                "kind": call.kind,
                "document": call.document,
                "use": use_of(call),
                "prompt": call.usage.prompt,
                "completion": call.usage.completion,
                "cached": call.usage.cached,
                "finish_reason": call.finish_reason,
                "parse_status": call.parse.status,
                "repairs": call.parse.repairs,
                "capped": call.parse.capped or call.finish_reason == "length",
            },
        )
    for phase, cost in phase_costs(trajectory.calls).items():
        yield (
            "phase_cost",
            {"trajectory": trajectory.id, "phase": phase, **vars(cost), "total": cost.total},
        )
