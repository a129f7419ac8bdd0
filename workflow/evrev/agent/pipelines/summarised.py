"""What the pipelines with facts and summaries share: a full build at ingest, and all of it in the prompt."""

from __future__ import annotations

from evrev.agent.pipelines import Memory, MemoryView, Pipeline, Snapshot
from evrev.formats.scenario import Task


class Summarised(Pipeline):
    """Claims of each document, a summary of each, and a global summary."""

    async def ingest(self, memory: Memory) -> None:
        """Build everything."""
        await memory.build()

    def show(self, snapshot: Snapshot, task: Task) -> MemoryView:  # noqa: ARG002
        """Every active node: the global summary, the summaries, the facts; nothing is retrieved by task."""
        return MemoryView(snapshot.nodes)
