"""The declared families of paired tests: exact McNemar by patient, Holm within a model, no pooling.

Paper: section 5 and App. C. Each pipeline of a family is paired with the reference by patient within one
model, size, level and stratum; the correction runs over the family's pipelines in the order declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evrev.errors import DataError
from evrev.formats.plan import Plan, TestFamily
from evrev.statistics.cells import CellData, Coordinates, Outcomes, is_defined
from evrev.statistics.holm import holm_adjust, holm_rejections, holm_thresholds
from evrev.statistics.mcnemar import mcnemar_exact
from evrev.statistics.pairs import discordant
from evrev.statistics.result import McNemar, PairedTest, Power

# A missing answer is not counted as shown, which for these looks compliant: the worst case is stated too.
HARMS = ("stale", "unsupported", "fabricated", "missing")


class _Pair(NamedTuple):
    """One memory pipeline's and the reference's outcomes, by patient, with every value set."""

    memory: dict[str, bool]
    reference: dict[str, bool]


def run_families(cells: dict[Coordinates, CellData], plan: Plan) -> list[PairedTest]:
    """Every test of every family, in the order of the plan's families, then cells, then pipelines.

    DataError where a family's pipeline or reference has no cell (a test is never dropped, a family never
    shrinks) and where a patient has an outcome on one side only.
    """
    tests: list[PairedTest] = []
    for family in plan.families:
        mine = (at for at in cells if at.event == family.event)
        for place in dict.fromkeys(at._replace(pipeline=family.reference) for at in mine):
            tests += _family(cells, place, family)
    return tests


def first_step_power(family: TestFamily, n: int) -> Power:
    """The smallest b : 0 whose p passes the family's first step at `n` pairs; none when none can."""
    step = family.alpha / (len(family.pipelines) if family.correction == "holm" else 1)
    for pairs in range(1, n + 1):
        p = mcnemar_exact(pairs, 0, family.alternative)
        if p <= step:
            return Power(threshold=step, pairs=pairs, p=p)
    return Power(threshold=step, pairs=None, p=None)


def _family(cells: dict[Coordinates, CellData], place: Coordinates, family: TestFamily) -> list[PairedTest]:
    reference = _outcomes(cells, place, family)
    memory = [_outcomes(cells, place._replace(pipeline=name), family) for name in family.pipelines]
    scored = _numbers([_Pair(_set(m, False), _set(reference, False)) for m in memory], family)
    worst: Sequence[McNemar | None] = [None] * len(memory)
    if family.endpoint in HARMS:
        worst = _numbers([_Pair(_set(m, True), _set(reference, False)) for m in memory], family)
    return [
        PairedTest(
            **numbers.model_dump(),
            **place._replace(pipeline=name)._asdict(),
            family=family.name,
            endpoint=family.endpoint,
            reference=family.reference,
            alternative=family.alternative,
            alpha=family.alpha,
            unset=_unset(outcomes),
            unset_reference=_unset(reference),
            power=first_step_power(family, numbers.n),
            worst_case=against,
        )
        for name, outcomes, numbers, against in zip(family.pipelines, memory, scored, worst, strict=True)
    ]


def _outcomes(cells: dict[Coordinates, CellData], at: Coordinates, family: TestFamily) -> Outcomes:
    if at not in cells:
        raise DataError(
            f"family {family.name!r} tests {at.pipeline} in {at.event}, which the scores of {at.model} lack",
            remedy="finish the run and score it again",
        )
    if not is_defined(family.endpoint, family.event):
        raise DataError(f"family {family.name!r}: {family.endpoint} is not defined in {family.event}")
    return cells[at].outcomes[family.endpoint]


def _numbers(pairs: list[_Pair], family: TestFamily) -> list[McNemar]:
    found = [discordant(pair.memory, pair.reference) for pair in pairs]
    p = [mcnemar_exact(each.b, each.c, family.alternative) for each in found]
    if family.correction == "holm":
        steps, adjusted = holm_thresholds(p, family.alpha), holm_adjust(p)
        rejected = holm_rejections(p, family.alpha)
    else:
        steps, adjusted, rejected = [family.alpha] * len(p), p, [value <= family.alpha for value in p]
    return [
        McNemar(
            n=each.n,
            k=sum(pair.memory.values()),
            k_reference=sum(pair.reference.values()),
            b=each.b,
            c=each.c,
            p=p[i],
            holm_threshold=steps[i],
            holm_adjusted=adjusted[i],
            rejected=rejected[i],
        )
        for i, (pair, each) in enumerate(zip(pairs, found, strict=True))
    ]


def _set(outcomes: Outcomes, missing: bool) -> dict[str, bool]:
    return {patient: missing if value is None else value for patient, value in outcomes.items()}


def _unset(outcomes: Outcomes) -> int:
    return sum(value is None for value in outcomes.values())
