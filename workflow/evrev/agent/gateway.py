"""The gateway: what a model derived becomes memory only if what it was shown is still so (App. A)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, get_args

from evrev.agent.extraction import Claim
from evrev.agent.rows import GLOBAL, Evidence, Node, NodeKind, claims_id, make_fact, summary_id
from evrev.agent.store import Store, insert_node, last_evidence
from evrev.formats.canonical import digest
from evrev.formats.scenario import Source

INGESTIBLE: frozenset[str] = frozenset(get_args(Source))


class Admission(NamedTuple):
    """What became of a batch: claims admitted and rejected, why, and whether its node was written."""

    admitted: int
    rejected: int
    faults: tuple[str, ...] = ()
    written: bool = True


class Origin(NamedTuple):
    """Who writes a node: the trajectory, its patient, and the snapshot the prompt was made from."""

    run: str
    patient: str
    snapshot: str


def admit_claims(store: Store, shown: Evidence, claims: Sequence[Claim], origin: Origin) -> Admission:
    """Write the claims node of the document that was shown, in one immediate transaction.

    The whole batch is turned away if the document comes from a source that may not be ingested, belongs to
    another patient, or is no longer active at the version shown (H3). A claim that refers to anything but
    the shown document is turned away alone. An empty batch still makes a node: it says that nothing was
    found.
    """
    own = [claim for claim in claims if claim.evidence == shown.id]
    rejected = len(claims) - len(own)
    facts = tuple(make_fact(claim.type, claim.content, n, shown) for n, claim in enumerate(own, start=1))
    content = digest([[fact.id, fact.digest] for fact in facts])
    parents = ((shown.row, shown.version),)
    node = Node(claims_id(shown.id), 0, "claims", shown.id, "", content, "active", parents, facts)
    with store.writing() as db:
        fault = _turned_away(db, shown, origin.patient)
        if fault:
            return Admission(0, len(claims), (fault,), written=False)
        insert_node(db, node, run=origin.run, snapshot=origin.snapshot)
    return Admission(len(own), rejected, ("outside_reference",) if rejected else ())


def _turned_away(db: sqlite3.Connection, shown: Evidence, patient: str) -> str | None:
    if shown.source not in INGESTIBLE:
        return "source_not_ingestible"
    if shown.patient != patient:
        return "other_patient"
    if shown.status != "active" or last_evidence(db, shown.id).get(shown.id) != shown:
        return "stale_input"
    return None


def admit_summary(store: Store, text: str, inputs: Sequence[Node], origin: Origin) -> bool:
    """Write a summary of one claims node, or the global summary of several summaries.

    False, and nothing written, if any input is no longer active at the version shown: the rule for claims.
    """
    kind: NodeKind = "summary" if inputs[0].kind == "claims" else "global"
    document = inputs[0].document if kind == "summary" else None
    id_ = GLOBAL if document is None else summary_id(document)
    parents = tuple((node.row, node.version) for node in inputs)
    node = Node(id_, 0, kind, document, text, digest(text), "active", parents)
    with store.writing() as db:
        if not all(_active(db, node) for node in inputs):
            return False
        insert_node(db, node, run=origin.run, snapshot=origin.snapshot)
    return True


def _active(db: sqlite3.Connection, node: Node) -> bool:
    query = "SELECT 1 FROM node WHERE id = ? AND version = ? AND status = 'active'"
    return db.execute(query, (node.id, node.version)).fetchone() is not None
