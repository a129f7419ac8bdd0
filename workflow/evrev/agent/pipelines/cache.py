"""Extraction cache: facts of each document, kept until that document changes; no summaries anywhere."""

from __future__ import annotations

from typing import ClassVar

from evrev.agent.pipelines import Memory, MemoryView, Pipeline, Revised, Snapshot
from evrev.formats.scenario import Task


class Cache(Pipeline):
    """One extraction per document version."""

    name: ClassVar[str] = "cache"

    async def ingest(self, memory: Memory) -> None:
        """Extract every document once."""
        await memory.extract()

    async def revise(self, memory: Memory, revised: Revised) -> tuple[str, ...]:
        """Extract the changed document again, if a version of it is left."""
        return await memory.extract([revised.document])

    def show(self, snapshot: Snapshot, task: Task) -> MemoryView:  # noqa: ARG002
        """All facts."""
        return MemoryView(snapshot.of_kind("claims"))
