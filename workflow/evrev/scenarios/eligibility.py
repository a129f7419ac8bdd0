"""Who may enter a batch: a person with a stay that can be rendered and that every event can be built on.

The stay of a person is the same in every batch, whatever its events: the first that passes the `GENERIC`
reasons and the events that need no strength (`HOME`), or else the first that passes the `GENERIC` ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evrev.formats.scenario import Document, Event
from evrev.scenarios.caps import MIN_KEYS, SMALL, Caps
from evrev.scenarios.cohort import Person, Stay
from evrev.scenarios.documents import base_documents
from evrev.scenarios.events import EVENTS
from evrev.scenarios.events.base import Case
from evrev.scenarios.events.e2 import FINDINGS, e2_finding
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.large import LACKING_LARGE, large_documents
from evrev.scenarios.target import Pool, Target

GENERIC = (
    "no renderable medication order",
    f"fewer than {MIN_KEYS} unambiguous medication keys on D1",
    "no problem",
    "no laboratory result",
)
"""The reasons that hold for every event, in the order in which they are asked."""

HOME: tuple[Event, ...] = ("E0", "E1", "E1b", "E4")
"""The events that decide which stay is a person's."""


ALONE: frozenset[Event] = frozenset({"E1", "E2", "E4"})
"""The events whose drug stands on no document but D4, at any size."""


@dataclass(frozen=True, eq=False)
class Patient:
    """An eligible person: the stay that is theirs and its cases under each event, one per draw."""

    target: Target
    cases: dict[Event, tuple[Case, ...]]


@dataclass(frozen=True)
class Wanted:
    """What a batch builds of each patient: all of it must be possible."""

    events: tuple[Event, ...]
    draws: int = 1
    large: bool = False

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every reason of exclusion, in the order in which they are asked."""
        return (*reasons(self.events), *((LACKING_LARGE,) if self.large else ()))


def added_documents(target: Target, event: Event, case: Case) -> tuple[Document, ...]:
    """What the large size adds to a case."""
    return large_documents(target, alone(event, case))


def alone(event: Event, case: Case) -> str | None:
    """The drug that no document but D4 may name, or none where others may."""
    return case.key if event in ALONE else None


def reasons(events: Iterable[Event]) -> tuple[str, ...]:
    """Every reason of exclusion of the small size with these events, in the order in which they are asked."""
    return (*GENERIC, *(reason for event in events for reason in _reasons_of(event)))


class Judge:
    """Decides for the persons of one partition, and remembers, so that all batches see the same patients."""

    def __init__(self, formulary: Formulary, pool: Pool, caps: Caps = SMALL) -> None:
        self._formulary, self._pool, self._caps = formulary, pool, caps
        self._homes: dict[str, Target | str] = {}
        self._cases: dict[tuple[str, int, Event, int], tuple[Case, ...]] = {}

    def judge(self, person: Person, wanted: Wanted) -> Patient | str:
        """The person as a patient, or the first reason against them.

        Where no stay passes the `GENERIC` reasons, it is the furthest one that any of the stays came to.
        """
        home = self.home(person)
        if isinstance(home, str):
            return home
        cases: dict[Event, tuple[Case, ...]] = {}
        for event in wanted.events:
            cases[event] = self._built(home, event, wanted.draws)
            if len(cases[event]) < wanted.draws:
                return _lacking(event, home)
        built = ((event, case) for event, made in cases.items() for case in made)
        if wanted.large and not all(added_documents(home, *one) for one in built):
            return LACKING_LARGE
        return Patient(home, cases)

    def home(self, person: Person) -> Target | str:
        """The stay that is the person's in every batch, or why there is none."""
        if person.person not in self._homes:
            self._homes[person.person] = self._home(person)
        return self._homes[person.person]

    def _home(self, person: Person) -> Target | str:
        furthest, first = GENERIC[0], None
        for stay in person.stays:
            reason = generic_reason(stay, self._caps, self._formulary)
            if reason is not None:
                furthest = max(furthest, reason, key=GENERIC.index)
                continue
            target = Target(person, stay, base_documents(stay, self._caps), self._formulary)
            if all(self._built(target, event, 1) for event in HOME):
                return target
            first = first or target
        return first or furthest

    def _built(self, target: Target, event: Event, draws: int) -> tuple[Case, ...]:
        at = (target.person.person, target.stay.order, event, draws)
        if at not in self._cases:
            self._cases[at] = self._build(target, event, draws)
        return self._cases[at]

    def _build(self, target: Target, event: Event, draws: int) -> tuple[Case, ...]:
        made: list[Case] = []
        pool = self._pool
        for _ in range(draws):
            case = EVENTS[event].build(target, pool)
            if case is None:
                break
            made.append(case)
            pool = pool.another(case.key)
        return tuple(made)


def _reasons_of(event: Event) -> tuple[str, ...]:
    if event == "E2":
        return tuple(_told(finding) for finding in FINDINGS if finding != "eligible")
    return (EVENTS[event].lacking,)


def _lacking(event: Event, target: Target) -> str:
    return _told(e2_finding(target)) if event == "E2" else EVENTS[event].lacking


def _told(finding: str) -> str:
    return f"E2: {finding.replace('_', ' ')}"


def generic_reason(stay: Stay, caps: Caps, formulary: Formulary) -> str | None:
    """Which of the `GENERIC` reasons excludes the stay first, or none."""
    drugs = [formulary.drug(row.name) for row in stay.orders[: caps.orders]]
    keys = {drug.resolved for drug in drugs if not drug.ambiguous}
    passed = (drugs, len(keys) >= MIN_KEYS, stay.problems, stay.results)
    return next((reason for reason, ok in zip(GENERIC, passed, strict=True) if not ok), None)
