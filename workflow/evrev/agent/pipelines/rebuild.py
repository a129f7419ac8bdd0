"""Rebuild: a revision is answered by computing every node again, unchanged documents included."""

from __future__ import annotations

from typing import ClassVar

from evrev.agent.pipelines import Memory, Revised
from evrev.agent.pipelines.summarised import Summarised


class Rebuild(Summarised):
    """The most a repair can cost."""

    name: ClassVar[str] = "rebuild"

    async def revise(self, memory: Memory, revised: Revised) -> tuple[str, ...]:  # noqa: ARG002
        """Build everything again from the current documents."""
        return await memory.build()
