"""Who may enter a batch: one stay that can be rendered and that every event of the plan can be built on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evrev.formats.scenario import Event
from evrev.scenarios.caps import MIN_KEYS, Caps
from evrev.scenarios.cohort import Person, Stay
from evrev.scenarios.documents import base_documents
from evrev.scenarios.events import EVENTS
from evrev.scenarios.events.base import Case
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.target import Pool, Target

GENERIC = (
    "no renderable medication order",
    f"fewer than {MIN_KEYS} unambiguous medication keys on D1",
    "no problem",
    "no laboratory result",
)
"""The reasons that hold for every event, in the order in which they are asked."""


@dataclass(frozen=True, eq=False)
class Patient:
    """An eligible person: the stay that qualified and its case under each event."""

    target: Target
    cases: dict[Event, Case]


def reasons(events: Iterable[Event]) -> tuple[str, ...]:
    """Every reason of exclusion of a plan with these events, in the order in which they are asked."""
    return (*GENERIC, *(EVENTS[event].lacking for event in events))


def judge(
    person: Person, events: tuple[Event, ...], caps: Caps, formulary: Formulary, pool: Pool
) -> Patient | str:
    """The person with their first stay that passes everything, or why there is none.

    The reason is the furthest one that any of their stays came to, in the order of `reasons`.
    """
    order = reasons(events)
    furthest = order[0]
    for stay in person.stays:
        found = _judge_stay(person, stay, events, caps, formulary, pool)
        if isinstance(found, Patient):
            return found
        furthest = max(furthest, found, key=order.index)
    return furthest


def generic_reason(stay: Stay, caps: Caps, formulary: Formulary) -> str | None:
    """Which of the `GENERIC` reasons excludes the stay first, or none."""
    drugs = [formulary.drug(row.name) for row in stay.orders[: caps.orders]]
    keys = {drug.resolved for drug in drugs if not drug.ambiguous}
    passed = (drugs, len(keys) >= MIN_KEYS, stay.problems, stay.results)
    return next((reason for reason, ok in zip(GENERIC, passed, strict=True) if not ok), None)


def _judge_stay(
    person: Person, stay: Stay, events: tuple[Event, ...], caps: Caps, formulary: Formulary, pool: Pool
) -> Patient | str:
    reason = generic_reason(stay, caps, formulary)
    if reason is not None:
        return reason
    target = Target(person, stay, base_documents(stay, caps), formulary)
    cases: dict[Event, Case] = {}
    for event in events:
        case = EVENTS[event].build(target, pool)
        if case is None:
            return EVENTS[event].lacking
        cases[event] = case
    return Patient(target, cases)
