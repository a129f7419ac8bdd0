"""The graph of memory: nodes point to the rows they were made from, each with the version seen."""

from __future__ import annotations

import sqlite3
from typing import Literal, NamedTuple

from evrev.agent.store import Store, insert_evidence, last_evidence
from evrev.errors import DataError
from evrev.formats.scenario import Version

# A withdrawn node still leads to what was made from it, so status is asked of the result only.
_SUCCESSORS = """
WITH RECURSIVE reach (row, id, version) AS (
  VALUES (:row, NULL, :version)
  UNION
  SELECT 'node:' || p.node, p.node, p.version
  FROM reach r JOIN parent p ON p.parent = r.row AND p.parent_version = r.version)
SELECT n.id, n.version FROM reach r JOIN node n ON n.id = r.id AND n.version = r.version
WHERE n.status = 'active'
"""


class Revised(NamedTuple):
    """A revision as it was applied: the nodes it withdrew stand in the order in which they depend."""

    document: str
    action: Literal["revoke", "replace"]
    invalidated: tuple[str, ...]


def successors(db: sqlite3.Connection, row: str, version: int) -> list[tuple[str, int]]:
    """The active nodes made, directly or through others, from exactly this version of a row (H4).

    (node id, version) of each, nearest first. Edges are compared with the version each node saw, one by one:
    a node made from another version of the row is not among them.
    """
    return [tuple(found) for found in db.execute(_SUCCESSORS, {"row": row, "version": version})]


def revise(store: Store, document: str, replacement: Version | None, *, propagate: bool = True) -> Revised:
    """Revoke `document`, or put `replacement` in its place, and withdraw what was made from it.

    One transaction does both, so that no snapshot shows a revoked document's memory. Without `propagate` the
    nodes stay active (the negative control, section 4). DataError if the document is not active, or the
    version not a later one.
    """
    with store.writing() as db:
        old = last_evidence(db, document).get(document)
        if old is None or old.status != "active":
            raise DataError("only an active document can be revised", where=document)
        if replacement is not None and replacement.version <= old.version:
            raise DataError(f"version {replacement.version} cannot replace {old.version}", where=document)
        status = "revoked" if replacement is None else "superseded"
        db.execute(
            "UPDATE evidence SET status = ? WHERE id = ? AND version = ?", (status, document, old.version)
        )
        if replacement is not None:
            insert_evidence(
                db,
                old._replace(
                    version=replacement.version,
                    payload=replacement.payload,
                    digest=replacement.payload_digest,
                ),
            )
        gone = successors(db, old.row, old.version) if propagate else []
        db.executemany("UPDATE node SET status = 'invalidated' WHERE id = ? AND version = ?", gone)
    action: Literal["revoke", "replace"] = "revoke" if replacement is None else "replace"
    return Revised(document, action, tuple(id_ for id_, _ in gone))
