"""The columns of the score tables, and the view each endpoint is read from."""

from __future__ import annotations

from dataclasses import dataclass, fields

from evrev.errors import SettingsError, nearest
from evrev.formats.plan import Plan
from evrev.formats.scenario import Task
from evrev.scoring.endpoints import MedicationOutcome
from evrev.scoring.problem_list import RULES

MEDICATION = tuple(f.name for f in fields(MedicationOutcome))
PROBLEM = tuple(f"problem_{rule}" for rule in RULES)

TABLES: dict[str, dict[str, str]] = {
    "trajectory": {
        "id": "VARCHAR NOT NULL",
        "batch": "VARCHAR NOT NULL",
        "scenario": "VARCHAR NOT NULL",
        "patient": "VARCHAR NOT NULL",
        "partition": "VARCHAR NOT NULL",
        "stratum": "VARCHAR",
        "event": "VARCHAR NOT NULL",
        "size": "VARCHAR NOT NULL",
        "level": "VARCHAR",
        "pipeline": "VARCHAR NOT NULL",
        "model": "VARCHAR NOT NULL",
        "temperature": "DOUBLE NOT NULL",
        "seed": "BIGINT NOT NULL",
        "status": "VARCHAR NOT NULL",
        "failure_kind": "VARCHAR",
        "failure_message": "VARCHAR",
        "invalidated": "INTEGER",
        "rebuilt": "INTEGER",
        "store": "VARCHAR",
    },
    "use_outcome": {
        "trajectory": "VARCHAR NOT NULL",
        "use": "INTEGER NOT NULL",
        "task": "VARCHAR NOT NULL",
        "executed": "BOOLEAN NOT NULL",
        "format_failure": "BOOLEAN NOT NULL",
        "reached_gate": "BOOLEAN NOT NULL",
        "accepted": "BOOLEAN NOT NULL",
        "capped": "BOOLEAN NOT NULL",
        "parse_status": "VARCHAR",
        "finish_reason": "VARCHAR",
        "n_items": "INTEGER",
        **dict.fromkeys(MEDICATION, "BOOLEAN"),
        **{f"{name}_no_alias": "BOOLEAN" for name in MEDICATION},
        **dict.fromkeys(PROBLEM, "BOOLEAN"),
    },
    "item_label": {
        "trajectory": "VARCHAR NOT NULL",
        "use": "INTEGER NOT NULL",
        "scorer": "VARCHAR NOT NULL",
        "position": "INTEGER NOT NULL",
        "item": "VARCHAR NOT NULL",
        "key": "VARCHAR",
        "resolved": "VARCHAR",
        "label": "VARCHAR NOT NULL",
        "label_no_alias": "VARCHAR",
        "reason": "VARCHAR NOT NULL",
    },
    "call": {
        "trajectory": "VARCHAR NOT NULL",
        "position": "INTEGER NOT NULL",
        "name": "VARCHAR NOT NULL",
        "phase": "VARCHAR NOT NULL",
        "kind": "VARCHAR NOT NULL",
        "document": "VARCHAR",
        "use": "INTEGER",
        "prompt": "BIGINT NOT NULL",
        "completion": "BIGINT NOT NULL",
        "cached": "BIGINT",
        "finish_reason": "VARCHAR NOT NULL",
        "parse_status": "VARCHAR NOT NULL",
        "repairs": "VARCHAR[]",
        "capped": "BOOLEAN NOT NULL",
    },
    "phase_cost": {
        "trajectory": "VARCHAR NOT NULL",
        "phase": "VARCHAR NOT NULL",
        "calls": "INTEGER NOT NULL",
        "prompt": "BIGINT NOT NULL",
        "completion": "BIGINT NOT NULL",
        "total": "BIGINT NOT NULL",
    },
}


@dataclass(frozen=True)
class Endpoint:
    """Where an endpoint is read: a column of `use_outcome` on one use of one task."""

    column: str
    task: Task = "medication"
    use: int = 1


# The medication list is read on the first use after the revision and the problem list on the one after it, in
# every event and also where a sweep repeats the medication task.
ENDPOINTS: dict[str, Endpoint] = {
    "strict": Endpoint("strict"),
    "stale": Endpoint("stale"),
    "retained": Endpoint("retained"),
    "unsupported": Endpoint("unsupported_any"),
    "unsupported_event_key": Endpoint("unsupported_event_key"),
    "fabricated": Endpoint("fabricated"),
    "missing": Endpoint("missing"),
    "problem_list": Endpoint("problem_frozen_proxy", "problem_list", 2),
}
# A plan also declares what is no yes-or-no answer of a use; it is read from `phase_cost`.
COSTS = ("tokens",)


def check_endpoints(plan: Plan) -> None:
    """SettingsError for a declared endpoint that is not scored, or whose use the plan does not ask for."""
    known = (*ENDPOINTS, *COSTS)
    for name in plan.endpoints:
        if name not in known:
            raise SettingsError(
                f"no endpoint {name!r}{nearest(name, known)}",
                where=f"plan {plan.batch}",
                remedy=f"endpoints: {', '.join(known)}",
            )
        endpoint = ENDPOINTS.get(name)
        if endpoint and dict(enumerate(plan.tasks)).get(endpoint.use) != endpoint.task:
            raise SettingsError(
                f"endpoint {name!r} is read on use {endpoint.use}, which is no {endpoint.task} task",
                where=f"plan {plan.batch}",
                remedy="tasks: the task of use 0, use 1, use 2 ...",
            )


def view_sql(endpoint: Endpoint) -> str:
    """The SELECT behind an endpoint's view: a row per trajectory that has the use; NULL where not set."""
    return f"""
        SELECT t.model, t.event, t.size, t.level, t.stratum, t.pipeline, t.patient,
            u.{endpoint.column} AS value
        FROM use_outcome u JOIN trajectory t ON t.id = u.trajectory
        WHERE u.use = {endpoint.use} AND u.task = '{endpoint.task}'
        ORDER BY ALL"""
