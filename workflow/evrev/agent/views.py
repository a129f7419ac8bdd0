"""What a use prompt shows: rows of a snapshot, as documents or as memory. The read set follows from it."""

from __future__ import annotations

from typing import NamedTuple

from evrev.agent.rows import Evidence, Node


class DocumentView(NamedTuple):
    """Documents themselves, in prompt order."""

    documents: tuple[Evidence, ...]


class MemoryView(NamedTuple):
    """Derived nodes in prompt order; the prompt groups them as global summary, summaries, facts."""

    nodes: tuple[Node, ...]


View = DocumentView | MemoryView
