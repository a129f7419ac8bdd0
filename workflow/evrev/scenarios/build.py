"""Scenarios: records in, one JSON file per patient and event out, with who was taken and who was left out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evrev.errors import DataError, EvrevError
from evrev.formats.canonical import write_json
from evrev.formats.plan import Plan
from evrev.formats.scenario import Event, Scenario
from evrev.formats.task import TaskContract
from evrev.scenarios.caps import BUILDER, SMALL
from evrev.scenarios.cohort import read_cohort
from evrev.scenarios.documents import EVENT_DOCUMENT
from evrev.scenarios.eligibility import Patient, judge, reasons
from evrev.scenarios.events import EVENTS
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.support import expected_answers, support_classes
from evrev.scenarios.target import Pool

if TYPE_CHECKING:
    from evrev.medication import AliasTable


def build_scenarios(
    *,
    records: Path,
    plan: Plan,
    contract: TaskContract,
    aliases: AliasTable | None,
    limit: int | None,
    out: Path,
) -> dict[str, Any]:
    """Write the scenarios of a plan into the empty folder `out` and return the report (also patients.json).

    Every person of the plan's partition is judged in hash order; the first `plan.patients.n` eligible ones
    are taken, or the first `limit` if that is fewer. A patient's files do not depend on how many are taken.
    EvrevError for an event or size that is not built yet; DataError for unreadable records and when nobody
    is eligible.
    """
    _check_built(plan)
    cohort = read_cohort(records, plan.patients.partition)
    formulary = Formulary(aliases, cohort.order_names)
    pool = Pool(cohort.persons, contract.contract_digest)
    judged = [judge(person, plan.events, SMALL, formulary, pool) for person in cohort.persons]
    eligible = [found for found in judged if isinstance(found, Patient)]
    excluded = Counter(found for found in judged if isinstance(found, str))
    exclusions = {reason: excluded[reason] for reason in reasons(plan.events) if excluded[reason]}
    if not eligible:
        raise _nobody(records, plan, exclusions)
    planned = len(eligible) if plan.patients.n == "all" else plan.patients.n
    taken = eligible[: min(planned, limit or planned)]
    made = {p: [_scenario(p, event, plan, contract, pool) for event in plan.events] for p in taken}
    for scenario in (scenario for scenarios in made.values() for scenario in scenarios):
        write_json(out / f"{scenario.id}.json", scenario)
    report = {
        "planned": planned,
        "taken": len(taken),
        "limit": limit,
        "partition": plan.patients.partition,
        "considered": len(judged),
        "eligible": len(eligible),
        "exclusions": exclusions,
        "patients": [_patient(patient, scenarios) for patient, scenarios in made.items()],
        "donors": {
            s.id: donor
            for p, scenarios in made.items()
            for s in scenarios
            if (donor := p.cases[s.event].donor)
        },
    }
    write_json(out / "patients.json", report)
    return report


def _nobody(records: Path, plan: Plan, exclusions: dict[str, int]) -> DataError:
    counts = "; ".join(f"{count} x {reason}" for reason, count in exclusions.items()) or "no person"
    return DataError(
        f"nobody in partition {plan.patients.partition} is eligible for {plan.batch}: {counts}",
        where=records,
        remedy="use whole tables: an extract holds few stays",
    )


def _patient(patient: Patient, scenarios: list[Scenario]) -> dict[str, Any]:
    return {
        "patient": patient.target.person.pseudonym,
        "stay_order": patient.target.stay.order,
        "scenarios": [scenario.id for scenario in scenarios],
    }


def _check_built(plan: Plan) -> None:
    absent = [f"event {event}" for event in plan.events if event not in EVENTS]
    absent += [f"size {size}" for size in plan.sizes if size != "small"]
    if absent:
        raise EvrevError(
            f"not built yet: {', '.join(absent)}",
            where=f"batch {plan.batch}",
            remedy=f"built: events {', '.join(EVENTS)}; size small",
        )


def _scenario(patient: Patient, event: Event, plan: Plan, contract: TaskContract, pool: Pool) -> Scenario:
    target, case = patient.target, patient.cases[event]
    support = support_classes(case.documents, case.revision, contract, target.formulary, case.declared)
    return Scenario(
        id=f"{target.person.pseudonym}-{event}-small",
        patient=target.person.pseudonym,
        partition=plan.patients.partition,
        event=event,
        size="small",
        documents=case.documents,
        event_document=EVENT_DOCUMENT if case.key is not None else None,
        event_key=case.key,
        revision=case.revision,
        support=support,
        expected=expected_answers(support, case.documents[1]),
        task_contract=contract.contract_digest,
        builder=BUILDER,
        seed=pool.seed(target, event),
    )
