"""Local repair: a revision is answered by recomputing what it invalidated, in dependency order."""

from __future__ import annotations

from typing import ClassVar

from evrev.agent.pipelines import Memory, Revised
from evrev.agent.pipelines.summarised import Summarised


class LocalRepair(Summarised):
    """The least that brings every node up to date."""

    name: ClassVar[str] = "local_repair"

    async def revise(self, memory: Memory, revised: Revised) -> tuple[str, ...]:
        """Recompute the invalidated nodes that still have an input."""
        return await memory.recompute(revised.invalidated)
