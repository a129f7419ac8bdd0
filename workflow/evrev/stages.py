"""What each command does: find a stage's inputs by key, verify them, and build its folder whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evrev.errors import EvrevError, SettingsError, nearest
from evrev.formats.canonical import write_bytes
from evrev.formats.manifest import Manifest, read_manifest
from evrev.freeze.code import code_digest
from evrev.freeze.freeze import REBUILD, explain, freeze_batch
from evrev.freeze.runs import Run, freezes, is_complete, is_started, resolve_run
from evrev.freeze.stage import build_stage, output_digests, verify_stage

if TYPE_CHECKING:
    from evrev.freeze.study import Study
    from evrev.medication import AliasTable


def _manifest(stage: str, key: str, room: str, **fields: Any) -> Manifest:
    return Manifest(stage=stage, key=key, code=code_digest(room), **fields)


def _aliases(study: Study) -> AliasTable | None:
    from evrev.medication import load_aliases

    return load_aliases() if study.settings.aliases else None


def build_records(study: Study) -> str:
    """Read the source tables into the study's records folder."""
    from evrev.records.build import build_records as build

    settings = study.settings

    def fill(out: Path) -> dict[str, Any]:
        data = Path(settings.data) if settings.data else None
        report = build(source=settings.source, data=data, lab=settings.lab, out=out)
        return {"partial": report.partial}

    manifest = _manifest(
        "records",
        study.records_key,
        "records",
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

    plan, folder = study.plan(batch), study.scenarios(batch)
    source = verify_stage(study.records, remedy=REBUILD)

    def fill(out: Path) -> dict[str, Any]:
        report = build(
            records=study.records,
            plan=plan,
            contract=study.contract,
            aliases=_aliases(study),
            limit=study.settings.patients,
            out=out,
        )
        kept = ("planned", "limit", "considered", "eligible", "taken", "exclusions")
        return {"notes": {name: report[name] for name in kept}}

    manifest = _manifest(
        "scenarios",
        study.scenarios_key(batch),
        "scenarios",
        inputs={
            "records": source.key,
            "task contract": study.contract.contract_digest,
            "aliases": study.aliases_digest or "off",
        },
        parameters={"patients": plan.patients.model_dump(), "events": plan.events, "sizes": plan.sizes},
        partial=source.partial,
    )
    notes = build_stage(folder, fill, manifest).notes
    return (
        f"{batch}: {notes['taken']} of {notes['planned']} planned patients ({notes['eligible']} eligible of "
        f"{notes['considered']} considered), scenarios {study.scenarios_key(batch)}"
    )


def show_scenario(study: Study, batch: str, name: str) -> str:
    """One scenario, readably."""
    from evrev.formats.scenario_io import load_scenarios
    from evrev.scenarios.show import show

    folder = study.scenarios(batch, resolve_run(study, batch).scenarios_key)
    if read_manifest(folder) is None:
        raise SettingsError(f"the scenarios of {batch} are not built", remedy=f"run: snakemake {batch}")
    found = load_scenarios(folder)
    matches = [scenario for scenario in found if scenario.id == name] or [
        scenario for scenario in found if scenario.id.startswith(name)
    ]
    if not matches:
        known = [scenario.id for scenario in found]
        raise SettingsError(
            f"no scenario {name!r}{nearest(name, known)}", where=folder, remedy="\n  ".join(known)
        )
    return "\n\n".join(show(scenario) for scenario in matches)


def freeze(study: Study, batch: str) -> str:
    """Freeze the run that the present inputs make."""
    run = resolve_run(study, batch)
    freeze_batch(study, batch, run)
    return f"{batch}: run {run.id} is frozen in {study.frozen(batch, run.id)}"


def explain_freeze(study: Study, batch: str) -> str:
    """What a freeze of the batch covers."""
    return "\n".join(explain(study, batch))


def run(study: Study, batch: str, model: str, shard: str) -> str:
    """Run or resume one generation job."""
    from evrev.agent.runner import run_shard
    from evrev.formats.scenario_io import load_scenarios

    run = resolve_run(study, batch)
    freeze = freeze_batch(study, batch, run)
    for name, known in ((model, list(study.models)), (shard, list(run.plan.shard_names()))):
        if name not in known:
            raise SettingsError(
                f"{batch} runs no {name!r}{nearest(name, known)}", remedy=f"there are: {', '.join(known)}"
            )
    folder = study.shard(batch, run.id, model, shard)
    events = run.plan.events_of(shard)
    scenarios = [s for s in load_scenarios(study.scenarios(batch, run.scenarios_key)) if s.event in events]

    def finish(out: Path) -> None:
        manifest = _manifest(
            "agent",
            run.id,
            "agent",
            inputs=freeze.inputs,
            outputs=output_digests(out, ["trajectories.jsonl.zst"]),
            parameters={"model": model, "shard": shard},
            partial=freeze.partial,
        )
        write_bytes(out / "manifest.json", manifest.model_dump_json().encode() + b"\n")

    summary = run_shard(
        scenarios=scenarios,
        plan=run.plan,
        contract=study.contract,
        model=model,
        entry=study.models[model],
        settings=study.settings,
        folder=folder,
        finish=finish,
        progress=True,
    )
    return f"{batch} {model} {shard}: {summary}"


def score(study: Study, batch: str) -> str:
    """Score the recorded trajectories of the batch's run."""
    from evrev.scoring.score import score as score_shards

    run = resolve_run(study, batch)
    scenarios = study.scenarios(batch, run.scenarios_key)
    verify_stage(scenarios, remedy=REBUILD)
    shards = study.shards(run.plan, run.id)
    sources = [
        verify_stage(shard, remedy="restore the file; recorded outputs are never made again")
        for shard in shards
    ]
    key = study.scores_key(run.id)

    def fill(out: Path) -> dict[str, Any]:
        return {
            "notes": score_shards(
                scenarios=scenarios, shards=shards, plan=run.plan, aliases=_aliases(study), out=out
            )
        }

    inputs = {f"{m}/{s.name}": d.outputs["trajectories.jsonl.zst"] for m, s, d in _named(shards, sources)}
    manifest = _manifest(
        "scores", key, "scoring", inputs={"run": run.id, **inputs}, partial=sources[0].partial
    )
    build_stage(study.scores(batch, run.id), fill, manifest)
    return f"{batch}: scores {key} of run {run.id}"


def _named(shards: list[Path], sources: list[Manifest]) -> list[tuple[str, Path, Manifest]]:
    return [(shard.parent.name, shard, source) for shard, source in zip(shards, sources, strict=True)]


def statistics(study: Study, batch: str) -> str:
    """Compute the batch's statistics from its scores."""
    from evrev.statistics.analyse import analyse

    run = resolve_run(study, batch)
    scores = study.scores(batch, run.id)
    source = verify_stage(scores, remedy=REBUILD)

    def fill(out: Path) -> dict[str, Any]:
        analyse(scores=scores, plan=run.plan, out=out)
        return {}

    key = study.statistics_key(batch, run.id)
    manifest = _manifest(
        "statistics", key, "statistics", inputs={"scores": source.key, "run": run.id}, partial=source.partial
    )
    build_stage(study.statistics(batch, run.id), fill, manifest)
    return f"{batch}: statistics {key} of run {run.id}"


def tables(study: Study, numbers: list[int]) -> list[str]:
    """Write tables; each says what it was made from."""
    from evrev.outputs.make import make_table
    from evrev.outputs.registry import TABLE_BATCH

    lines = []
    for number in numbers:
        if number not in TABLE_BATCH:
            known = ", ".join(str(n) for n in TABLE_BATCH)
            raise SettingsError(f"table {number} is not made here", remedy=f"tables: {known}")
        batch = TABLE_BATCH[number]
        run = resolve_run(study, batch)
        folder = study.statistics(batch, run.id)
        if read_manifest(folder) is None:
            raise EvrevError(
                f"table {number} needs batch {batch}, which is not scored",
                remedy=f"run: snakemake table{number}",
            )
        source = verify_stage(folder, remedy=REBUILD)
        stamp = study.table_stamp(number, batch, run.id)
        for other in stamp.parent.glob(f"table{number}-*"):
            other.unlink()
        make_table(
            number,
            statistics=folder,
            plan=run.plan,
            models=study.models,
            study=study.name,
            run=run.id,
            digest=source.key,
            partial=source.partial,
            notes=_scenario_notes(study, batch, run),
            out=study.folder,
        )
        write_bytes(stamp, f"{source.key}\n".encode())
        lines.append(f"table {number} of {batch} run {run.id} is in {study.folder / 'tables'}")
    _point_latest(study)
    return lines


def _scenario_notes(study: Study, batch: str, run: Run) -> dict[str, Any]:
    manifest = read_manifest(study.scenarios(batch, run.scenarios_key))
    return dict(manifest.notes) if manifest else {}


def _point_latest(study: Study) -> None:
    link = study.folder.parent / "latest"
    part = link.with_name(".latest.part")
    part.unlink(missing_ok=True)
    part.symlink_to(study.name, target_is_directory=True)
    part.replace(link)


def show_trajectory(study: Study, batch: str, name: str) -> str:
    """One recorded trajectory, readably."""
    from evrev.formats.trajectory_io import read_trajectories
    from evrev.outputs.show import show_trajectory as show

    run = resolve_run(study, batch)
    for shard in study.shards(run.plan, run.id):
        if read_manifest(shard) is not None:
            for trajectory in read_trajectories(shard / "trajectories.jsonl.zst"):
                if trajectory.id == name:
                    return show(trajectory)
    raise SettingsError(f"run {run.id} of {batch} has no finished trajectory {name!r}")


def status(study: Study) -> str:
    """The runs of a study, one line per shard."""
    lines = [f"study {study.name} in {study.folder}"]
    for folder in sorted((study.folder / "frozen").glob("*/")):
        batch = folder.name
        used = resolve_run(study, batch).id
        for freeze in freezes(study, batch):
            from evrev.formats.plan import Plan

            plan = Plan.model_validate(freeze.parameters["plan"])
            state = "complete" if is_complete(study, plan, freeze.key) else "incomplete"
            if not is_started(study, plan, freeze.key):
                state = "frozen, not started"
            lines.append(f"{batch} run {freeze.key}: {state}{', in use' if freeze.key == used else ''}")
            lines += [f"  {_shard_line(shard)}" for shard in study.shards(plan, freeze.key)]
    return "\n".join(lines)


def _shard_line(shard: Path) -> str:
    name = f"{shard.parent.name} {shard.name}"
    if not (shard / "manifest.json").is_file():
        return f"{name}: {'stopped, resumable' if (shard / 'journal.jsonl').is_file() else 'not started'}"
    record = json.loads((shard / "run.json").read_bytes())
    return f"{name}: {record['trajectories']} trajectories ({record['failed']} failed), {record['tokens']} tokens, {record['seconds']:.0f} s"
