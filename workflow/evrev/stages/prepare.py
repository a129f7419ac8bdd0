"""Before any model call: records and the freeze."""

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


def build_records(study: Study, *, charting: bool = False) -> str:
    """Read the source tables into the study's records folder, or into the one that also holds charting."""
    from evrev.records.build import build_records as build
    from evrev.records.download import fetcher
    from evrev.records.tables import CHARTING, CORE

    settings = study.settings
    key = study.charting_key if charting else study.records_key
    folder = study.folder / "records" / key

    def fill(out: Path) -> dict[str, Any]:
        report = build(
            source=settings.source,
            data=Path(settings.data) if settings.data else None,
            lab=settings.lab,
            out=out,
            tables=(*CORE, *CHARTING) if charting else CORE,
            allow_missing=CHARTING if settings.absent_tables else (),
            fetch=fetcher(settings.data),
        )
        return {"partial": report.partial, "notes": {"absent": list(report.absent)} if charting else {}}

    manifest = Manifest(
        stage="records",
        key=key,
        code=code_digest("records"),
        inputs=study.charting_digests if charting else study.table_digests,
        parameters={"source": settings.source, "lab": settings.lab}
        | ({"charting": True} if charting else {}),
    )
    build_stage(folder, fill, manifest)
    return f"records {key} are in {folder}"


def records_report(study: Study) -> str:
    """The data audit of the study's records, built first if need be."""
    from evrev.records.report import render_report

    build_records(study)
    verify_stage(study.records, remedy=REBUILD)
    return render_report(json.loads((study.records / "report.json").read_bytes()))


def freeze(study: Study, batch: str) -> str:
    """Freeze the run that the present inputs make, once its plan asks for nothing that cannot be scored."""
    from evrev.scoring.schema import check_endpoints

    run = resolve_run(study, batch)
    check_endpoints(run.plan)
    freeze_batch(study, batch, run)
    return f"{batch}: run {run.id} is frozen in {study.frozen(batch, run.id)}"
