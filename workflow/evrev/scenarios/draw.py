"""Who is taken: each plan draws its patients by rule, and a linked plan draws them from other plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evrev.errors import DataError, SettingsError
from evrev.formats.plan import PatientRule, Plan
from evrev.formats.scenario import Event
from evrev.formats.task import TaskContract
from evrev.medication import AliasTable
from evrev.scenarios.cohort import Person, read_cohort
from evrev.scenarios.eligibility import Judge, Patient, Wanted
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.target import Pool

Plans = Callable[[str], Plan]


@dataclass(frozen=True)
class Ask:
    """What a plan asks of one of its strata, or of the batch as a whole, which has no name."""

    stratum: str | None
    rule: PatientRule
    wanted: Wanted

    @property
    def events(self) -> tuple[Event, ...]:
        """The events built for each patient."""
        return self.wanted.events


@dataclass(frozen=True)
class Drawn:
    """The patients of one stratum in order, and what became of everybody who was looked at."""

    ask: Ask
    patients: tuple[Patient, ...]
    considered: int
    eligible: int
    exclusions: dict[str, int]

    @property
    def planned(self) -> int:
        """Patients the plan states; all eligible ones where it states `all`."""
        return self.eligible if self.ask.rule.n == "all" else self.ask.rule.n

    def flow(self, limit: int | None) -> dict[str, Any]:
        """Persons in, excluded by which reason, out."""
        return {
            "partition": self.ask.rule.partition,
            "same_as": self.ask.rule.same_as,
            "unused_by": list(self.ask.rule.unused_by),
            "considered": self.considered,
            "exclusions": self.exclusions,
            "eligible": self.eligible,
            "planned": self.planned,
            "taken": len(self.patients[:limit]),
        }


def asks(plan: Plan) -> tuple[Ask, ...]:
    """What a plan asks, stratum by stratum."""
    large = "large" in plan.sizes
    if plan.patients is not None:
        return (Ask(None, plan.patients, Wanted(plan.events, large=large)),)
    return tuple(
        Ask(s.name, s.patients, Wanted(s.events or plan.events, s.draws, large)) for s in plan.strata
    )


class Ward:
    """The persons of one partition, who of them may be a patient, and from whom donors are drawn."""

    def __init__(
        self, records: Path, partition: str, contract: TaskContract, aliases: AliasTable | None
    ) -> None:
        cohort = read_cohort(records, partition)
        self.persons = cohort.persons
        self.formulary = Formulary(aliases, cohort.order_names)
        self.pool = Pool(cohort.persons, contract.contract_digest)
        self.judge = Judge(self.formulary, self.pool)

    @cached_property
    def by_name(self) -> dict[str, Person]:
        """Persons by the record's own identifier."""
        return {person.person: person for person in self.persons}


class Draws:
    """The draws of all plans over one set of records; each is made once."""

    def __init__(
        self, records: Path, contract: TaskContract, aliases: AliasTable | None, plans: Plans
    ) -> None:
        self._records, self._contract, self._aliases, self._plans = records, contract, aliases, plans
        self._wards: dict[str, Ward] = {}
        self._made: dict[str, tuple[Drawn, ...]] = {}

    def ward(self, partition: str) -> Ward:
        """One partition, read once. DataError for records that cannot be read."""
        if partition not in self._wards:
            self._wards[partition] = Ward(self._records, partition, self._contract, self._aliases)
        return self._wards[partition]

    def draw(self, plan: Plan, _above: tuple[str, ...] = ()) -> tuple[Drawn, ...]:
        """The patients of each stratum of a plan: as many as it states, or all eligible if they are fewer.

        No setting limits them, so that a linked plan finds the same patients whatever a run takes. DataError
        when nobody of the whole plan is eligible; SettingsError for plans that link in a circle.
        """
        if plan.batch not in self._made:
            if plan.batch in _above:
                circle = " -> ".join((*_above, plan.batch))
                raise SettingsError(f"plans take patients from each other in a circle: {circle}")
            drawn = tuple(self._draw(ask, (*_above, plan.batch)) for ask in asks(plan))
            if not any(part.patients for part in drawn):
                raise _nobody(self._records, plan, drawn)
            self._made[plan.batch] = drawn
        return self._made[plan.batch]

    def _draw(self, ask: Ask, above: tuple[str, ...]) -> Drawn:
        ward = self.ward(ask.rule.partition)
        used = {
            person: f"used by {batch}"
            for batch in reversed(ask.rule.unused_by)
            for person in self._of(batch, ask.rule, above)
        }
        considered, eligible, excluded = 0, [], Counter[str]()
        for person in self._candidates(ask.rule, above):
            considered += 1
            found = used.get(person.person) or ward.judge.judge(person, ask.wanted)
            if isinstance(found, str):
                excluded[found] += 1
            else:
                eligible.append(found)
        order = (*(f"used by {batch}" for batch in ask.rule.unused_by), *ask.wanted.reasons)
        exclusions = {reason: excluded[reason] for reason in order if excluded[reason]}
        taken = eligible if ask.rule.n == "all" else eligible[: ask.rule.n]
        return Drawn(ask, tuple(taken), considered, len(eligible), exclusions)

    def _candidates(self, rule: PatientRule, above: tuple[str, ...]) -> Iterator[Person]:
        ward = self.ward(rule.partition)
        if rule.same_as is None:
            yield from ward.persons
        else:
            yield from (ward.by_name[name] for name in self._of(rule.same_as, rule, above))

    def _of(self, batch: str, rule: PatientRule, above: tuple[str, ...]) -> list[str]:
        """The persons another batch takes from the partition of `rule`, in its order."""
        parts = self.draw(self._plans(batch), above)
        taken = [patient for part in parts for patient in part.patients if _same(part.ask.rule, rule)]
        return [patient.target.person.person for patient in taken]


def _same(one: PatientRule, other: PatientRule) -> bool:
    return one.partition == other.partition


def _nobody(records: Path, plan: Plan, drawn: tuple[Drawn, ...]) -> DataError:
    partitions = dict.fromkeys(part.ask.rule.partition for part in drawn)
    excluded = Counter[str]()
    for part in drawn:
        excluded.update(part.exclusions)
    counts = "; ".join(f"{count} x {reason}" for reason, count in excluded.items()) or "no person"
    return DataError(
        f"nobody in partition {' or '.join(partitions)} is eligible for {plan.batch}: {counts}",
        where=records,
        remedy="use whole tables: an extract holds few stays",
    )
