"""A trajectory: one scenario x pipeline x model x decoding, with every call it made (docs/trajectory.md).

Nothing here depends on time, host or the order in which calls finished, so that an interrupted and an
uninterrupted run give the same bytes; times stand in `run.json` beside the trajectories.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from evrev.formats.base import Record
from evrev.formats.scenario import Task

Phase = Literal["ingest", "use", "revise"]
CallKind = Literal["extraction", "summary", "global_summary", "use"]
RowStatus = Literal["active", "superseded", "revoked", "replaced", "invalidated"]


class Message(Record):
    """One chat turn as sent."""

    role: Literal["system", "user", "assistant"]
    content: str


class Decoding(Record):
    """Everything that shapes a completion besides the prompt."""

    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    seed: int = Field(default=0, ge=0)
    max_tokens: int = Field(default=2048, ge=1)


class Usage(Record):
    """Token counts as the server (or the scripted reader's tokenizer) states them."""

    prompt: int = Field(ge=0)
    completion: int = Field(ge=0)
    cached: int | None = Field(default=None, description="prompt tokens served from a prefix cache")


class Parse(Record):
    """How a reply was read: `repairs` names each repair or fault."""

    status: Literal["strict", "repaired", "failed"]
    repairs: tuple[str, ...] = ()
    capped: bool = Field(default=False, description="the reply ended at the output cap")
    admitted: int | None = Field(default=None, description="extraction: claims the gateway admitted")
    rejected: int | None = Field(default=None, description="extraction: claims it turned away")


class Call(Record):
    """One model call. `name` is unique in its trajectory: e:D1@1, s:D1@1, G@1, u0 ..."""

    name: str
    phase: Phase
    kind: CallKind
    document: str | None = None
    messages: tuple[Message, ...]
    request: str = Field(description="SHA-256 of messages, model and decoding")
    response: str
    finish_reason: str
    usage: Usage
    parse: Parse


class Read(Record):
    """A row of a read set: an evidence or node row as it stood at the snapshot, with its own parents."""

    row: str = Field(description="evidence:<id> or node:<id>")
    version: int
    content: str = Field(description="digest of the row's content")
    status: RowStatus = Field(default="active", description="a node may name a parent no longer active")
    parents: tuple[tuple[str, int], ...] = Field(
        default=(), description="(document or node row, version seen)"
    )


class Use(Record):
    """One use: what was shown, what was answered, and what the gate said."""

    index: int = Field(ge=0, description="0 before the revision, then 1, 2 ...")
    task: Task
    call: str
    snapshot: str
    read_set: tuple[Read, ...]
    parse: Parse
    items: tuple[str, ...] | None = Field(description="the answer; none when it could not be read")
    commit: Literal["accepted", "blocked"]
    blocked_by: tuple[str, ...] = Field(default=(), description="rows that changed since the snapshot")


class RevisionRecord(Record):
    """What the revision did to memory: nodes invalidated and nodes recomputed, by id."""

    document: str
    action: Literal["revoke", "replace"]
    invalidated: tuple[str, ...]
    rebuilt: tuple[str, ...]


class Failure(Record):
    """An execution failure; it stays in every denominator."""

    kind: Literal["context_overflow", "pipeline_error"]
    message: str


class Trajectory(Record):
    """A whole trajectory, calls in logical order."""

    id: str
    batch: str
    scenario: str
    scenario_digest: str
    patient: str
    partition: str
    stratum: str | None = None
    event: str
    size: str
    level: str | None = None
    pipeline: str
    model: str
    decoding: Decoding
    status: Literal["complete", "failed"]
    failure: Failure | None = None
    calls: tuple[Call, ...]
    uses: tuple[Use, ...]
    revision: RevisionRecord | None = None
    store: str | None = Field(default=None, description="digest of the final store's rows")
    extra: dict[str, Any] = Field(default_factory=dict, description="what a pipeline records of its own")
