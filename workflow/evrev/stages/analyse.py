"""After the last model call: scores, statistics and tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evrev.errors import EvrevError, SettingsError
from evrev.formats.canonical import write_bytes
from evrev.formats.manifest import Manifest, read_manifest
from evrev.freeze.code import code_digest
from evrev.freeze.freeze import REBUILD
from evrev.freeze.runs import resolve_run
from evrev.freeze.stage import build_stage, verify_stage
from evrev.stages.prepare import aliases_of

if TYPE_CHECKING:
    from evrev.freeze.study import Study

RESTORE = "restore the file from a copy; recorded outputs are never made again by themselves"


def score(study: Study, batch: str) -> str:
    """Score the recorded trajectories of the batch's run."""
    from evrev.scoring.score import score as score_shards

    run = resolve_run(study, batch)
    scenarios = study.scenarios(batch, run.scenarios_key)
    verify_stage(scenarios, remedy=REBUILD)
    shards = study.shards(run.plan, run.id)
    recorded = {f"{shard.parent.name}/{shard.name}": verify_stage(shard, remedy=RESTORE) for shard in shards}

    def fill(out: Path) -> dict[str, Any]:
        counts = score_shards(
            scenarios=scenarios,
            shards=shards,
            plan=run.plan,
            aliases=aliases_of(study),
            models=list(study.models),
            out=out,
        )
        return {"notes": counts}

    key = study.scores_key(run.id)
    manifest = Manifest(
        stage="scores",
        key=key,
        code=code_digest("scoring"),
        inputs={
            "run": run.id,
            "scenarios": run.scenarios_key,
            **{name: shard.outputs["trajectories.jsonl.zst"] for name, shard in recorded.items()},
        },
        partial=next(iter(recorded.values())).partial,
    )
    build_stage(study.scores(batch, run.id), fill, manifest)
    return f"{batch}: scores {key} of run {run.id}"


def statistics(study: Study, batch: str) -> str:
    """Compute the batch's statistics from its scores."""
    from evrev.statistics.analyse import analyse

    run = resolve_run(study, batch)
    scores = study.scores(batch, run.id)
    source = verify_stage(scores, remedy=REBUILD)

    def fill(out: Path) -> dict[str, Any]:
        analyse(scores=scores, plan=run.plan, out=out)
        return {}

    key = study.statistics_key(run.id)
    manifest = Manifest(
        stage="statistics",
        key=key,
        code=code_digest("statistics"),
        inputs={"scores": source.key, "run": run.id},
        partial=source.partial,
    )
    build_stage(study.statistics(batch, run.id), fill, manifest)
    return f"{batch}: statistics {key} of run {run.id}"


def table(study: Study, number: int) -> str:
    """Write one table and its comparison with the paper's, from its batch's statistics."""
    from evrev.outputs.make import make_table
    from evrev.outputs.registry import TABLE_BATCH

    if number not in TABLE_BATCH:
        known = ", ".join(str(n) for n in TABLE_BATCH)
        raise SettingsError(f"table {number} is not made here", remedy=f"tables: {known}")
    batch = TABLE_BATCH[number]
    run = resolve_run(study, batch)
    folder = study.statistics(batch, run.id)
    if read_manifest(folder) is None:
        remedy = f"run: snakemake table{number}"
        raise EvrevError(f"table {number} needs batch {batch}, which is not scored", remedy=remedy)
    source = verify_stage(folder, remedy=REBUILD)
    scenarios = verify_stage(study.scenarios(batch, run.scenarios_key), remedy=REBUILD)
    stamp = study.table_stamp(number, run.id)
    for other in stamp.parent.glob(f"table{number}-*"):
        other.unlink(missing_ok=True)
    make_table(
        number,
        statistics=folder,
        plan=run.plan,
        models=study.models,
        study=study.name,
        run=run.id,
        digest=source.key,
        partial=source.partial,
        notes=dict(scenarios.notes),
        out=study.folder,
    )
    write_bytes(stamp, f"{source.key}\n".encode())
    point_latest(study)
    return f"table {number} of {batch} run {run.id} is in {study.folder / 'tables'}"


def point_latest(study: Study) -> str:
    """Make results/latest a link to the study, and say where its tables are."""
    link = study.folder.parent / "latest"
    if not study.folder.is_dir():
        raise EvrevError("nothing is made yet", where=study.folder, remedy="run: snakemake heldout")
    if link.exists() and not link.is_symlink():
        raise EvrevError("is in the way of the link to the study built last", where=link, remedy="move it")
    part = link.with_name(f".latest-{os.getpid()}")
    part.unlink(missing_ok=True)
    part.symlink_to(study.name, target_is_directory=True)
    part.replace(link)
    return f"{study.folder}/tables, beside the paper's in {study.folder}/comparison; {link} links there"
