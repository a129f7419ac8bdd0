"""Which patients enter which length of a batch, and the scenarios that makes (App. O)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from evrev.formats.plan import Plan
from evrev.formats.scenario import Level
from evrev.scenarios.assemble import Part
from evrev.scenarios.caps import LEVEL_TARGETS
from evrev.scenarios.context import Context, collisions
from evrev.scenarios.draw import Ask
from evrev.scenarios.eligibility import Patient, alone
from evrev.scenarios.growth import by_orders, growth_target
from evrev.scenarios.lengthen import Lengthening
from evrev.scenarios.levels import ByContext, xl_target


class Unit(NamedTuple):
    """One case of a patient, before it is lengthened."""

    patient: Patient
    part: Part

    @property
    def name(self) -> str:
        """The patient's pseudonym."""
        return self.patient.target.person.pseudonym


class Lengths(NamedTuple):
    """The lengthened scenarios of a batch by patient, and who entered what."""

    parts: Mapping[str, Sequence[Part]]
    report: dict[str, Any]


def lengthened(
    plan: Plan, ask: Ask, patients: Sequence[Patient], context: Callable[[Sequence[Patient]], Context]
) -> Lengths:
    """The scenarios of a plan's levels and growth targets.

    All patients the plan draws decide which target XL and growth fall back to, whatever a run takes of them,
    so that a file depends on no limit. A length that nobody reaches has no scenario and is in the report.
    """
    units = [
        Unit(patient, Part(event, case, draw))
        for patient in patients
        for event in ask.events
        for draw, case in enumerate(patient.cases[event], 1)
    ]
    parts: dict[str, list[Part]] = defaultdict(list)
    report: dict[str, Any] = {}
    if plan.levels:
        found = context(patients)
        records = [(unit, _by_context(unit, found)) for unit in units]
        targets = {level: _target(level, [record for _, record in records]) for level in plan.levels}
        report["context_tables_absent"] = list(found.absent)
        report["levels"] = {
            level: _enter(records, target, _level_part(level), parts, context=True)
            for level, target in targets.items()
        }
    if plan.growth:
        grown = [(unit, _by_orders(unit)) for unit in units]
        fallen = {asked: growth_target(asked, [record for _, record in grown]) for asked in plan.growth}
        report["growth"] = {
            str(asked): _enter(grown, target, _growth_part, parts, context=False)
            for asked, target in fallen.items()
        }
    return Lengths(parts, report)


def _by_context(unit: Unit, context: Context) -> ByContext:
    return ByContext(unit.name, unit.part.case, context.days(unit.patient.target.stay))


def _by_orders(unit: Unit) -> Lengthening:
    return by_orders(unit.patient.target, unit.part.case, alone(unit.part.event, unit.part.case))


def _target(level: Level, records: Sequence[Lengthening]) -> int | None:
    """Tokens of a level; 0 for S, which is the small scenario; none for an XL that too few reach."""
    if level == "S":
        return 0
    return xl_target(records) if level == "XL" else LEVEL_TARGETS[level]


def _level_part(level: Level) -> Callable[[Part, int], Part]:
    return lambda part, _target: part._replace(level=level)


def _growth_part(part: Part, target: int) -> Part:
    return part._replace(growth=target)


def _enter(
    records: Sequence[tuple[Unit, Lengthening]],
    target: int | None,
    made: Callable[[Part, int], Part],
    parts: dict[str, list[Part]],
    *,
    context: bool,
) -> dict[str, Any]:
    """Add the scenarios of those who reach a target to `parts`, and tell who they are and who is out.

    Of `context`, which no task may use, also which medication keys it happens to hold.
    """
    inside: dict[str, int] = {}
    out = Counter[str]()
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    for unit, record in records:
        if target is None:
            out["too few patients reach it"] += 1
            continue
        filled = record.to(target)
        if target and filled.reason is not None:
            out[filled.reason] += 1
            continue
        case = unit.part.case
        added = filled.documents[len(case.documents) :] if target else ()
        parts[unit.name].append(made(unit.part._replace(added=added), target))
        inside[unit.name] = filled.tokens
        for hit in collisions(added, unit.patient.target.formulary.known) if context else ():
            hits[hit.key][hit.title.split(",")[0]] += hit.lines
    told: dict[str, Any] = {
        "target": target or None,
        "patients": list(inside),
        "tokens": inside,
        "out": dict(out),
    }
    if context:
        told["collisions"] = {key: dict(lines) for key, lines in sorted(hits.items())}
    return told
