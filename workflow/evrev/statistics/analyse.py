"""Scores to `statistics.json`: every cell's counts with exact intervals, its mean costs, and the tests."""

from __future__ import annotations

from pathlib import Path

from evrev.errors import DataError
from evrev.formats.canonical import write_json
from evrev.formats.plan import Plan
from evrev.statistics.cells import (
    COST_PHASES,
    CellData,
    Coordinates,
    endpoints_of,
    is_defined,
    read_cells,
    scored_uses,
)
from evrev.statistics.families import run_families
from evrev.statistics.intervals import clopper_pearson
from evrev.statistics.result import FILE, CellResult, Count, Statistics, Tokens

# The pipeline that costs are set against (paper, Table 4).
REFERENCE = "reread"


def analyse(*, scores: Path, plan: Plan, out: Path) -> Statistics:
    """Read a batch's scores and write `out`/statistics.json, which is also returned.

    `scores` is the scores file or its folder. Counts are out of attempted trajectories: one that failed, or
    whose answer could not be read, stays in n and never counts as k. Tokens are unrounded means per
    attempted trajectory, ratios are ratios of those means. DataError when the scores hold no trajectory or
    do not agree with themselves.
    """
    path = scores / "scores.duckdb" if scores.is_dir() else scores
    cells = read_cells(path, plan)
    if not cells:
        raise DataError("holds no trajectory", where=path, remedy="run and score the batch first")
    result = Statistics(
        batch=plan.batch,
        role=plan.role,
        models=tuple(sorted({at.model for at in cells})),
        cells=tuple(_with_ratios([_cell(at, cell, plan) for at, cell in cells.items()])),
        tests=tuple(run_families(cells, plan)),
    )
    write_json(out / FILE, result)
    return result


def _cell(at: Coordinates, cell: CellData, plan: Plan) -> CellResult:
    n = len(cell.patients)
    return CellResult(
        **at._asdict(),
        n=n,
        executed=n - cell.failed,
        execution_failures=cell.failed,
        format_failures={task: cell.format_failures[task] for task in scored_uses(plan)},
        unscored_format_failures=cell.unscored_format_failures,
        finish_reasons=dict(sorted(cell.finish_reasons.items())),
        counts={
            name: _count(list(cell.outcomes[name].values())) if is_defined(name, at.event) else None
            for name in endpoints_of(plan)
        },
        tokens=_tokens(cell, n),
    )


def _count(values: list[bool | None]) -> Count:
    k, n = sum(value is True for value in values), len(values)
    lo, hi = clopper_pearson(k, n)
    return Count(k=k, n=n, unset=sum(value is None for value in values), lo=lo, hi=hi)


def _tokens(cell: CellData, n: int) -> Tokens:
    spent = {phase: cell.cost.get(phase, (0, 0, 0)) for phase in COST_PHASES}
    both = {phase: (prompt + completion) / n for phase, (_, prompt, completion) in spent.items()}
    calls, prompts, completions = zip(*spent.values(), strict=True)
    uses = [spent["use0"], spent["later_uses"]]
    return Tokens(
        **both,
        use_prompt=sum(prompt for _, prompt, _ in uses) / n,
        use_completion=sum(completion for _, _, completion in uses) / n,
        total=(sum(prompts) + sum(completions)) / n,
        calls=sum(calls) / n,
    )


def _with_ratios(cells: list[CellResult]) -> list[CellResult]:
    bases = {_group(cell): cell.tokens for cell in cells if cell.pipeline == REFERENCE}
    return [cell.model_copy(update=_ratios(cell, bases.get(_group(cell)))) for cell in cells]


def _group(cell: CellResult) -> tuple[str, str, str, str | None, str | None]:
    return cell.model, cell.event, cell.size, cell.level, cell.stratum


def _ratios(cell: CellResult, base: Tokens | None) -> dict[str, float | None]:
    return {
        f"ratio_{name}": getattr(cell.tokens, name) / getattr(base, name)
        if base and getattr(base, name)
        else None
        for name in ("total", "use_prompt")
    }
