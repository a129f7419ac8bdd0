"""Scenarios: of one batch, or of all with who is used in which."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evrev.errors import EvrevError
from evrev.formats.canonical import write_json
from evrev.formats.manifest import Manifest
from evrev.formats.scenario_io import PATIENTS
from evrev.freeze.code import code_digest
from evrev.freeze.freeze import REBUILD
from evrev.freeze.stage import build_stage, verify_stage
from evrev.stages.prepare import aliases_of, build_records

if TYPE_CHECKING:
    from evrev.freeze.study import Study
    from evrev.scenarios.build import Builder


def build_scenarios(study: Study, batch: str) -> str:
    """Build a batch's scenarios from the study's records."""
    return _said(batch, _build_scenarios(study, batch, Builders(study)))


class Builders:
    """One builder for each records folder of a study, made when it is first needed."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._made: dict[str, Builder] = {}

    def of(self, batch: str) -> Builder:
        """The builder for the records of a batch."""
        from evrev.scenarios.build import Builder

        study, key = self._study, self._study.records_key_of(batch)
        if key not in self._made:
            self._made[key] = Builder(
                records=study.records_of(batch),
                contract=study.contract,
                aliases=aliases_of(study),
                plans=study.plan,
                absent_tables=study.settings.absent_tables,
            )
        return self._made[key]


def build_every_batch(study: Study) -> Iterator[str]:
    """Build the scenarios of every plan, and then tell who is used in which batches; a line for each.

    A batch that nobody is eligible for does not keep the others from being built; the error comes at the end.
    """
    from evrev.scenarios.reuse import render_reuse, reuse_of

    builders = Builders(study)
    failed: dict[str, EvrevError] = {}
    reports: dict[str, Any] = {}
    for batch in study.batches:
        try:
            build_records(study, charting=bool(study.plan(batch).levels))
            yield _said(batch, _build_scenarios(study, batch, builders))
            reports[batch] = json.loads((study.scenarios(batch) / PATIENTS).read_bytes())
        except EvrevError as error:
            failed[batch] = error
            yield f"{batch}: not built: {error}"
    reuse = reuse_of(reports)
    write_json(study.reuse, reuse | {"scenarios": {name: study.scenarios_key(name) for name in reports}})
    yield render_reuse(reuse)
    if failed:
        raise EvrevError(f"not built: {', '.join(failed)}", remedy=str(next(iter(failed.values()))))


def _build_scenarios(study: Study, batch: str, builders: Builders) -> Manifest:
    plan = study.plan(batch)
    source = verify_stage(study.records_of(batch), remedy=REBUILD)

    def fill(out: Path) -> dict[str, Any]:
        report = builders.of(batch).build(plan, study.settings.patients, out)
        kept = {name: value for name, value in report.items() if name not in ("patients", "donors")}
        return {"notes": kept}

    manifest = Manifest(
        stage="scenarios",
        key=study.scenarios_key(batch),
        code=code_digest("scenarios"),
        inputs={
            "records": source.key,
            "task contract": study.contract.contract_digest,
            "aliases": study.aliases_digest or "off",
        },
        parameters=study.drawing(batch),
        partial=source.partial,
    )
    return build_stage(study.scenarios(batch), fill, manifest)


def _said(batch: str, manifest: Manifest) -> str:
    """Who was taken, stratum by stratum and length by length, and whether they are fewer than planned."""
    notes = manifest.notes
    lines = [f"{batch}: {_counts(notes)}, scenarios {manifest.key}"]
    lines += [f"  {name}: {_counts(flow)}" for name, flow in notes.get("strata", {}).items()]
    for name, length in {**notes.get("levels", {}), **notes.get("growth", {})}.items():
        target = f" ({length['target']} tokens)" if length["target"] else ""
        out = "".join(f"; {count} out: {reason}" for reason, count in length["out"].items())
        lines.append(f"  length {name}{target}: {len(length['patients'])} patients{out}")
    absent = notes.get("context_tables_absent")
    if absent:
        lines.append(f"  without the tables {', '.join(absent)}, which are absent")
    return "\n".join(lines)


def _counts(flow: Mapping[str, Any]) -> str:
    limit = f", limited to {flow['limit']}" if flow.get("limit") else ""
    fewer = "" if flow["taken"] == flow["planned"] else f" - fewer than planned{limit}"
    return (
        f"{flow['taken']} of {flow['planned']} planned patients ({flow['eligible']} eligible of "
        f"{flow['considered']} considered){fewer}"
    )
