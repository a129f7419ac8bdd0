"""The commit gate: an action counts only if nothing its prompt showed has changed since (App. A)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from evrev.agent.rows import State
from evrev.agent.snapshot import Snapshot
from evrev.agent.store import Store, last_evidence, last_nodes, states
from evrev.agent.views import DocumentView, View
from evrev.formats.trajectory import Read


class Action(NamedTuple):
    """What is committed: which use of which trajectory, on which snapshot, and the digest of its answer."""

    run: str
    name: str
    snapshot: str
    digest: str


def read_set(snapshot: Snapshot, view: View) -> tuple[Read, ...]:
    """The rows a view shows and, for nodes, their recorded parents, each as it stood at the snapshot.

    Every node keeps its own parents with the versions it saw; they are never merged into one version per
    document (H6), since two nodes may rightly rest on different versions of the same row.
    """
    if isinstance(view, DocumentView):
        names = [document.row for document in view.documents]
    else:
        names = [node.row for node in view.nodes]
        names += [parent for node in view.nodes for parent, _ in node.parents]
    return tuple(_read(name, snapshot.states[name]) for name in dict.fromkeys(names))


def _read(name: str, state: State) -> Read:
    return Read(
        row=name, version=state.version, content=state.content, status=state.status, parents=state.parents
    )


def commit(store: Store, reads: Iterable[Read], action: Action) -> tuple[str, ...]:
    """Validate a read set and record the action in one transaction; the rows that changed, none if accepted.

    Each row is compared with its state at the snapshot: version, content, status and, for a node, its own
    recorded parents. Nothing else is asked: not support, not permission, and not whether a node was made
    from the latest version of its document. Rows added since then, or never shown, cannot block.
    """
    with store.writing() as db:
        now = states(last_evidence(db).values(), last_nodes(db))
        changed = tuple(read.row for read in reads if now.get(read.row) != _state(read))
        outcome = "blocked" if changed else "accepted"
        db.execute(
            "INSERT INTO action (run, name, snapshot, digest, outcome, blocked_by) VALUES (?, ?, ?, ?, ?, ?)",
            (*action, outcome, json.dumps(changed)),
        )
    return changed


def _state(read: Read) -> State:
    return State(read.version, read.content, read.status, read.parents)
