"""Before any model call: records, scenarios and the freeze."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evrev.formats.manifest import Manifest
from evrev.freeze.code import code_digest
from evrev.freeze.freeze import REBUILD, freeze_batch
from evrev.freeze.runs import resolve_run
from evrev.freeze.stage import build_stage, verify_stage

if TYPE_CHECKING:
    from evrev.freeze.study import Study
    from evrev.medication import AliasTable


def aliases_of(study: Study) -> AliasTable | None:
    """The alias table, or none when it is switched off."""
    from evrev.medication import load_aliases

    return load_aliases() if study.settings.aliases else None


def build_records(study: Study) -> str:
    """Read the source tables into the study's records folder."""
    from evrev.records.build import build_records as build

    settings = study.settings

    def fill(out: Path) -> dict[str, Any]:
        data = Path(settings.data) if settings.data else None
        return {"partial": build(source=settings.source, data=data, lab=settings.lab, out=out).partial}

    manifest = Manifest(
        stage="records",
        key=study.records_key,
        code=code_digest("records"),
        inputs=study.table_digests,
        parameters={"source": settings.source, "lab": settings.lab},
    )
    build_stage(study.records, fill, manifest)
    return f"records {study.records_key} are in {study.records}"


def records_report(study: Study) -> str:
    """The data audit of the study's records, built first if need be."""
    from evrev.records.report import render_report

    build_records(study)
    verify_stage(study.records, remedy=REBUILD)
    return render_report(json.loads((study.records / "report.json").read_bytes()))


def build_scenarios(study: Study, batch: str) -> str:
    """Build a batch's scenarios from the study's records."""
    from evrev.scenarios.build import build_scenarios as build

    plan = study.plan(batch)
    source = verify_stage(study.records, remedy=REBUILD)

    def fill(out: Path) -> dict[str, Any]:
        report = build(
            records=study.records,
            plan=plan,
            contract=study.contract,
            aliases=aliases_of(study),
            limit=study.settings.patients,
            out=out,
        )
        kept = ("planned", "limit", "considered", "eligible", "taken", "exclusions")
        return {"notes": {name: report[name] for name in kept}}

    key = study.scenarios_key(batch)
    manifest = Manifest(
        stage="scenarios",
        key=key,
        code=code_digest("scenarios"),
        inputs={
            "records": source.key,
            "task contract": study.contract.contract_digest,
            "aliases": study.aliases_digest or "off",
        },
        parameters={"patients": plan.patients.model_dump(), "events": plan.events, "sizes": plan.sizes},
        partial=source.partial,
    )
    notes = build_stage(study.scenarios(batch), fill, manifest).notes
    return (
        f"{batch}: {notes['taken']} of {notes['planned']} planned patients ({notes['eligible']} eligible of "
        f"{notes['considered']} considered), scenarios {key}"
    )


def freeze(study: Study, batch: str) -> str:
    """Freeze the run that the present inputs make, once its plan asks for nothing that cannot be scored."""
    from evrev.scoring.schema import check_endpoints

    run = resolve_run(study, batch)
    check_endpoints(run.plan)
    freeze_batch(study, batch, run)
    return f"{batch}: run {run.id} is frozen in {study.frozen(batch, run.id)}"
