"""From a patient's case to a scenario: which documents it has at each size, and what they support."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evrev.formats.plan import Partition, Plan
from evrev.formats.scenario import Document, Event, Level, Scenario
from evrev.formats.task import TaskContract
from evrev.scenarios.caps import BUILDER
from evrev.scenarios.documents import EVENT_DOCUMENT
from evrev.scenarios.draw import Ask
from evrev.scenarios.eligibility import Patient, added_documents
from evrev.scenarios.events.base import Case
from evrev.scenarios.support import expected_answers, support_classes
from evrev.scenarios.target import Pool


class Part(NamedTuple):
    """One scenario of a patient: its case with the documents that a size, a level or growth adds to it."""

    event: Event
    case: Case
    draw: int
    large: bool = False
    level: Level | None = None
    growth: int | None = None
    added: tuple[Document, ...] = ()

    @property
    def name(self) -> str:
        """What its id says after the patient."""
        draw = f"-{self.draw}" if self.draw > 1 else ""
        size = "large" if self.large else "small"
        level = f"-{self.level}" if self.level else ""
        growth = f"-G{self.growth}" if self.growth else ""
        return f"{self.event}{draw}-{size}{level}{growth}"


def parts_of(patient: Patient, plan: Plan, ask: Ask) -> Iterator[Part]:
    """The scenarios of one patient at the sizes of a plan, by event, draw and size."""
    for event in ask.events:
        for draw, case in enumerate(patient.cases[event], 1):
            for size in plan.sizes:
                large = size == "large"
                added = added_documents(patient.target, event, case) if large else ()
                yield Part(event, case, draw, large=large, added=added)


def scenario(
    patient: Patient, part: Part, partition: Partition, contract: TaskContract, pool: Pool
) -> Scenario:
    """The scenario as it is written."""
    target, case = patient.target, part.case
    documents = (*case.documents, *part.added)
    support = support_classes(documents, case.revision, contract, target.formulary, case.declared)
    draws = pool
    for earlier in patient.cases[part.event][: part.draw - 1]:
        draws = draws.another(earlier.key)
    return Scenario(
        id=f"{target.person.pseudonym}-{part.name}",
        patient=target.person.pseudonym,
        partition=partition,
        event=part.event,
        size="large" if part.large else "small",
        level=part.level,
        growth=part.growth,
        documents=documents,
        event_document=EVENT_DOCUMENT if case.key is not None else None,
        event_key=case.key,
        revision=case.revision,
        support=support,
        expected=expected_answers(support, case.documents[1]),
        task_contract=contract.contract_digest,
        builder=BUILDER,
        seed=draws.seed(target, part.event),
    )
