"""What an event is to the builder: a rule that turns a patient into a case, or says what is lacking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from evrev.formats.scenario import Document, Revision, SupportClass
from evrev.scenarios.target import Pool, Target


@dataclass(frozen=True)
class Case:
    """One patient under one event: all documents at ingest (D4 last, if any), and what happens after use0.

    `declared` gives classes by resolved key where the documents and the revision alone do not; `donor` is the
    person D4 was taken from, if it was another than the patient.
    """

    documents: tuple[Document, ...]
    key: str | None = None
    revision: Revision | None = None
    declared: Mapping[str, SupportClass] = field(default_factory=dict)
    donor: str | None = None


@dataclass(frozen=True)
class EventRule:
    """How to build an event, what it is in words, and why a patient who cannot have it is excluded."""

    build: Callable[[Target, Pool], Case | None]
    title: str
    lacking: str = ""
