"""Scoring a batch: recorded trajectories in, one database of labelled rows out. No model, no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evrev.errors import DigestError
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.scenario_io import load_scenarios
from evrev.formats.settings import ROOT
from evrev.formats.task import TaskContract, load_task_contract
from evrev.medication import AliasTable
from evrev.scoring.database import building, content_digest
from evrev.scoring.schema import check_endpoints
from evrev.scoring.scorer import Scorer
from evrev.scoring.shards import Roll, planned_trajectories

DATABASE = "scores.duckdb"


def score(
    *,
    scenarios: Path,
    shards: Sequence[Path],
    plan: Plan,
    aliases: AliasTable | None,
    out: Path,
    contract: TaskContract | None = None,
    models: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Write `out`/scores.duckdb from a batch's scenario folder and finished shard folders; return counts.

    `content` among them is a digest of the rows: the file itself carries an identifier of DuckDB's making.
    Every scenario x pipeline x model must be there once. `models` says which models were asked for; without
    it they are those the shards hold. `contract` is resources/task_contract.yaml unless given.

    Nothing is written on an error: DataError if a shard is unfinished or unreadable, or a trajectory is
    missing, doubled or unplanned; DigestError if a trajectory file was altered or ran on another scenario or
    contract; SettingsError if the plan declares an endpoint that is not scored.
    """
    check_endpoints(plan)
    contract = contract or load_task_contract(ROOT / "resources" / "task_contract.yaml")
    known = {scenario.id: scenario for scenario in load_scenarios(scenarios)}
    _check_contract(known, contract)
    scorer = Scorer(plan, contract, aliases)
    tally: Counter[tuple[str, str]] = Counter()
    path = out / DATABASE
    with building(path) as rows:
        for trajectory, scenario in planned_trajectories(shards, Roll(plan, known, models)):
            tally["status", trajectory.status] += 1
            for table, row in scorer.rows(trajectory, scenario):
                rows.add(table, row)
                _count(tally, table, row)
    return {
        "rows": rows.counts,
        "execution_failures": tally["status", "failed"],
        "format_failures": _group(tally, "format_failure"),
        "blocked": tally["blocked", ""],
        "labels": _group(tally, "label"),
        "content": content_digest(path),
    }


def _check_contract(scenarios: Mapping[str, Scenario], contract: TaskContract) -> None:
    for scenario in scenarios.values():
        if scenario.task_contract != contract.contract_digest:
            raise DigestError(
                f"was built under task contract {scenario.task_contract[:12]}, "
                f"the one here is {contract.contract_digest[:12]}",
                where=scenario.id,
                remedy="score with the contract the scenarios were built under",
            )


def _count(tally: Counter[tuple[str, str]], table: str, row: Mapping[str, Any]) -> None:
    if table == "item_label":
        tally["label", row["label"]] += 1
    elif table == "use_outcome":
        tally["format_failure", row["task"]] += row["format_failure"]
        tally["blocked", ""] += row["reached_gate"] and not row["accepted"]


def _group(tally: Counter[tuple[str, str]], group: str) -> dict[str, int]:
    return {name: count for (of, name), count in sorted(tally.items()) if of == group and name}
