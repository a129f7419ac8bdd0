"""A score database made from the paper's printed figures, written as scoring writes it.

Every held-out cell of Tables 1 to 4 comes out of it: the counts of Table 3, the discordant pairs of Table 2
and the phase means of Table 4, in whole tokens spread over patients so that each mean rounds as printed.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from evrev.formats.plan import Plan, load_plan
from evrev.formats.settings import ROOT, ModelEntry, load_models
from evrev.scoring.database import building

NAMES = {"Qwen": "qwen2.5-7b", "Mistral": "mistral-7b"}
PATIENTS = 20
PAPER = ROOT / "resources" / "paper"

Row = dict[str, str]
Change = Callable[[str, dict[str, Any]], bool | None]


def paper(number: int) -> list[Row]:
    """The rows of one of the paper's tables, as printed."""
    with (PAPER / f"table{number:02}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def heldout() -> Plan:
    """The held-out plan."""
    return load_plan(ROOT / "config" / "batches", "heldout")


def models(kind: str = "real") -> dict[str, ModelEntry]:
    """Both models of the held-out run, or the scripted readers that stand in for them."""
    known = load_models()
    return {name: entry for name, entry in known.items() if entry.kind == kind}


def write_scores(path: Path, *, names: dict[str, str] | None = None, change: Change | None = None) -> None:
    """Write the paper's held-out run to `path`.

    `change` may alter each (table, row) before it is written, and leave it out by returning False.
    """
    names = names or NAMES
    with building(path) as rows:
        for results, costs in zip(paper(3), paper(4), strict=True):
            for table, row in _cell(results, costs, names[results["model"]]):
                if change is None or change(table, row) is not False:
                    rows.add(table, row)


def _cell(results: Row, costs: Row, model: str) -> Iterable[tuple[str, dict[str, Any]]]:
    event, pipeline = results["condition"], results["pipeline"]
    unsupported = _unsupported(results)
    spent = _spent(costs)
    for i in range(PATIENTS):
        name = f"p{i:08x}-{event}-small.{pipeline}.{model}"
        yield "trajectory", trajectory_row(name, i, event, pipeline, model)
        outcome = {
            "strict": i < int(results["strict"]),
            "unsupported_any": i in unsupported,
            "fabricated": i < int(results["fabricated"]),
            "missing": i < int(results["missing"]),
            "stale": i < int(results["stale"]) if results["stale"] else None,
            "retained": i < int(results["retained"]) if results["retained"] else None,
        }
        yield "use_outcome", use_row(name, 0, "medication", **outcome)
        yield "use_outcome", use_row(name, 1, "medication", **outcome)
        listed = i < int(results["dx_frozen_proxy"])
        yield "use_outcome", use_row(name, 2, "problem_list", problem_frozen_proxy=listed)
        for use in range(3):
            yield "call", call_row(name, use)
        for phase, prompt, completion in spent[i]:
            yield "phase_cost", cost_row(name, phase, prompt, completion)


def trajectory_row(name: str, patient: int, event: str, pipeline: str, model: str) -> dict[str, Any]:
    """A complete trajectory."""
    return {
        "id": name,
        "batch": "heldout",
        "scenario": name.split(".")[0],
        "patient": f"p{patient:08x}",
        "partition": "sealed",
        "event": event,
        "size": "small",
        "pipeline": pipeline,
        "model": model,
        "temperature": 0.0,
        "seed": 0,
        "status": "complete",
    }


def use_row(trajectory: str, use: int, task: str, **outcome: bool | None) -> dict[str, Any]:
    """A use whose answer was read and committed."""
    done = {
        "executed": True,
        "format_failure": False,
        "reached_gate": True,
        "accepted": True,
        "capped": False,
    }
    return {"trajectory": trajectory, "use": use, "task": task, **done, "finish_reason": "stop", **outcome}


def call_row(trajectory: str, use: int) -> dict[str, Any]:
    """The call of one use."""
    counted = {"prompt": 1, "completion": 1, "finish_reason": "stop", "parse_status": "strict"}
    phase = "later_uses" if use else "use0"
    named = {"position": use, "name": f"u{use}", "phase": phase, "kind": "use", "use": use}
    return {"trajectory": trajectory, **named, **counted, "repairs": [], "capped": False}


def cost_row(trajectory: str, phase: str, prompt: int, completion: int) -> dict[str, Any]:
    """What one phase cost."""
    return {
        "trajectory": trajectory,
        "phase": phase,
        "calls": 1,
        "prompt": prompt,
        "completion": completion,
        "total": prompt + completion,
    }


def _unsupported(results: Row) -> set[int]:
    """Patients who list a non-allowed drug: those of re-reading first, then apart as Table 2's pairs say."""
    k = int(results["unsupported"])
    tested = {(row["model"], row["pipeline"]): row for row in paper(2)}
    pairs = tested.get((results["model"], results["pipeline"]))
    if pairs is None or results["condition"] != "E4":
        return set(range(k))
    only = int(pairs["disc_memory_only"])
    return set(range(k - only)) | set(range(PATIENTS - only, PATIENTS))


def _spent(costs: Row) -> list[list[tuple[str, int, int]]]:
    """Per patient, (phase, prompt, completion). Parts that miss the printed total by one move 0.35 each."""
    parts = {name: int(costs[name]) for name in ("ingest", "revise", "use_prompt", "use_completion")}
    over = sum(parts.values()) - int(costs["total"])
    patients = []
    for i in range(PATIENTS):
        less = over if i < 7 else 0
        prompt, completion = parts["use_prompt"] - less, parts["use_completion"] - less
        first, rest = prompt // 3, completion // 3
        patients.append(
            [
                ("ingest", parts["ingest"], 0),
                ("use0", first, rest),
                ("revise", parts["revise"], 0),
                ("later_uses", prompt - first, completion - rest),
            ]
        )
    return patients
