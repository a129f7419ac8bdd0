"""Pipelines: what is derived at ingest, what a revision makes of it, and what a use prompt shows (section 4).

A pipeline of one's own is a class registered under the entry point group `evrev.pipelines`; the name of the
entry point is the name that plans and tables use.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import ClassVar

from evrev.agent.graph import Revised
from evrev.agent.memory import Memory
from evrev.agent.pipelines.fault import PipelineError
from evrev.agent.rows import Evidence, Fact, Node
from evrev.agent.snapshot import Snapshot
from evrev.agent.views import DocumentView, MemoryView, View
from evrev.errors import SettingsError
from evrev.formats.scenario import Task
from evrev.freeze.plugins import GROUP

__all__ = [
    "DocumentView",
    "Evidence",
    "Fact",
    "Memory",
    "MemoryView",
    "Node",
    "Pipeline",
    "PipelineError",
    "Revised",
    "Snapshot",
    "View",
    "pipelines",
]


class Pipeline(ABC):
    """One pipeline. An instance keeps no state: it serves many trajectories at once.

    What a pipeline of another package raises is an execution failure of its trajectory, and stays in every
    denominator. With `propagates`, a revision withdraws the successors of the revised version in the same
    transaction, before `revise` is called.
    """

    name: ClassVar[str]
    propagates: ClassVar[bool] = True

    async def ingest(self, memory: Memory) -> None:  # noqa: ARG002
        """Derive memory from the documents, before the first use. By default nothing."""
        return

    async def revise(self, memory: Memory, revised: Revised) -> tuple[str, ...]:  # noqa: ARG002
        """Repair memory after a revision; the ids of the nodes recomputed, in order. By default nothing."""
        return ()

    @abstractmethod
    def show(self, snapshot: Snapshot, task: Task) -> View:
        """What a use prompt shows of a snapshot. The read set is exactly this, with its recorded parents."""


def pipelines() -> dict[str, type[Pipeline]]:
    """Every pipeline installed, by name; SettingsError names an entry point that cannot be used."""
    found: dict[str, type[Pipeline]] = {}
    for point in _entry_points():
        if point.name in found:
            raise _unusable(point, "another package has registered this name")
        found[point.name] = _load(point)
    if not found:
        raise SettingsError(
            "no pipeline is installed", where=GROUP, remedy="pip install -e . in the repository"
        )
    return found


def _entry_points() -> Iterable[EntryPoint]:
    # One installation can be found twice on the path. Of two claims to a name, ours is not the one at fault.
    found = set(entry_points(group=GROUP))
    return sorted(found, key=lambda point: (point.name, not point.value.startswith("evrev."), point.value))


def _load(point: EntryPoint) -> type[Pipeline]:
    try:
        loaded = point.load()
    except Exception as error:
        raise _unusable(point, f"cannot be loaded: {type(error).__name__}: {error}") from error
    if not (isinstance(loaded, type) and issubclass(loaded, Pipeline)):
        raise _unusable(point, "is not a subclass of evrev.agent.pipelines.Pipeline")
    if getattr(loaded, "name", None) != point.name:
        raise _unusable(point, f"is registered as {point.name!r} but its class states another name")
    return loaded


def _unusable(point: EntryPoint, why: str) -> SettingsError:
    package = point.dist.name if point.dist else "an unknown package"
    return SettingsError(
        why, where=f"pipeline {point.name} ({point.value})", remedy=f"correct or uninstall {package}"
    )
