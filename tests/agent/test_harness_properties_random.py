"""The harness properties over random graphs and random interleavings, against a graph library as oracle."""

from __future__ import annotations

import networkx as nx
from agent_fakes import PATIENT, make_evidence, store_with
from hypothesis import given, settings
from hypothesis import strategies as st

from evrev.agent.extraction import Claim
from evrev.agent.gate import Action, commit, read_set
from evrev.agent.gateway import Origin, admit_claims
from evrev.agent.graph import revise, successors
from evrev.agent.pipelines import DocumentView, MemoryView
from evrev.agent.rows import Node
from evrev.agent.snapshot import take_snapshot
from evrev.agent.store import Store, insert_node
from evrev.formats.scenario import Version

ACTION = Action("run", "u0", "snapshot", "answer")
ORIGIN = Origin("run", PATIENT, "snapshot")
Row = tuple[str, int]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, ...]]]:
    """Documents and nodes numbered in order; each node has parents among those before it."""
    documents = draw(st.integers(1, 4))
    nodes = []
    for at in range(documents, documents + draw(st.integers(1, 9))):
        nodes.append(tuple(draw(st.sets(st.integers(0, at - 1), min_size=1, max_size=4))))
    return documents, nodes


def build(graph: tuple[int, list[tuple[int, ...]]]) -> tuple[Store, nx.DiGraph]:
    """The same graph as a store and as the oracle's graph over (row, version)."""
    documents, nodes = graph
    store, oracle = store_with(*(make_evidence(f"D{n + 1}") for n in range(documents))), nx.DiGraph()
    rows: list[Row] = [(f"evidence:D{n + 1}", 1) for n in range(documents)]
    oracle.add_nodes_from(rows)
    for at, parents in enumerate(nodes):
        node = Node(
            f"n{at}", 0, "summary", "D1", "", f"content {at}", "active", tuple(rows[p] for p in parents)
        )
        with store.writing() as db:
            insert_node(db, node, run="run", snapshot="snapshot")
        rows.append((node.row, 1))
        oracle.add_edges_from((rows[p], node_row) for p in parents for node_row in [rows[-1]])
    return store, oracle


@given(graphs(), st.data())
def test_invalidation_is_exactly_the_transitive_successors(
    graph: tuple[int, list[tuple[int, ...]]], data: st.DataObject
) -> None:
    store, oracle = build(graph)
    document = f"D{data.draw(st.integers(1, graph[0]))}"
    expected = {row.removeprefix("node:") for row, _ in nx.descendants(oracle, (f"evidence:{document}", 1))}
    replacement = data.draw(st.sampled_from([None, Version(version=2, lines=("MEDICATION | x",))]))
    every = {node.id for node in take_snapshot(store).nodes}
    assert set(revise(store, document, replacement).invalidated) == expected
    assert {node.id for node in take_snapshot(store).nodes} == every - expected


@given(graphs(), st.data())
def test_successors_are_found_through_nodes_already_withdrawn(
    graph: tuple[int, list[tuple[int, ...]]], data: st.DataObject
) -> None:
    store, oracle = build(graph)
    gone = data.draw(st.sets(st.integers(0, len(graph[1]) - 1)))
    with store.writing() as db:
        db.executemany("UPDATE node SET status = 'invalidated' WHERE id = ?", [(f"n{at}",) for at in gone])
    expected = {row.removeprefix("node:") for row, _ in nx.descendants(oracle, ("evidence:D1", 1))}
    with store.reading() as db:
        found = [id_ for id_, _ in successors(db, "evidence:D1", 1)]
    assert sorted(found) == sorted(expected - {f"n{at}" for at in gone})


# What other sessions may do meanwhile: to documents and nodes that were shown, or to others.
UNRELATED = st.lists(st.sampled_from(["add", "revise", "extract", "commit"]), max_size=12)
RELATED = st.sampled_from(["revoke", "replace", "replace without propagation", "extract again"])


def unrelated(store: Store, step: str, turn: int) -> None:
    """Write to rows outside the read set of D1."""
    if step == "add":
        store_with(make_evidence(f"D{100 + turn}"), store=store)
        return
    if step == "commit":
        commit(store, [], ACTION)
        return
    shown = [row for row in take_snapshot(store).documents if row.id != "D1"]
    if shown and step == "extract":
        admit_claims(store, shown[-1], [Claim("med", f"turn {turn}", shown[-1].id)], ORIGIN)
    elif shown:
        replacement = Version(version=shown[-1].version + 1, lines=(f"MEDICATION | turn {turn}",))
        revise(store, shown[-1].id, replacement if turn % 2 else None)


def related(store: Store, step: str) -> None:
    """Change a row of the read set of D1."""
    if step == "extract again":
        admit_claims(store, take_snapshot(store).evidence["D1"], [Claim("med", "again", "D1")], ORIGIN)
        return
    replacement = None if step == "revoke" else Version(version=2, lines=("MEDICATION | D1",))
    revise(store, "D1", replacement, propagate=step != "replace without propagation")


@settings(max_examples=60)
@given(UNRELATED, st.none() | RELATED, st.integers(0, 12))
def test_a_commit_is_blocked_exactly_when_something_it_read_has_changed(
    steps: list[str], change: str | None, when: int
) -> None:
    store = store_with(*(make_evidence(f"D{n}") for n in (1, 2, 3)))
    for row in take_snapshot(store).documents:
        admit_claims(store, row, [Claim("med", "a drug", row.id)], ORIGIN)
    snapshot = take_snapshot(store)
    memory = read_set(snapshot, MemoryView(tuple(n for n in snapshot.nodes if n.document == "D1")))
    documents = read_set(snapshot, DocumentView((snapshot.evidence["D1"],)))
    for turn, step in enumerate(steps):
        if change and turn == min(when, len(steps) - 1):
            related(store, change)
        unrelated(store, step, turn)
    if change and not steps:
        related(store, change)
    assert bool(commit(store, memory, ACTION)) is (change is not None)
    assert bool(commit(store, documents, ACTION)) is (change not in (None, "extract again"))
