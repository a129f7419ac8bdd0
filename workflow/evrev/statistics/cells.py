"""Reading a batch's scores: who was attempted in each cell, what each endpoint says, and what it cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evrev.errors import DataError
from evrev.formats.plan import Plan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# An endpoint without an entry is defined in every condition (paper, Table 3).
DEFINED_IN = {"stale": ("E1",), "retained": ("E1b",), "unsupported_event_key": ("E4",)}
NOT_AN_OUTCOME = "tokens"
COST_PHASES = ("ingest", "use0", "revise", "later_uses")

Outcomes = dict[str, bool | None]


class Coordinates(NamedTuple):
    """What names a cell."""

    model: str
    event: str
    size: str
    level: str | None
    stratum: str | None
    pipeline: str


@dataclass
class CellData:
    """One cell as scored. `outcomes` holds endpoint -> patient -> value, none where no answer was read."""

    patients: set[str] = field(default_factory=set)
    failed: int = 0
    format_failures: Counter[str] = field(default_factory=Counter)
    unscored_format_failures: int = 0
    finish_reasons: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Outcomes] = field(default_factory=lambda: defaultdict(dict))
    cost: dict[str, tuple[int, int, int]] = field(default_factory=dict)


def endpoints_of(plan: Plan) -> tuple[str, ...]:
    """The declared endpoints that have an outcome per patient."""
    return tuple(name for name in plan.endpoints if name != NOT_AN_OUTCOME)


def is_defined(endpoint: str, event: str) -> bool:
    """Whether an endpoint means anything in a condition."""
    return event in DEFINED_IN.get(endpoint, (event,))


def scored_uses(plan: Plan) -> dict[str, int]:
    """Task -> the use whose answer its endpoints read: the first one after the revision."""
    uses: dict[str, int] = {}
    for index, task in enumerate(plan.tasks):
        if index > 0:
            uses.setdefault(task, index)
    return uses


def read_cells(path: Path, plan: Plan) -> dict[Coordinates, CellData]:
    """Every cell of a scores file, in the order of the plan.

    DataError when the file is no scores file, when a patient stands twice in a cell, and when an endpoint
    lacks or repeats an attempted patient.
    """
    import duckdb

    if not path.is_file():
        raise DataError("no such file", where=path, remedy="score the batch first")
    try:
        with duckdb.connect(str(path), read_only=True) as scores:
            cells = _attempted(scores, path)
            _failures(scores, cells, scored_uses(plan))
            _costs(scores, cells)
            for endpoint in endpoints_of(plan):
                _outcomes(scores, cells, endpoint, path)
    except duckdb.Error as error:
        raise DataError(
            f"is not a scores file: {error}", where=path, remedy="score the batch again"
        ) from error
    return dict(sorted(cells.items(), key=lambda item: _plan_order(item[0], plan)))


def _plan_order(at: Coordinates, plan: Plan) -> tuple[Any, ...]:
    def rank(name: str, known: tuple[str, ...]) -> tuple[int, str]:
        return (known.index(name) if name in known else len(known), name)

    return (
        at.model,
        rank(at.size, plan.sizes),
        rank(at.level or "", ("", "S", "M", "L", "XL")),
        at.stratum or "",
        rank(at.event, plan.events),
        rank(at.pipeline, plan.pipelines),
    )


def _attempted(scores: DuckDBPyConnection, path: Path) -> dict[Coordinates, CellData]:
    cells: dict[Coordinates, CellData] = {}
    rows = scores.sql(
        "SELECT model, event, size, level, stratum, pipeline, patient, status FROM trajectory"
    ).fetchall()
    for *place, patient, status in rows:
        at = Coordinates(*place)
        cell = cells.setdefault(at, CellData())
        if patient in cell.patients:
            raise DataError(f"patient {patient} stands twice in {_said(at)}", where=path)
        cell.patients.add(patient)
        cell.failed += status != "complete"
    return cells


def _failures(scores: DuckDBPyConnection, cells: dict[Coordinates, CellData], uses: dict[str, int]) -> None:
    unread = """
        SELECT model, event, size, level, stratum, pipeline, u.task, u.use, count(*)
        FROM use_outcome u JOIN trajectory t ON u.trajectory = t.id WHERE u.executed AND u.format_failure
        GROUP BY ALL"""
    for *place, task, use, count in scores.sql(unread).fetchall():
        cell = cells[Coordinates(*place)]
        if uses.get(task) == use:
            cell.format_failures[task] += count
        else:
            cell.unscored_format_failures += count
    finished = """
        SELECT model, event, size, level, stratum, pipeline, c.finish_reason, count(*)
        FROM call c JOIN trajectory t ON c.trajectory = t.id GROUP BY ALL"""
    for *place, reason, count in scores.sql(finished).fetchall():
        cells[Coordinates(*place)].finish_reasons[reason] += count


def _costs(scores: DuckDBPyConnection, cells: dict[Coordinates, CellData]) -> None:
    spent = """
        SELECT model, event, size, level, stratum, pipeline, p.phase,
               sum(p.calls)::BIGINT, sum(p.prompt)::BIGINT, sum(p.completion)::BIGINT
        FROM phase_cost p JOIN trajectory t ON p.trajectory = t.id GROUP BY ALL"""
    for *place, phase, calls, prompt, completion in scores.sql(spent).fetchall():
        cells[Coordinates(*place)].cost[phase] = (calls, prompt, completion)


def _outcomes(
    scores: DuckDBPyConnection, cells: dict[Coordinates, CellData], endpoint: str, path: Path
) -> None:
    columns = "model, event, size, level, stratum, pipeline, patient, value"
    for *place, patient, value in scores.sql(f'SELECT {columns} FROM "endpoint_{endpoint}"').fetchall():
        at = Coordinates(*place)
        found = cells[at].outcomes[endpoint] if at in cells else {}
        if at not in cells or patient not in cells[at].patients or patient in found:
            raise DataError(
                f"endpoint {endpoint}: patient {patient} is out of place in {_said(at)}", where=path
            )
        found[patient] = value
    for at, cell in cells.items():
        if not is_defined(endpoint, at.event):
            cell.outcomes.pop(endpoint, None)
        elif cell.outcomes[endpoint].keys() != cell.patients:
            lacking = len(cell.patients) - len(cell.outcomes[endpoint])
            raise DataError(
                f"endpoint {endpoint} lacks {lacking} attempted patients in {_said(at)}", where=path
            )


def _said(at: Coordinates) -> str:
    return " ".join(part for part in at if part)
