"""Canonical JSON, digests, derived seeds and durable files: how every record of evrev gets its bytes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rfc8785
from pydantic import BaseModel


def clean_text(text: str) -> str:
    """`text` as valid Unicode: lone surrogates, which no JSON reader accepts, become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(mode="json", by_alias=True))
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(k)): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def canonical_json(value: Any) -> bytes:
    """`value` (a pydantic model or plain JSON types) as RFC 8785 bytes: one value, one byte string."""
    return rfc8785.dumps(_plain(value))


def digest_bytes(data: bytes) -> str:
    """SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`."""
    return digest_bytes(canonical_json(value))


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes, read as a stream."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def derive_seed(*parts: object) -> int:
    """A seed below 2^53 from named parts: the same parts give the same seed on any machine."""
    text = ":".join(str(part) for part in parts)
    return int(digest_bytes(text.encode())[:16], 16) % (1 << 53)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary sibling that takes `path`'s name, flushed to disk, only if the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        # A failed write names no file of its own accord.
        error.filename = error.filename or str(path)
        raise
    finally:
        part.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` whole or not at all."""
    with replacing(path) as part:
        part.write_bytes(data)


def write_json(path: Path, value: Any) -> None:
    """Write `value` as canonical JSON and a final newline, whole or not at all."""
    write_bytes(path, canonical_json(value) + b"\n")
