"""Trajectory files: a canonical JSON line per trajectory in one zstd frame; equal records, equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import zstandard
from pydantic import ValidationError

from evrev.errors import DataError
from evrev.formats.base import explain
from evrev.formats.canonical import canonical_json, replacing
from evrev.formats.trajectory import Trajectory

NAME = "trajectories.jsonl.zst"
LEVEL = 6
_CHUNK = 1 << 17
_REMEDY = "restore the file from its archive, or generate the shard again"


def write_trajectories(path: Path, trajectories: Iterable[Trajectory]) -> int:
    """Write `trajectories` in the order given, whole or not at all, and return how many there were.

    Compression runs in one thread at a fixed level and states no content size, so that equal trajectories
    give an equal file whether they come from a list or a stream.
    """
    compressor = zstandard.ZstdCompressor(
        level=LEVEL, threads=0, write_checksum=True, write_content_size=False
    )
    count = 0
    with replacing(path) as part, part.open("wb") as raw, compressor.stream_writer(raw) as out:
        for trajectory in trajectories:
            out.write(canonical_json(trajectory) + b"\n")
            count += 1
    return count


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """The trajectories of a file, one at a time; memory holds one of them.

    DataError names the file, and the line where there is one, if the file is absent, not zstd, cut short,
    followed by other data, or holds a line that is not a trajectory.
    """
    for number, line in enumerate(_lines(path), start=1):
        try:
            yield Trajectory.model_validate_json(line)
        except ValidationError as error:
            raise DataError(
                f"not a trajectory: {explain(error)}", where=f"{path}, line {number}", remedy=_REMEDY
            ) from error


def _lines(path: Path) -> Iterator[bytes]:
    pending: list[bytes] = []
    for chunk in _chunks(path):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*pending, line])
            pending.clear()
        pending.append(rest)
    if any(pending):
        raise DataError("the last line is cut", where=path, remedy=_REMEDY)


def _chunks(path: Path) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    try:
        with path.open("rb") as raw:
            while not frame.eof and (data := raw.read(_CHUNK)):
                yield frame.decompress(data)
            more = bool(frame.unused_data) or bool(raw.read(1))
    except (OSError, zstandard.ZstdError) as error:
        raise DataError(f"cannot be read: {error}", where=path, remedy=_REMEDY) from error
    if not frame.eof:
        raise DataError("the file is cut short", where=path, remedy=_REMEDY)
    if more:
        raise DataError("other data follows the trajectories", where=path, remedy=_REMEDY)
