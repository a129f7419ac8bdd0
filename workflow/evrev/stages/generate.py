"""One generation job: the only stage that calls a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evrev.errors import SettingsError, nearest
from evrev.formats.canonical import write_json
from evrev.formats.manifest import Manifest
from evrev.freeze.code import code_digest
from evrev.freeze.freeze import freeze_batch
from evrev.freeze.runs import resolve_run
from evrev.freeze.stage import output_digests

if TYPE_CHECKING:
    from evrev.freeze.study import Study


def run(study: Study, batch: str, model: str, shard: str) -> str:
    """Run one generation job, or take it up where it stopped."""
    from evrev.agent.runner import run_shard
    from evrev.formats.scenario_io import load_scenarios

    run = resolve_run(study, batch)
    for name, known in ((model, list(study.models)), (shard, list(run.plan.shard_names()))):
        if name not in known:
            there_are = f"there are: {', '.join(known)}"
            raise SettingsError(f"{batch} runs no {name!r}{nearest(name, known)}", remedy=there_are)
    freeze = freeze_batch(study, batch, run)
    events = run.plan.events_of(shard)
    scenarios = load_scenarios(study.scenarios(batch, run.scenarios_key))

    def finish(out: Path) -> None:
        manifest = Manifest(
            stage="agent",
            key=run.id,
            code=code_digest("agent"),
            inputs=freeze.inputs,
            outputs=output_digests(out, ["trajectories.jsonl.zst"]),
            parameters={"model": model, "shard": shard},
            partial=freeze.partial,
        )
        write_json(out / "manifest.json", manifest)

    summary = run_shard(
        scenarios=[scenario for scenario in scenarios if scenario.event in events],
        plan=run.plan,
        contract=study.contract,
        model=model,
        entry=study.models[model],
        settings=study.settings,
        folder=study.shard(batch, run.id, model, shard),
        finish=finish,
        progress=True,
    )
    return f"{batch} {model} {shard}: {summary}"
