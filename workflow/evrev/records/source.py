"""A source file as a stream of whole records: sound text, or an error that says where it is not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from evrev.errors import DataError

BLOCK = 8 << 20
"""Bytes of text read at a time."""
LONGEST_RECORD = 64 << 20
"""Bytes after which a record without an end is given up."""
_MARK = b"\xef\xbb\xbf"
_AGAIN = "download it again"


class Block(NamedTuple):
    """Whole records, and where in the decompressed file they start (`line` counts from 1)."""

    content: bytes
    line: int
    offset: int


def blocks(path: Path, size: int = BLOCK) -> Iterator[Block]:
    """The records of a CSV file, plain or gzip, in at least one block of about `size` bytes.

    A byte order mark is left out. DataError for a file that is empty, cannot be read, is damaged or not what
    its name says, for bytes that are not UTF-8 and for a record that does not end. A damaged gzip stream may
    be found only at its end.
    """
    rest, line, offset, mark = b"", 1, 0, 0
    for chunk in _chunks(path, size):
        text = rest + chunk
        if offset == 0 and text.startswith(_MARK):
            text, mark = text[len(_MARK) :], len(_MARK)
        end = _last_end(text)
        if end:
            yield _sound(Block(text[:end], line, offset + mark), path)
            line += text.count(b"\n", 0, end)
            offset += end
        rest = text[end:]
        if len(rest) > LONGEST_RECORD:
            raise DataError(
                f"the record that starts in line {line} does not end within {LONGEST_RECORD >> 20} MB: "
                "a quote is never closed, or this is no table",
                where=path,
                remedy=_AGAIN,
            )
    if rest or not offset:
        yield _sound(Block(rest, line, offset + mark), path)


def _last_end(text: bytes) -> int:
    """Where the last whole record ends: after a line break that an even number of quotes stands before."""
    end = text.rfind(b"\n") + 1
    quotes = text.count(b'"', 0, end)
    while end and quotes % 2:
        earlier = text.rfind(b"\n", 0, end - 1) + 1
        quotes -= text.count(b'"', earlier, end)
        end = earlier
    return end


def _chunks(path: Path, size: int) -> Iterator[bytes]:
    blank: bytes | None = b""
    try:
        with path.open("rb") as handle:
            stream = _opened(handle, path)
            while chunk := stream.read(size):
                if blank is not None:
                    chunk = blank + chunk
                    blank = None if chunk.strip() else chunk
                if blank is None:
                    yield chunk
    except EOFError as error:
        raise DataError("the gzip stream is cut short", where=path, remedy=_AGAIN) from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"the gzip stream is damaged ({error})", where=path, remedy=_AGAIN) from error
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=path) from error
    if blank is not None:
        raise DataError("the file is empty", where=path, remedy=_AGAIN)


def _opened(handle: IO[bytes], path: Path) -> IO[bytes]:
    start = handle.read(2)
    compressed = start == b"\x1f\x8b"
    if start and compressed != path.name.casefold().endswith(".gz"):
        what = "is gzip, but not named .gz" if compressed else "is named .gz, but is not gzip"
        raise DataError(what, where=path, remedy=f"{_AGAIN}, or give it the right name")
    handle.seek(0)
    return gzip.GzipFile(fileobj=handle) if compressed else handle  # type: ignore[return-value]


def _sound(block: Block, path: Path) -> Block:
    try:
        block.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = block.line + block.content.count(b"\n", 0, error.start)
        raise DataError(
            f"not UTF-8: byte {block.content[error.start]:#04x} in line {line} "
            f"(offset {block.offset + error.start})",
            where=path,
            remedy="save the table as UTF-8 CSV",
        ) from error
    return block
