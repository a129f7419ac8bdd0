"""The harness properties once more, with connections of their own racing on one store in a file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agent_fakes import CONTRACT, PATIENT, Scripted, make_evidence, store_with

from evrev.agent.extraction import Claim
from evrev.agent.gate import Action, commit, read_set
from evrev.agent.gateway import Origin, admit_claims, admit_summary
from evrev.agent.graph import revise
from evrev.agent.memory import Memory
from evrev.agent.pipelines import MemoryView
from evrev.agent.prompting import Prompts
from evrev.agent.snapshot import take_snapshot
from evrev.agent.store import Store
from evrev.agent.transcript import Transcript
from evrev.formats.scenario import Version
from evrev.formats.trajectory import Decoding

# Seconds after which a thread that waits for another gives up: only a failing test gets there.
PATIENCE = 30.0
ORIGIN = Origin("run", PATIENT, "snapshot")
ACTION = Action("run", "u0", "snapshot", "answer")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def race(path: Path, *runners: Callable[[Store], object]) -> list[object]:
    """Run each on a connection and thread of its own, all let go at the same moment; their results."""
    barrier = threading.Barrier(len(runners), timeout=PATIENCE)

    def run(runner: Callable[[Store], object]) -> object:
        with Store.open(path) as store:
            barrier.wait()
            return runner(store)

    with ThreadPoolExecutor(len(runners)) as pool:
        return [future.result() for future in [pool.submit(run, runner) for runner in runners]]


def extract(store: Store, document: str) -> None:
    shown = take_snapshot(store).evidence[document]
    admit_claims(store, shown, [Claim("med", f"of version {shown.version}", document)], ORIGIN)


def test_h1_commits_are_accepted_up_to_the_revision_and_blocked_after_it(path: Path) -> None:
    with Store.open(path) as store:
        store_with(make_evidence("D1"), make_evidence("D2"), store=store)
        extract(store, "D1")
        with store.writing() as db:
            # The revision marks its own place among the actions, inside its own transaction.
            db.execute(
                "CREATE TRIGGER mark AFTER UPDATE OF status ON evidence BEGIN INSERT INTO action (run, name,"
                " snapshot, digest, outcome, blocked_by) VALUES ('', 'mark', '', '', 'accepted', '');"
                " END"
            )
        snapshot = take_snapshot(store)
        reads = read_set(snapshot, MemoryView(snapshot.nodes))
    half_way, revised = threading.Barrier(3, timeout=PATIENCE), threading.Event()

    def use(store: Store) -> tuple[str, ...]:
        for _ in range(10):
            assert commit(store, reads, ACTION) == ()
        half_way.wait()
        for _ in range(10):
            commit(store, reads, ACTION)
        assert revised.wait(PATIENCE)
        return commit(store, reads, ACTION)

    def connector(store: Store) -> tuple[str, ...]:
        half_way.wait()
        invalidated = revise(store, "D1", None).invalidated
        revised.set()
        return invalidated

    assert race(path, use, use, connector) == [("node:c:D1", "evidence:D1")] * 2 + [("c:D1",)]
    with Store.open(path) as store, store.reading() as db:
        rows = db.execute("SELECT iif(name = 'mark', name, outcome) FROM action ORDER BY position")
        outcomes = [outcome for (outcome,) in rows]
    before, after = outcomes[: outcomes.index("mark")], outcomes[outcomes.index("mark") + 1 :]
    assert (len(outcomes), set(before), set(after)) == (43, {"accepted"}, {"blocked"})


def test_h2_unrelated_writes_never_block_a_commit(path: Path) -> None:
    with Store.open(path) as store:
        store_with(*(make_evidence(f"D{n}") for n in range(1, 32)), store=store)
        extract(store, "D1")
        snapshot = take_snapshot(store)
        reads = read_set(snapshot, MemoryView(snapshot.nodes))

    def unrelated(store: Store) -> None:
        for n in range(2, 32):
            extract(store, f"D{n}")
            revise(store, f"D{n}", None)

    def use(store: Store) -> list[tuple[str, ...]]:
        return [commit(store, reads, ACTION) for _ in range(30)]

    assert race(path, unrelated, use)[1] == [()] * 30


def test_h3_no_claim_of_a_revised_version_stays_active_whoever_wins(path: Path) -> None:
    documents = [f"D{n}" for n in range(1, 31)]
    with Store.open(path) as store:
        store_with(*(make_evidence(document) for document in documents), store=store)
        shown = take_snapshot(store).evidence

    def extractor(store: Store) -> list[bool]:
        claims = [(d, [Claim("med", "a", d), Claim("med", "b", d)]) for d in documents]
        return [admit_claims(store, shown[d], listed, ORIGIN).written for d, listed in claims]

    def connector(store: Store) -> list[bool]:
        # From the last document on, so that the two meet somewhere in the middle.
        return [bool(revise(store, d, None).invalidated) for d in reversed(documents)]

    written, withdrawn = race(path, extractor, connector)
    assert written == list(reversed(withdrawn))
    with Store.open(path) as store, store.reading() as db:
        assert db.execute("SELECT count(*) FROM node WHERE status = 'active'").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM fact").fetchone() == (2 * sum(written),)


def test_h4_no_snapshot_shows_a_node_whose_document_has_moved_on(path: Path) -> None:
    with Store.open(path) as store:
        store_with(make_evidence("D1"), make_evidence("D2"), store=store)
        for document in ("D1", "D2"):
            extract(store, document)

    def connector(store: Store) -> None:
        for version in range(2, 22):
            revise(store, "D1", Version(version=version, lines=(f"MEDICATION | {version}",)))
            extract(store, "D1")
            admit_summary(store, "s", [n for n in take_snapshot(store).nodes if n.id == "c:D1"], ORIGIN)

    def reader(store: Store) -> set[str]:
        seen = set()
        for _ in range(60):
            snapshot = take_snapshot(store)
            seen.add(snapshot.id)
            assert_current(store)
        return seen

    assert race(path, connector, reader)[1]


def test_h5_a_repair_that_races_with_revisions_builds_on_nothing_withdrawn(path: Path) -> None:
    with Store.open(path) as store:
        store_with(make_evidence("D1"), make_evidence("D2"), store=store)
        asyncio.run(memory_in(store).build())
        first = {node.id: node.version for node in take_snapshot(store).nodes}

    def connector(store: Store) -> None:
        for version in range(2, 22):
            revise(store, "D1", Version(version=version, lines=(f"MEDICATION | {version}",)))

    def repairer(store: Store) -> None:
        for _ in range(30):
            missing = {"c:D1", "s:D1", "G"} - {node.id for node in take_snapshot(store).nodes}
            asyncio.run(memory_in(store).recompute(missing))
            assert_current(store)

    race(path, connector, repairer)
    with Store.open(path) as store:
        assert asyncio.run(memory_in(store).recompute(["G", "c:D1", "s:D1"])) == ("c:D1", "s:D1", "G")
        assert_current(store)
        nodes = {node.id: node for node in take_snapshot(store).nodes}
        assert nodes["c:D1"].parents == (("evidence:D1", 21),)
        assert {id_: nodes[id_].version for id_ in ("c:D2", "s:D2")} == {"c:D2": 1, "s:D2": 1}
        assert all(nodes[id_].version > first[id_] for id_ in ("c:D1", "s:D1", "G"))


def memory_in(store: Store) -> Memory:
    """A session of its own on the store, with a model that answers at once."""
    transcript = Transcript("scripted", Decoding(), Scripted())
    return Memory(store, transcript, Prompts(PATIENT, CONTRACT), run="run", patient=PATIENT)


def assert_current(store: Store) -> None:
    """Every active node stands on rows that are active at the version it saw."""
    snapshot = take_snapshot(store)
    now = {row.row: row.version for row in (*snapshot.documents, *snapshot.nodes)}
    for node in snapshot.nodes:
        assert all(now.get(parent) == version for parent, version in node.parents)


def test_h6_each_of_two_sessions_is_held_to_what_it_saw_itself(path: Path) -> None:
    with Store.open(path) as store:
        store_with(make_evidence("D1"), make_evidence("D2"), store=store)
        for document in ("D1", "D2"):
            extract(store, document)
    looked = threading.Barrier(2, timeout=PATIENCE)
    revised = threading.Event()

    def session(document: str) -> Callable[[Store], tuple[str, ...]]:
        def run(store: Store) -> tuple[str, ...]:
            snapshot = take_snapshot(store)
            reads = read_set(snapshot, MemoryView(tuple(n for n in snapshot.nodes if n.document == document)))
            looked.wait()
            if document == "D1":
                revise(store, "D2", None)
                revised.set()
            assert revised.wait(PATIENCE)
            return commit(store, reads, ACTION)

        return run

    assert race(path, session("D1"), session("D2")) == [(), ("node:c:D2", "evidence:D2")]


def test_h7_limit_unsupported_content_survives_the_revocation_of_its_true_source_whoever_wins(
    path: Path,
) -> None:
    with Store.open(path) as store:
        store_with(make_evidence("D1"), make_evidence("D4"), store=store)
        shown = take_snapshot(store).evidence["D1"]

    def extractor(store: Store) -> tuple[str, ...]:
        admit_claims(store, shown, [Claim("med", "what only D4 says", "D1")], ORIGIN)
        snapshot = take_snapshot(store)
        return commit(store, read_set(snapshot, MemoryView(snapshot.nodes)), ACTION)

    def connector(store: Store) -> tuple[str, ...]:
        return revise(store, "D4", None).invalidated

    assert race(path, extractor, connector) == [(), ()]
    with Store.open(path) as store:
        (node,) = take_snapshot(store).nodes
        assert [fact.content for fact in node.facts] == ["what only D4 says"]
        assert node.parents == (("evidence:D1", 1),)
