"""Scenarios: records in, one JSON file per scenario out, with who was taken and who was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evrev.errors import DataError, SettingsError
from evrev.formats.canonical import write_json
from evrev.formats.plan import Partition, Plan
from evrev.formats.scenario_io import PATIENTS
from evrev.formats.task import TaskContract
from evrev.scenarios.assemble import Part, parts_of, scenario
from evrev.scenarios.context import Context, read_context
from evrev.scenarios.draw import Drawn, Draws, Plans
from evrev.scenarios.eligibility import Patient
from evrev.scenarios.lengths import lengthened

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
    plans: Plans | None = None,
    absent_tables: bool = False,
) -> dict[str, Any]:
    """Write the scenarios of one plan into the empty folder `out` and return the report (also patients.json).

    `plans` finds the plans that this one takes its patients from. See `Builder.build`.
    """
    builder = Builder(
        records=records, contract=contract, aliases=aliases, plans=plans, absent_tables=absent_tables
    )
    return builder.build(plan, limit, out)


class Builder:
    """Builds batches from one set of records; what they share is read and judged once."""

    def __init__(
        self,
        *,
        records: Path,
        contract: TaskContract,
        aliases: AliasTable | None,
        plans: Plans | None = None,
        absent_tables: bool = False,
    ) -> None:
        """`absent_tables`: build levels although context tables are missing, which is then reported."""
        self._records, self._contract, self._absent_tables = records, contract, absent_tables
        self._draws = Draws(records, contract, aliases, plans or _no_other)

    def build(self, plan: Plan, limit: int | None, out: Path) -> dict[str, Any]:
        """Write a plan's scenarios into the empty folder `out` and return the report (also patients.json).

        Each stratum of the plan, or the plan as a whole, takes the first `n` eligible persons of its rule, or
        the first `limit` if that is fewer. A patient's files do not depend on how many are taken, nor on the
        batch that takes them. DataError for unreadable records and when nobody is eligible.
        """
        drawn = self._draws.draw(plan)
        report = _flow(plan, drawn, limit) | {"patients": [], "donors": {}}
        for stratum in drawn:
            parts, lengths = self._parts(plan, stratum)
            report |= lengths
            for patient in stratum.patients[:limit]:
                made = self._write(patient, parts(patient), stratum.ask.rule.partition, out)
                report["patients"].append(_patient(patient, stratum.ask.stratum, list(made)))
                report["donors"] |= {name: part.case.donor for name, part in made.items() if part.case.donor}
        if not any(patient["scenarios"] for patient in report["patients"]):
            raise _too_short(self._records, plan, report)
        write_json(out / PATIENTS, report)
        return report

    def _parts(
        self, plan: Plan, stratum: Drawn
    ) -> tuple[Callable[[Patient], Sequence[Part]], dict[str, Any]]:
        """What is built of each patient, and who enters which length."""
        made = lengthened(plan, stratum.ask, stratum.patients, self._context)

        def parts(patient: Patient) -> Sequence[Part]:
            sizes = () if plan.levels else tuple(parts_of(patient, plan, stratum.ask))
            return (*sizes, *made.parts.get(patient.target.person.pseudonym, ()))

        return parts, made.report

    def _context(self, patients: Sequence[Patient]) -> Context:
        stays = (patient.target.stay for patient in patients)
        return read_context(self._records, stays, allow_absent=self._absent_tables)

    def _write(
        self, patient: Patient, parts: Sequence[Part], partition: Partition, out: Path
    ) -> dict[str, Part]:
        pool = self._draws.ward(partition).pool
        made = {}
        for part in parts:
            written = scenario(patient, part, partition, self._contract, pool)
            write_json(out / f"{written.id}.json", written)
            made[written.id] = part
        return made


def _flow(plan: Plan, drawn: Sequence[Drawn], limit: int | None) -> dict[str, Any]:
    """Persons in, excluded by which reason and out: of the whole batch, and of each stratum if it has any."""
    flows = [part.flow(limit) for part in drawn]
    exclusions = Counter[str]()
    for flow in flows:
        exclusions.update(flow["exclusions"])
    whole: dict[str, Any] = {
        name: sum(flow[name] for flow in flows) for name in ("planned", "taken", "considered", "eligible")
    }
    whole |= {
        "limit": limit,
        "partition": "+".join(dict.fromkeys(flow["partition"] for flow in flows)),
        "exclusions": dict(exclusions),
    }
    if plan.strata:
        whole["strata"] = {str(part.ask.stratum): flow for part, flow in zip(drawn, flows, strict=True)}
    return whole


def _patient(patient: Patient, stratum: str | None, made: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "patient": patient.target.person.pseudonym,
        "stay_order": patient.target.stay.order,
        "scenarios": list(made),
    }
    return told if stratum is None else told | {"stratum": stratum}


def _too_short(records: Path, plan: Plan, report: dict[str, Any]) -> DataError:
    told = [
        f"{name}: {'; '.join(f'{count} x {reason}' for reason, count in length['out'].items())}"
        for name, length in {**report.get("levels", {}), **report.get("growth", {})}.items()
    ]
    return DataError(f"no patient reaches any length of {plan.batch}: {', '.join(told)}", where=records)


def _no_other(batch: str) -> Plan:
    raise SettingsError(f"no plan {batch!r} was given to take patients from")
