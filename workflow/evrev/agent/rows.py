"""Rows of a trajectory's store: evidence, facts and nodes as the paper's appendix A lists them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evrev.formats.canonical import digest
from evrev.formats.trajectory import RowStatus

ClaimType = Literal["med", "problem", "lab", "other"]
NodeKind = Literal["claims", "summary", "global"]
Parents = tuple[tuple[str, int], ...]

GLOBAL = "G"


def claims_id(document: str) -> str:
    """The id of a document's claims node, as c:D4."""
    return f"c:{document}"


def summary_id(document: str) -> str:
    """The id of a document's summary node, as s:D4."""
    return f"s:{document}"


class Evidence(NamedTuple):
    """One version of a connector document. `position` is its place in every prompt, from 0."""

    id: str
    version: int
    source: str
    patient: str
    title: str
    payload: str
    digest: str
    status: RowStatus
    position: int

    @property
    def row(self) -> str:
        """How read sets and parents name this row."""
        return f"evidence:{self.id}"


class Fact(NamedTuple):
    """One admitted claim, with the document version its extractor was shown."""

    id: str
    type: str
    content: str
    digest: str
    document: str
    document_version: int


class Node(NamedTuple):
    """Derived memory: the claims of a document, its summary, or the global summary.

    `text` is a summary's text; a claims node has `facts` instead. `parents` are rows with the version seen.
    """

    id: str
    version: int
    kind: NodeKind
    document: str | None
    text: str
    digest: str
    status: RowStatus
    parents: Parents
    facts: tuple[Fact, ...] = ()

    @property
    def row(self) -> str:
        """How read sets and parents name this row."""
        return f"node:{self.id}"


class State(NamedTuple):
    """What can change about a row: the gate compares this and nothing else."""

    version: int
    content: str
    status: RowStatus
    parents: Parents = ()


def make_fact(type_: ClaimType, content: str, position: int, shown: Evidence) -> Fact:
    """The `position`-th admitted claim of a document (from 1). Its id is short: it stands in every prompt."""
    value = digest([type_, content])
    return Fact(f"{shown.id}.c{position}", type_, content, value, shown.id, shown.version)
