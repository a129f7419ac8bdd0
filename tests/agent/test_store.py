"""The store: transactions that hold or vanish whole, and digests that see content and nothing else."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from agent_fakes import make_evidence, store_with

from evrev.agent.extraction import Claim
from evrev.agent.gateway import Origin, admit_claims, admit_summary
from evrev.agent.graph import revise
from evrev.agent.snapshot import take_snapshot
from evrev.agent.store import Store
from evrev.errors import DataError
from evrev.formats.scenario import Version

ORIGIN = Origin("run", "p00000001", "snapshot")


def filled(run: str = "run", snapshot: str = "snapshot") -> Store:
    store = store_with(make_evidence("D1"), make_evidence("D2"))
    origin = ORIGIN._replace(run=run, snapshot=snapshot)
    for id_ in ("D1", "D2"):
        shown = take_snapshot(store).evidence[id_]
        admit_claims(store, shown, [Claim("med", f"drug of {id_}", id_)], origin)
    for node in take_snapshot(store).of_kind("claims"):
        admit_summary(store, f"about {node.id}", [node], origin)
    admit_summary(store, "about all", take_snapshot(store).of_kind("summary"), origin)
    return store


def test_a_transaction_that_fails_leaves_no_row() -> None:
    store = store_with(make_evidence("D1"))
    before = store.content_digest()
    with pytest.raises(sqlite3.IntegrityError):
        store_with(make_evidence("D2"), make_evidence("D1"), store=store)
    assert store.content_digest() == before


def test_a_status_outside_the_listed_ones_is_refused() -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store_with(make_evidence("D1", status="gone"))


def test_a_snapshot_id_is_a_content_hash_of_the_active_rows_alone() -> None:
    one, other = filled(), filled(run="another run", snapshot="another snapshot")
    assert take_snapshot(one).id == take_snapshot(other).id
    assert one.content_digest() == other.content_digest()
    assert take_snapshot(one).id == take_snapshot(one).id


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE evidence SET version = 2 WHERE id = 'D1'",
        "UPDATE evidence SET digest = 'other' WHERE id = 'D1'",
        "UPDATE evidence SET status = 'revoked' WHERE id = 'D1'",
        "UPDATE node SET version = 2 WHERE id = 's:D1'",
        "UPDATE node SET digest = 'other' WHERE id = 'G'",
        "UPDATE node SET status = 'invalidated' WHERE id = 'c:D2'",
        "UPDATE parent SET parent_version = 2 WHERE node = 's:D1'",
    ],
)
def test_a_snapshot_id_changes_with_any_active_row(change: str) -> None:
    store = filled()
    before, rows = take_snapshot(store).id, store.content_digest()
    with store.writing() as db:
        db.execute(change)
    assert take_snapshot(store).id != before
    assert store.content_digest() != rows


def test_a_snapshot_id_does_not_see_rows_that_are_no_longer_active() -> None:
    store = filled()
    revise(store, "D2", None)
    before = take_snapshot(store).id
    with store.writing() as db:
        db.execute("UPDATE evidence SET digest = 'other' WHERE id = 'D2'")
        db.execute("UPDATE node SET digest = 'other' WHERE status <> 'active'")
    assert take_snapshot(store).id == before


def test_a_snapshot_does_not_change_with_the_store() -> None:
    store = filled()
    snapshot = take_snapshot(store)
    documents, nodes = snapshot.documents, snapshot.nodes
    revise(store, "D1", None)
    assert (snapshot.documents, snapshot.nodes) == (documents, nodes)
    assert [row.id for row in take_snapshot(store).documents] == ["D2"]


def test_a_snapshot_lists_nodes_as_prompts_show_them() -> None:
    assert [node.id for node in take_snapshot(filled()).nodes] == ["G", "s:D1", "s:D2", "c:D1", "c:D2"]


def test_a_byte_copy_is_the_same_store_and_goes_its_own_way() -> None:
    store = filled()
    data = store.serialize()
    assert data == store.serialize()
    with Store.in_memory(data) as copy:
        assert copy.content_digest() == store.content_digest()
        assert take_snapshot(copy) == take_snapshot(store)
        revise(copy, "D1", None)
        assert copy.content_digest() != store.content_digest()


def test_a_store_in_a_file_is_what_another_connection_reads(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.sqlite") as store, Store.open(tmp_path / "store.sqlite") as other:
        store_with(make_evidence("D1"), store=store)
        assert take_snapshot(other) == take_snapshot(store)
        assert [row.id for row in take_snapshot(other).documents] == ["D1"]


def test_a_rewritten_node_is_the_next_version_and_replaces_the_last() -> None:
    store = filled()
    (claims,) = (node for node in take_snapshot(store).nodes if node.id == "c:D1")
    admit_summary(store, "told again", [claims], ORIGIN)
    with store.reading() as db:
        rows = db.execute("SELECT version, status, text FROM node WHERE id = 's:D1' ORDER BY 1").fetchall()
    assert rows == [(1, "replaced", "about c:D1"), (2, "active", "told again")]


def test_claims_are_named_by_document_and_order_and_keep_their_names_when_extracted_again() -> None:
    store = store_with(make_evidence("D4"))
    claims = [Claim("med", "one", "D4"), Claim("med", "elsewhere", "D1"), Claim("lab", "two", "D4")]
    first, again = [], []
    for ids in (first, again):
        admit_claims(store, take_snapshot(store).documents[0], claims, ORIGIN)
        ids += [(fact.id, fact.digest) for fact in take_snapshot(store).nodes[0].facts]
    assert [id_ for id_, _ in first] == ["D4.c1", "D4.c2"]
    assert first == again


def test_a_summary_of_withdrawn_claims_is_not_written() -> None:
    store = store_with(make_evidence("D1"))
    admit_claims(store, take_snapshot(store).documents[0], [Claim("med", "a", "D1")], ORIGIN)
    (claims,) = take_snapshot(store).nodes
    revise(store, "D1", None)
    before = store.content_digest()
    assert not admit_summary(store, "too late", [claims], ORIGIN)
    assert store.content_digest() == before


def test_a_summary_of_claims_extracted_again_meanwhile_is_not_written() -> None:
    store = store_with(make_evidence("D1"))
    shown = take_snapshot(store).documents[0]
    admit_claims(store, shown, [Claim("med", "a", "D1")], ORIGIN)
    (old,) = take_snapshot(store).nodes
    admit_claims(store, shown, [Claim("med", "b", "D1")], ORIGIN)
    assert not admit_summary(store, "of what was replaced", [old], ORIGIN)
    assert [node.id for node in take_snapshot(store).nodes] == ["c:D1"]


def test_only_an_active_document_can_be_revised_and_only_by_a_later_version() -> None:
    store = store_with(make_evidence("D1", version=2))
    with pytest.raises(DataError, match="version 2 cannot replace 2"):
        revise(store, "D1", Version(version=2, lines=("MEDICATION | b",)))
    revise(store, "D1", None)
    for document in ("D1", "D9"):
        with pytest.raises(DataError, match="only an active document"):
            revise(store, document, None)
