"""From per-patient outcomes of two pipelines to the discordant pairs of one test.

A test lives in one cell: everything but the pipeline is the same on both sides. What would pool
conditions, seeds, versions or strata, or count a patient twice, is refused here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from evrev.errors import DataError


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What a test holds fixed. All of it has to be said, so that nothing is pooled by omission."""

    model: str
    condition: str
    size: str
    level: str | None
    stratum: str | None
    seed: int
    version: str


@dataclass(frozen=True)
class Outcome:
    """Whether one unit of one cell succeeded under one pipeline."""

    unit: str
    success: bool
    cell: Cell


@dataclass(frozen=True)
class Pairs:
    """`n` paired units: `b` successes of the first side only, `c` of the second only.

    `unit` names what is paired: the patient, save where a table says otherwise (batch E).
    """

    b: int
    c: int
    n: int
    unit: str = "patient"
    cell: Cell | None = None
    units: frozenset[str] = field(default=frozenset(), repr=False)


def discordant(
    first: Mapping[str, bool], second: Mapping[str, bool], *, unit: str = "patient", cell: Cell | None = None
) -> Pairs:
    """Pair two pipelines' successes by unit.

    DataError where a unit has an outcome on one side only, or an outcome that is neither true nor false.
    """
    lonely = sorted(first.keys() ^ second.keys())
    if lonely:
        raise DataError(
            f"{len(lonely)} of {len(first.keys() | second.keys())} units have an outcome on one side only: "
            f"{_some(lonely)}",
            remedy="score both pipelines on the same units; a failed run counts as a failure, not as absent",
        )
    for outcomes in (first, second):
        for name, success in outcomes.items():
            if success not in (True, False):
                raise DataError(f"the outcome of {unit} {name!r} is {success!r}, neither true nor false")
    b = sum(bool(first[name] and not second[name]) for name in first)
    c = sum(bool(second[name] and not first[name]) for name in first)
    return Pairs(b, c, len(first), unit, cell, frozenset(first))


def pair_outcomes(first: Iterable[Outcome], second: Iterable[Outcome], *, unit: str = "patient") -> Pairs:
    """Pair two pipelines' outcome rows of one cell.

    DataError where a side counts a unit twice, where the rows span more than one cell (the differing
    parts are named), and as `discordant`.
    """
    sides = [list(first), list(second)]
    cell = _one_cell(outcome.cell for side in sides for outcome in side)
    a, b = (_by_unit(side, unit) for side in sides)
    return discordant(a, b, unit=unit, cell=cell)


def _by_unit(outcomes: list[Outcome], unit: str) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for outcome in outcomes:
        if outcome.unit in found:
            raise DataError(
                f"{unit} {outcome.unit!r} appears twice on one side of a test",
                remedy="a test counts each unit once: give it one task, use and pipeline",
            )
        found[outcome.unit] = outcome.success
    return found


def _one_cell(cells: Iterable[Cell]) -> Cell | None:
    distinct = list(dict.fromkeys(cells))
    if len(distinct) > 1:
        mixed = [
            f"{part.name} ({_some(sorted(values))})"
            for part in fields(Cell)
            if len(values := {str(getattr(cell, part.name)) for cell in distinct}) > 1
        ]
        raise DataError(
            f"a test cannot pool: the outcomes mix {', '.join(mixed)}",
            remedy="test each cell by itself, or declare a descriptive_pool or a post_hoc_pool",
        )
    return distinct[0] if distinct else None


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
