"""Snapshots: what a prompt may show, read in one transaction and never changed afterwards (App. A)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evrev.agent.rows import Evidence, Node, NodeKind, State
from evrev.agent.store import Store, facts_by_node, last_evidence, last_nodes, states
from evrev.formats.canonical import digest

KINDS: tuple[NodeKind, ...] = ("global", "summary", "claims")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The store at one moment.

    `documents` are the active ones in prompt order and `nodes` the active ones, by kind and then in the order
    of their documents. `evidence` holds the last version of every document, active or not, and `states` the
    state of every row: a node may name a parent that is no longer active.
    """

    id: str
    documents: tuple[Evidence, ...]
    nodes: tuple[Node, ...]
    evidence: Mapping[str, Evidence]
    states: Mapping[str, State]

    def of_kind(self, kind: NodeKind) -> tuple[Node, ...]:
        """The active nodes of one kind, in prompt order."""
        return tuple(node for node in self.nodes if node.kind == kind)


def take_snapshot(store: Store) -> Snapshot:
    """Read the store in one transaction.

    The id is a content hash of the active rows: documents by version and payload digest, nodes by version,
    content digest and recorded parents. No time, run or earlier snapshot enters it, so that equal stores
    give equal ids.
    """
    with store.reading() as db:
        evidence, last, facts = last_evidence(db), last_nodes(db), facts_by_node(db)
    position = {id_: row.position for id_, row in evidence.items()}
    documents = sorted((row for row in evidence.values() if row.status == "active"), key=lambda r: r.position)
    nodes = [node._replace(facts=facts.get(node.id, ())) for node in last if node.status == "active"]
    nodes.sort(key=lambda node: (KINDS.index(node.kind), position.get(node.document or "", -1), node.id))
    return Snapshot(
        id=_content_id(documents, nodes),
        documents=tuple(documents),
        nodes=tuple(nodes),
        evidence=evidence,
        states=states(evidence.values(), last),
    )


def _content_id(documents: list[Evidence], nodes: list[Node]) -> str:
    rows = [f"{row.row} {row.version} {row.digest}" for row in documents]
    for node in nodes:
        parents = " ".join(f"{row}@{version}" for row, version in node.parents)
        rows.append(f"{node.row} {node.version} {node.digest} {parents}")
    return digest(sorted(rows))
