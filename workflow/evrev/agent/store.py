"""The store of one trajectory: evidence, nodes, facts and actions in SQLite, changed only in transactions."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

from evrev.agent.rows import Evidence, Fact, Node, Parents, State
from evrev.formats.canonical import digest

SCHEMA = """
CREATE TABLE IF NOT EXISTS evidence (
  id TEXT NOT NULL, version INTEGER NOT NULL, source TEXT NOT NULL, patient TEXT NOT NULL,
  title TEXT NOT NULL, payload TEXT NOT NULL, digest TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'superseded', 'revoked')),
  position INTEGER NOT NULL, PRIMARY KEY (id, version)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS node (
  id TEXT NOT NULL, version INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('claims', 'summary', 'global')), document TEXT,
  text TEXT NOT NULL, digest TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'replaced', 'invalidated')),
  run TEXT NOT NULL, snapshot TEXT NOT NULL, PRIMARY KEY (id, version)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS parent (
  node TEXT NOT NULL, version INTEGER NOT NULL, parent TEXT NOT NULL, parent_version INTEGER NOT NULL,
  PRIMARY KEY (node, version, parent, parent_version)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS child ON parent (parent, parent_version);
CREATE TABLE IF NOT EXISTS fact (
  node TEXT NOT NULL, version INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('med', 'problem', 'lab', 'other')), content TEXT NOT NULL,
  digest TEXT NOT NULL, document TEXT NOT NULL, document_version INTEGER NOT NULL,
  PRIMARY KEY (node, version, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS action (
  position INTEGER PRIMARY KEY, run TEXT NOT NULL, name TEXT NOT NULL, snapshot TEXT NOT NULL,
  digest TEXT NOT NULL, outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'blocked')),
  blocked_by TEXT NOT NULL);
"""
# Who wrote a row and from which snapshot is provenance, not content; texts are covered by their digests.
_CONTENT = {
    "evidence": "id, version, source, patient, title, digest, status, position",
    "node": "id, version, kind, document, digest, status",
    "parent": "node, version, parent, parent_version",
    "fact": "node, version, position, id, type, digest, document, document_version",
    "action": "position, name, snapshot, digest, outcome, blocked_by",
}


@cache
def _empty() -> bytes:
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    data = db.serialize()
    db.close()
    return data


class Store:
    """One trajectory's store; the connection is the store's own. Close it, or use it in a `with` block."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @classmethod
    def in_memory(cls, data: bytes | None = None) -> Store:
        """An empty store in memory, or a byte copy of the one that `serialize` gave."""
        db = sqlite3.connect(":memory:", isolation_level=None)
        db.deserialize(_empty() if data is None else data)
        return cls(db)

    @classmethod
    def open(cls, path: Path) -> Store:
        """A store in a file, made if absent; every connection to it takes its turn at writing."""
        db = sqlite3.connect(path, isolation_level=None, timeout=60)
        # What must survive a crash is the call journal, from which a store is made again: no flush to disk.
        db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE;" + SCHEMA)
        return cls(db)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the connection; a store in memory is gone."""
        self._db.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        self._db.execute(begin)
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """One read transaction: everything read inside is of one moment."""
        return self._transaction("BEGIN")

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """One immediate transaction: no other connection writes from its start to its end."""
        return self._transaction("BEGIN IMMEDIATE")

    def serialize(self) -> bytes:
        """The whole store as bytes."""
        return self._db.serialize()

    def content_digest(self) -> str:
        """SHA-256 of all rows but for who wrote them and when: equal content, equal digest."""
        with self.reading() as db:
            rows = {
                table: db.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3, 4").fetchall()
                for table, columns in _CONTENT.items()
            }
        return digest(rows)


def insert_evidence(db: sqlite3.Connection, row: Evidence) -> None:
    """Add one version of a document, inside a writing transaction."""
    db.execute("INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def insert_node(db: sqlite3.Connection, node: Node, *, run: str, snapshot: str) -> None:
    """Write `node` as the next version of its id, whatever version it states; the one before is replaced."""
    (version,) = db.execute(
        "SELECT coalesce(max(version), 0) + 1 FROM node WHERE id = ?", (node.id,)
    ).fetchone()
    db.execute("UPDATE node SET status = 'replaced' WHERE id = ? AND status = 'active'", (node.id,))
    db.execute(
        "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?)",
        (node.id, version, node.kind, node.document, node.text, node.digest, run, snapshot),
    )
    db.executemany("INSERT INTO parent VALUES (?, ?, ?, ?)", [(node.id, version, *p) for p in node.parents])
    db.executemany(
        "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(node.id, version, at, *fact) for at, fact in enumerate(node.facts, start=1)],
    )


def last_evidence(db: sqlite3.Connection, document: str | None = None) -> dict[str, Evidence]:
    """Document id -> its last version, whatever its status; of one document or of all."""
    # With max(), SQLite takes the other columns from the row that holds the maximum.
    rows = db.execute(
        "SELECT id, max(version), source, patient, title, payload, digest, status, position"
        " FROM evidence WHERE ?1 IS NULL OR id = ?1 GROUP BY id",
        (document,),
    )
    return {row[0]: Evidence._make(row) for row in rows}


def last_nodes(db: sqlite3.Connection) -> list[Node]:
    """The last version of every node, whatever its status, without its facts."""
    parents: dict[tuple[str, int], Parents] = defaultdict(tuple)
    for node, version, parent, seen in db.execute("SELECT * FROM parent ORDER BY 1, 2, 3, 4"):
        parents[node, version] += ((parent, seen),)
    rows = db.execute("SELECT id, max(version), kind, document, text, digest, status FROM node GROUP BY id")
    return [Node._make((*row, parents[row[0], row[1]], ())) for row in rows]


def facts_by_node(db: sqlite3.Connection) -> dict[str, tuple[Fact, ...]]:
    """Id of an active node -> its facts in order."""
    facts: dict[str, list[Fact]] = defaultdict(list)
    for node, *fact in db.execute(
        "SELECT f.node, f.id, f.type, f.content, f.digest, f.document, f.document_version"
        " FROM node n JOIN fact f ON f.node = n.id AND f.version = n.version"
        " WHERE n.status = 'active' ORDER BY f.node, f.position"
    ):
        facts[node].append(Fact._make(fact))
    return {node: tuple(found) for node, found in facts.items()}


def states(evidence: Iterable[Evidence], nodes: Iterable[Node]) -> dict[str, State]:
    """Row name -> its state, from the last versions of documents and nodes."""
    now = {row.row: State(row.version, row.digest, row.status) for row in evidence}
    now |= {node.row: State(node.version, node.digest, node.status, node.parents) for node in nodes}
    return now
