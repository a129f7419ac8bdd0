"""Reading what is there: one scenario, one trajectory, the runs of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evrev.errors import FrozenError, SettingsError, nearest
from evrev.formats.manifest import read_manifest
from evrev.freeze.freeze import explain
from evrev.freeze.runs import freezes, is_complete, is_started, resolve_run

if TYPE_CHECKING:
    from evrev.freeze.study import Study


def scenario(study: Study, batch: str, name: str) -> str:
    """The scenario of that id, or all whose id starts so."""
    from evrev.formats.scenario_io import load_scenarios
    from evrev.scenarios.show import show

    folder = study.scenarios(batch, resolve_run(study, batch).scenarios_key)
    if read_manifest(folder) is None:
        raise SettingsError(f"the scenarios of {batch} are not built", remedy=f"run: snakemake {batch}")
    found = {scenario.id: scenario for scenario in load_scenarios(folder)}
    wanted = [name] if name in found else [known for known in found if known.startswith(name)]
    if not wanted:
        raise SettingsError(
            f"no scenario {name!r}{nearest(name, found)}", where=folder, remedy="\n  ".join(found)
        )
    return "\n\n".join(show(found[known]) for known in wanted)


def trajectory(study: Study, batch: str, name: str) -> str:
    """One recorded trajectory: every prompt, reply, snapshot and commit."""
    from evrev.formats.trajectory_io import read_trajectories
    from evrev.outputs.show import show_trajectory

    run = resolve_run(study, batch)
    known = []
    for shard in study.shards(run.plan, run.id):
        if read_manifest(shard) is not None:
            for recorded in read_trajectories(shard / "trajectories.jsonl.zst"):
                if recorded.id == name:
                    return show_trajectory(recorded)
                known.append(recorded.id)
    if not known:
        raise SettingsError(
            f"run {run.id} of {batch} has no finished shard", remedy=f"run: snakemake {batch}"
        )
    raise SettingsError(f"run {run.id} of {batch} has no trajectory {name!r}{nearest(name, known)}")


def freeze_items(study: Study, batch: str) -> str:
    """What a freeze of the batch covers."""
    return "\n".join(explain(study, batch))


def status(study: Study) -> str:
    """The runs of a study, a line per shard."""
    lines = [f"study {study.name} in {study.folder}"]
    for folder in sorted((study.folder / "frozen").glob("*/")):
        used, refused = _used(study, folder.name)
        for freeze in freezes(study, folder.name):
            shards = study.shards(freeze.plan, freeze.run, sorted(freeze.models))
            state = "not started"
            if is_started(shards):
                state = "complete" if is_complete(shards) else "incomplete"
            in_use = ", in use" if freeze.run == used else ""
            lines.append(f"{freeze.plan.batch} run {freeze.run}: {state}{in_use}")
            lines += [f"  {_shard(shard)}" for shard in shards]
        lines += refused
    if len(lines) == 1:
        lines.append("no run yet")
    return "\n".join(lines)


def _used(study: Study, batch: str) -> tuple[str | None, list[str]]:
    """The run in use, or none and why no run can be."""
    try:
        return resolve_run(study, batch).id, []
    except (FrozenError, SettingsError) as error:
        return None, [str(error)]


def _shard(shard: Path) -> str:
    from evrev.agent.run_record import read_summary

    name = f"{shard.parent.name} {shard.name}"
    if not (shard / "manifest.json").is_file():
        return f"{name}: {'stopped, resumable' if (shard / 'journal.jsonl').is_file() else 'not started'}"
    return f"{name}: {read_summary(shard)}"
