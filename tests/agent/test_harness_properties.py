"""The six harness properties and their limiting case (paper, App. A), with scripted callers and no model."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from agent_fakes import PATIENT, Scripted, make_evidence, make_scenario, play, store_with

from evrev.agent.extraction import Claim
from evrev.agent.gate import Action, commit, read_set
from evrev.agent.gateway import Origin, admit_claims, admit_summary
from evrev.agent.graph import revise
from evrev.agent.pipelines import Memory, MemoryView, Pipeline, Snapshot
from evrev.agent.pipelines.cache import Cache
from evrev.agent.pipelines.local_repair import LocalRepair
from evrev.agent.pipelines.rebuild import Rebuild
from evrev.agent.pipelines.reread import Reread
from evrev.agent.snapshot import take_snapshot
from evrev.agent.store import Store, insert_evidence
from evrev.agent.views import DocumentView
from evrev.formats.scenario import Version
from evrev.formats.trajectory import Trajectory, Use

ORIGIN = Origin("run", PATIENT, "snapshot")
ACTION = Action("run", "u0", "snapshot", "answer")
SECOND = Version(version=2, lines=("MEDICATION | omegazol 20 mg",))
ALL = [Reread, Cache, Rebuild, LocalRepair]


def watched(pipeline: type[Pipeline], taken: list[Memory]) -> Pipeline:
    """The pipeline, handing out the memory it works on."""

    class Watched(pipeline):
        async def ingest(self, memory: Memory) -> None:
            taken.append(memory)
            await super().ingest(memory)

    return Watched()


def during(
    call: str, act: Callable[[Store], object], pipeline: type[Pipeline], event: str = "E0", **replies: str
) -> tuple[Trajectory, Store]:
    """Play a scenario in which `act` changes the store while the model answers `call`."""
    memories: list[Memory] = []

    def hook(name: str) -> None:
        if name == call:
            act(memories[0].store)

    caller = Scripted({name.replace("_", ":"): reply for name, reply in replies.items()}, hook=hook)
    return play(make_scenario(event), watched(pipeline, memories), caller), memories[0].store


def uses_of(trajectory: Trajectory) -> list[tuple[str, tuple[str, ...]]]:
    return [(use.commit, use.blocked_by) for use in trajectory.uses]


@pytest.mark.parametrize("pipeline", ALL)
@pytest.mark.parametrize("replacement", [None, SECOND])
def test_h1_a_revision_after_the_snapshot_blocks_the_commit(
    pipeline: type[Pipeline], replacement: Version | None
) -> None:
    trajectory, _ = during("u0", lambda store: revise(store, "D1", replacement), pipeline)
    blocked = trajectory.uses[0]
    assert blocked.commit == "blocked"
    assert "evidence:D1" in blocked.blocked_by
    assert blocked.items is not None
    assert [use.commit for use in trajectory.uses[1:]] == ["accepted", "accepted"]


def test_h1_an_answer_that_cannot_be_read_is_blocked_like_any_other() -> None:
    trajectory, _ = during("u0", lambda store: revise(store, "D1", None), Reread, u0="no JSON at all")
    assert trajectory.uses[0].items is None
    assert uses_of(trajectory)[0] == ("blocked", ("evidence:D1",))


def test_h1_the_rows_that_changed_are_named_and_no_others() -> None:
    trajectory, _ = during("u0", lambda store: revise(store, "D1", None), LocalRepair)
    assert set(trajectory.uses[0].blocked_by) == {"evidence:D1", "node:c:D1", "node:s:D1", "node:G"}


def test_h1_holds_without_propagation_too() -> None:
    trajectory, _ = during("u0", lambda store: revise(store, "D1", None, propagate=False), Cache)
    assert uses_of(trajectory)[0] == ("blocked", ("evidence:D1",))


@pytest.mark.parametrize("pipeline", ALL)
def test_h2_an_unrelated_write_does_not_block_the_commit(pipeline: type[Pipeline]) -> None:
    def unrelated(store: Store) -> None:
        store_with(make_evidence("D9"), store=store)
        shown = take_snapshot(store).evidence["D9"]
        admit_claims(store, shown, [Claim("med", "unrelated", "D9")], ORIGIN)
        commit(store, [], ACTION)

    trajectory, _ = during("u0", unrelated, pipeline)
    assert uses_of(trajectory)[0] == ("accepted", ())


def test_h2_a_revision_of_a_document_that_was_not_shown_does_not_block_the_commit() -> None:
    class PharmacyOnly(Reread):
        def show(self, snapshot: Snapshot, task: object) -> DocumentView:  # noqa: ARG002
            return DocumentView(tuple(row for row in snapshot.documents if row.source == "pharmacy"))

    trajectory, _ = during("u0", lambda store: revise(store, "D2", None), PharmacyOnly)
    assert uses_of(trajectory)[0] == ("accepted", ())


@pytest.mark.parametrize("replacement", [None, SECOND])
def test_h3_claims_of_a_document_revised_while_it_was_read_are_rejected_as_stale_input(
    replacement: Version | None,
) -> None:
    trajectory, _ = during("e:D1@1", lambda store: revise(store, "D1", replacement), Cache)
    call = next(call for call in trajectory.calls if call.name == "e:D1@1")
    assert call.parse.status == "strict"
    assert (call.parse.admitted, call.parse.rejected, call.parse.repairs) == (0, 1, ("stale_input",))
    shown = {read.row for read in trajectory.uses[0].read_set}
    assert shown == {"node:c:D2", "node:c:D3", "evidence:D2", "evidence:D3"}


def test_h3_a_revision_of_another_document_rejects_nothing() -> None:
    trajectory, _ = during("e:D2@1", lambda store: revise(store, "D1", None), Cache)
    call = next(call for call in trajectory.calls if call.name == "e:D2@1")
    assert (call.parse.admitted, call.parse.rejected) == (1, 0)


@pytest.mark.parametrize(
    ("change", "fault"),
    [({"source": "somewhere"}, "source_not_ingestible"), ({"patient": "p2"}, "other_patient"), ({}, None)],
)
def test_h3_the_gateway_asks_for_an_ingestible_source_and_the_same_patient(
    change: dict[str, str], fault: str | None
) -> None:
    store = store_with(make_evidence("D1")._replace(**change))
    before = store.content_digest()
    claims = [Claim("med", "a", "D1"), Claim("med", "b", "D1")]
    admission = admit_claims(store, take_snapshot(store).documents[0], claims, ORIGIN)
    assert admission.faults == ((fault,) if fault else ())
    assert (admission.admitted, admission.rejected) == ((0, 2) if fault else (2, 0))
    assert (store.content_digest() == before) is (fault is not None)


@pytest.mark.parametrize("pipeline", [Rebuild, LocalRepair])
@pytest.mark.parametrize("event", ["E1", "E2"])
def test_h4_a_revision_invalidates_exactly_the_transitive_successors(
    pipeline: type[Pipeline], event: str
) -> None:
    trajectory = play(make_scenario(event), pipeline())
    assert trajectory.revision is not None
    assert trajectory.revision.invalidated == ("c:D4", "s:D4", "G")


def test_h4_nodes_made_from_another_version_are_not_successors() -> None:
    store = store_with(make_evidence("D1"))
    admit_claims(store, take_snapshot(store).documents[0], [], ORIGIN)
    revise(store, "D1", SECOND, propagate=False)
    assert revise(store, "D1", None).invalidated == ()
    assert [node.id for node in take_snapshot(store).nodes] == ["c:D1"]


def test_h4_independent_nodes_keep_version_and_digest() -> None:
    seen: list[Snapshot] = []

    class Before(LocalRepair):
        def show(self, snapshot: Snapshot, task: object) -> MemoryView:  # noqa: ARG002
            seen.append(snapshot)
            return MemoryView(snapshot.nodes)

    play(make_scenario("E1"), Before())
    kept = [{n.id: (n.version, n.digest) for n in s.nodes if n.id != "G"} for s in seen[:2]]
    assert {id_: kept[0][id_] for id_ in kept[1]} == kept[1]
    assert set(kept[0]) - set(kept[1]) == {"c:D4", "s:D4"}


def test_h5_local_repair_recomputes_in_dependency_order() -> None:
    caller = Scripted()
    trajectory = play(make_scenario("E2"), "local_repair", caller)
    assert trajectory.revision is not None
    assert trajectory.revision.rebuilt == ("c:D4", "s:D4", "G")
    revise_calls = [name for name in caller.names if name.startswith("r:")]
    assert revise_calls == ["r:e:D4@2", "r:s:D4@2", "r:G"]
    assert "omegazol 20 mg" in caller.prompts["r:s:D4@2"]
    assert "omegazol 10 mg" not in caller.prompts["r:s:D4@2"]


def test_h5_each_recomputed_node_records_the_versions_it_was_made_from() -> None:
    trajectory = play(make_scenario("E2"), "local_repair")
    reads = {read.row: (read.version, read.parents) for read in trajectory.uses[1].read_set}
    assert reads["node:c:D4"] == (2, (("evidence:D4", 2),))
    assert reads["node:s:D4"] == (2, (("node:c:D4", 2),))
    assert reads["node:G"][1] == tuple((f"node:s:D{i}", 2 if i == 4 else 1) for i in (1, 2, 3, 4))


def two_views_of_one_document() -> tuple[Store, MemoryView, Snapshot]:
    """Claims made from version 1 of D1, a summary of them, and claims of version 2 written since."""
    store = store_with(make_evidence("D1"), make_evidence("D2"))
    admit_claims(store, take_snapshot(store).evidence["D1"], [Claim("med", "a", "D1")], ORIGIN)
    admit_summary(store, "of version 1", take_snapshot(store).of_kind("claims"), ORIGIN)
    revise(store, "D1", SECOND, propagate=False)
    admit_claims(store, take_snapshot(store).evidence["D1"], [Claim("med", "b", "D1")], ORIGIN)
    snapshot = take_snapshot(store)
    return store, MemoryView(snapshot.nodes), snapshot


def test_h6_nodes_that_saw_different_versions_each_keep_their_own_constraint() -> None:
    store, view, snapshot = two_views_of_one_document()
    reads = {read.row: read.parents for read in read_set(snapshot, view)}
    assert reads["node:s:D1"] == (("node:c:D1", 1),)
    assert reads["node:c:D1"] == (("evidence:D1", 2),)
    assert commit(store, read_set(snapshot, view), ACTION) == ()


def test_h6_parents_exchanged_between_two_nodes_block_though_their_union_is_the_same() -> None:
    store = store_with(make_evidence("D1"), make_evidence("D2"))
    for row in take_snapshot(store).documents:
        admit_claims(store, row, [], ORIGIN)
    snapshot = take_snapshot(store)
    reads = read_set(snapshot, MemoryView(snapshot.nodes))
    union = {parent for read in reads for parent in read.parents}
    with store.writing() as db:
        db.execute("UPDATE parent SET parent = 'evidence:D3' WHERE node = 'c:D1'")
        db.execute("UPDATE parent SET parent = 'evidence:D1' WHERE node = 'c:D2'")
        db.execute("UPDATE parent SET parent = 'evidence:D2' WHERE node = 'c:D1'")
    after = take_snapshot(store)
    assert {p for read in read_set(after, MemoryView(after.nodes)) for p in read.parents} == union
    assert commit(store, reads, ACTION) == ("node:c:D1", "node:c:D2")


def test_h7_limit_unsupported_content_carries_its_documents_parent_and_survives_anothers_revocation() -> None:
    claims = [
        {"type": "med", "content": "alphadrol 5 mg", "evidence": "D1"},
        {"type": "med", "content": "omegazol 10 mg", "evidence": "D1"},
    ]
    trajectory, _ = during(
        "", lambda _: None, LocalRepair, "E1", **{"e_D1@1": json.dumps({"claims": claims})}
    )
    last = next(call for call in trajectory.calls if call.name == "u1")
    assert "- med | omegazol 10 mg | claim=D1.c2 | from=D1:pharmacy" in last.messages[-1].content
    assert "D4" not in last.messages[-1].content
    assert trajectory.uses[1].commit == "accepted"


def test_the_gate_does_not_ask_whether_a_node_was_made_from_the_latest_version() -> None:
    class NoPropagation(LocalRepair):
        propagates = False

        async def revise(self, memory: Memory, revised: object) -> tuple[str, ...]:  # noqa: ARG002
            return ()

    for event, state in (("E1", (1, "revoked")), ("E2", (2, "active"))):
        trajectory = play(make_scenario(event), NoPropagation())
        later: Use = trajectory.uses[1]
        reads = {read.row: read for read in later.read_set}
        assert reads["node:c:D4"].parents == (("evidence:D4", 1),)
        assert (reads["evidence:D4"].version, reads["evidence:D4"].status) == state
        assert [use.commit for use in trajectory.uses] == ["accepted"] * 3
        assert "omegazol 10 mg" in trajectory.calls[-1].messages[-1].content


def test_the_gate_does_not_ask_for_support_permission_or_a_readable_answer() -> None:
    caller = Scripted({"u0": "no JSON at all", "u1": json.dumps({"items": ["invented"]})})
    trajectory = play(make_scenario("E4"), "cache", caller)
    assert [use.commit for use in trajectory.uses] == ["accepted"] * 3
    assert trajectory.uses[0].items is None
    assert trajectory.uses[1].items == ("invented",)


def test_every_answer_leaves_an_action_record_blocked_ones_too() -> None:
    store = store_with(make_evidence("D1"))
    snapshot = take_snapshot(store)
    reads = read_set(snapshot, DocumentView(snapshot.documents))
    assert commit(store, reads, ACTION._replace(snapshot=snapshot.id)) == ()
    revise(store, "D1", None)
    assert commit(store, reads, ACTION._replace(snapshot=snapshot.id)) == ("evidence:D1",)
    with store.reading() as db:
        rows = db.execute(
            "SELECT name, snapshot, outcome, blocked_by FROM action ORDER BY position"
        ).fetchall()
    assert rows == [
        ("u0", snapshot.id, "accepted", "[]"),
        ("u0", snapshot.id, "blocked", '["evidence:D1"]'),
    ]


def test_a_row_added_since_the_snapshot_never_blocks() -> None:
    store = store_with(make_evidence("D1"))
    snapshot = take_snapshot(store)
    with store.writing() as db:
        insert_evidence(db, make_evidence("D2"))
    assert commit(store, read_set(snapshot, DocumentView(snapshot.documents)), ACTION) == ()
