"""Which run of a batch is used: the state table of a freeze.

A scripted or tiny model freezes by itself: a change makes another run. With a real model a complete run is
used as it stands and one line says what changed since; an incomplete one refuses to go on under other inputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evrev.errors import DigestError, FrozenError
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


@dataclass(frozen=True)
class Frozen:
    """A freeze as recorded: its run, its place in time, the items it fixed, its plan and its models."""

    run: str
    order: int
    items: dict[str, str]
    plan: Plan
    models: frozenset[str]


def freezes(study: Study, batch: str) -> list[Frozen]:
    """Every freeze of a batch, oldest first; DigestError for one that is damaged."""
    folders = sorted((study.folder / "frozen" / batch).glob("*/"))
    found = [_frozen(folder, manifest) for folder in folders if (manifest := read_manifest(folder))]
    return sorted(found, key=lambda freeze: freeze.order)


def _frozen(folder: Path, manifest: Manifest) -> Frozen:
    try:
        return Frozen(
            run=manifest.key,
            order=int(manifest.notes["order"]),
            items=manifest.inputs,
            plan=Plan.model_validate(manifest.parameters["plan"]),
            models=frozenset(manifest.parameters["models"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DigestError(
            f"is no freeze: {error.args[0] if isinstance(error, KeyError) else error}",
            where=folder / "manifest.json",
            remedy="restore the file from a copy",
        ) from error


def is_complete(shards: Iterable[Path]) -> bool:
    """Whether every one of a run's shards is done."""
    return all((folder / "manifest.json").is_file() for folder in shards)


def is_started(shards: Iterable[Path]) -> bool:
    """Whether any call of a run's shards is on disk."""

    def begun(folder: Path) -> bool:
        journal = folder / "journal.jsonl"
        return (folder / "manifest.json").is_file() or (journal.is_file() and journal.stat().st_size > 0)

    return any(begun(folder) for folder in shards)


def changed(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """One line per item that differs: its name and both digests."""
    names = [name for name in {**before, **now} if name != "scorer" and before.get(name) != now.get(name)]
    return [
        f"{name}: frozen {before.get(name, 'absent')[:12]}, now {now.get(name, 'absent')[:12]}"
        for name in names
    ]


def resolve_run(study: Study, batch: str) -> Run:
    """The run to use; FrozenError names what changed under an incomplete run of a real model.

    A freeze of other models is another run, which neither binds nor serves this one.
    """
    items = study.items(batch)
    present = Run(study.run_id(batch), study.plan(batch), items["scenarios"])
    if not study.has_real_model or batch in study.settings.thaw:
        return present
    known = [freeze for freeze in freezes(study, batch) if freeze.models == frozenset(study.models)]
    if any(freeze.run == present.id for freeze in known):
        return present
    for freeze in reversed(known):
        difference, shards = changed(freeze.items, items), study.shards(freeze.plan, freeze.run)
        if is_complete(shards):
            warning = f"{batch}: run {freeze.run} is used as frozen, though {'; '.join(difference)}"
            return Run(freeze.run, freeze.plan, freeze.items["scenarios"], warning)
        if is_started(shards):
            raise FrozenError(
                f"run {freeze.run} is incomplete and was frozen under other inputs: {'; '.join(difference)}",
                where=study.frozen(batch, freeze.run),
                remedy=f"undo the change, or start another run on purpose: --config thaw={batch}",
            )
    return present
