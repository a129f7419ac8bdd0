"""Re-reading: no memory; the current documents stand in every use prompt."""

from __future__ import annotations

from typing import ClassVar

from evrev.agent.pipelines import DocumentView, Pipeline, Snapshot
from evrev.formats.scenario import Task


class Reread(Pipeline):
    """The reference every other pipeline is compared with."""

    name: ClassVar[str] = "reread"

    def show(self, snapshot: Snapshot, task: Task) -> DocumentView:  # noqa: ARG002
        """All active documents, whatever the task: allowed sources are stated, not enforced."""
        return DocumentView(snapshot.documents)
