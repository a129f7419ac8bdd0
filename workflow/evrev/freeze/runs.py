"""Which run of a batch is used: the state table of a freeze.

A scripted or tiny model freezes by itself: a change makes another run. With a real model a complete run is
used as it stands and one line says what changed since; an incomplete one refuses to go on under other inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evrev.errors import FrozenError
from evrev.formats.manifest import Manifest, read_manifest
from evrev.formats.plan import Plan
from evrev.freeze.study import Study


@dataclass(frozen=True)
class Run:
    """The run a batch uses, its plan and scenarios, and what changed upstream since, if anything."""

    id: str
    plan: Plan
    scenarios_key: str
    warning: str | None = None


def freezes(study: Study, batch: str) -> list[Manifest]:
    """Every freeze of a batch, oldest first."""
    folders = sorted((study.folder / "frozen" / batch).glob("*/"))
    found = [manifest for folder in folders if (manifest := read_manifest(folder)) is not None]
    return sorted(found, key=lambda manifest: int(manifest.notes["order"]))


def is_complete(study: Study, plan: Plan, run: str) -> bool:
    """Whether every shard of a run is done."""
    return all((folder / "manifest.json").is_file() for folder in study.shards(plan, run))


def is_started(study: Study, plan: Plan, run: str) -> bool:
    """Whether any call of a run is on disk."""

    def begun(folder: Path) -> bool:
        journal = folder / "journal.jsonl"
        return (folder / "manifest.json").is_file() or (journal.is_file() and journal.stat().st_size > 0)

    return any(begun(folder) for folder in study.shards(plan, run))


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """One line per item that differs: its name and both digests."""
    names = [name for name in {**before, **now} if name != "scorer" and before.get(name) != now.get(name)]
    return [
        f"{name}: frozen {before.get(name, 'absent')[:12]}, now {now.get(name, 'absent')[:12]}"
        for name in names
    ]


def resolve_run(study: Study, batch: str) -> Run:
    """The run to use; FrozenError names what changed under an incomplete run of a real model."""
    items = study.items(batch)
    present = Run(study.run_id(batch), study.plan(batch), items["scenarios"])
    if not study.has_real_model or batch in study.settings.thaw:
        return present
    known = freezes(study, batch)
    if any(freeze.key == present.id for freeze in known):
        return present
    for freeze in reversed(known):
        difference = changed(freeze.inputs, items)
        plan = Plan.model_validate(freeze.parameters["plan"])
        if is_complete(study, plan, freeze.key):
            warning = f"{batch}: run {freeze.key} is used as frozen, though {'; '.join(difference)}"
            return Run(freeze.key, plan, freeze.inputs["scenarios"], warning)
        if is_started(study, plan, freeze.key):
            raise FrozenError(
                f"run {freeze.key} is incomplete and was frozen under other inputs: {'; '.join(difference)}",
                where=study.frozen(batch, freeze.key),
                remedy=f"undo the change, or start another run on purpose: --config thaw={batch}",
            )
    return present
