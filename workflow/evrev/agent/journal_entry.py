"""One line of the call journal: a completed call behind a check of its own bytes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationError

from evrev.agent.models import Completion
from evrev.formats.base import Record
from evrev.formats.canonical import canonical_json, digest_bytes
from evrev.formats.trajectory import Usage

_HEAD, _MIDDLE, _TAIL = b'{"check":"', b'","entry":', b"}\n"
_CHECK = 32  # hexadecimal digits kept of the entry's SHA-256


class Entry(Record):
    """One completed call: a reply, or the refusal of a prompt too long for the model (`text` says why)."""

    trajectory: str
    name: str
    request: str = Field(description="digest of messages, model and decoding")
    outcome: Literal["reply", "overflow"] = "reply"
    text: str
    usage: Usage
    finish_reason: str
    latency: float = Field(description="seconds, over all attempts")
    attempts: int
    session: int = Field(default=1, description="which process of this shard made it, from 1")
    elapsed: float = Field(default=0.0, description="seconds since that process began")

    @property
    def completion(self) -> Completion:
        """The reply as the client gave it."""
        return Completion(self.text, self.usage, self.finish_reason, self.latency, self.attempts)


def encode(entry: Entry) -> bytes:
    """The line of an entry: canonical JSON behind the check of its bytes."""
    body = canonical_json(entry)
    return _before(body) + body + _TAIL


def decode(line: bytes) -> Entry | None:
    """The entry of a line, or none if the line is damaged or not whole."""
    body = line[len(_HEAD) + _CHECK + len(_MIDDLE) : -len(_TAIL)]
    if line != _before(body) + body + _TAIL:
        return None
    try:
        return Entry.model_validate_json(body)
    except ValidationError:
        return None


def _before(body: bytes) -> bytes:
    return _HEAD + digest_bytes(body)[:_CHECK].encode() + _MIDDLE
