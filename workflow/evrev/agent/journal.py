"""The call journal: the only durable state of a running job, one checked JSON line per completed call.

A call counts as made once its line is on disk; calls that end together share one flush. A process killed
while it writes leaves a torn last line, which the next one cuts off. Damage anywhere else is no accident of
writing and is refused.
"""

from __future__ import annotations

import asyncio
import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from evrev.agent.journal_entry import Entry, decode, encode
from evrev.errors import DigestError, EvrevError

__all__ = ["Entry", "Journal", "sync_folder"]

_sync = getattr(os, "fdatasync", os.fsync)
Key = tuple[str, str]  # trajectory, call name


class _Line(NamedTuple):
    """A line that waits for the disk, and who waits for it."""

    key: Key
    data: bytes
    done: asyncio.Future[None]


class Journal:
    """The journal at `path`, made if absent. It belongs to one process: the caller holds the folder's lock.

    `dropped` is how many bytes of a torn last line were cut off, `sessions` how many processes wrote before
    this one and `seconds` how long they ran up to their last call. Memory holds where each entry is, not the
    entry.

    DigestError: a line before the last is damaged, or a call stands twice. EvrevError: the file cannot be
    read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.dropped = path, 0
        self._places: dict[Key, tuple[int, int]] = {}
        self._pending: set[Key] = set()
        self._waiting: list[_Line] = []
        self._flusher: asyncio.Task[None] | None = None
        self._broken: EvrevError | None = None
        self._elapsed: dict[int, float] = {}
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            self._size = self._scan()
            os.ftruncate(self._file, self._size)
            _sync(self._file)
            sync_folder(path.parent)
        except OSError as error:
            raise self._failure(error) from error
        self.sessions = max(self._elapsed, default=0)
        self.seconds = sum(self._elapsed.values())

    def __len__(self) -> int:
        return len(self._places)

    def find(self, trajectory: str, name: str) -> Entry | None:
        """The recorded call, or none. DigestError if its line was altered since the journal was opened."""
        place = self._places.get((trajectory, name))
        if place is None:
            return None
        start, size = place
        entry = decode(os.pread(self._file, size, start))
        if entry is None:
            raise DigestError(f"the line of {trajectory} {name} was altered", where=self.path)
        return entry

    async def append(self, entry: Entry) -> None:
        """Return once `entry` is on disk. EvrevError if it cannot be; nothing is appended after that.

        ValueError: the call is in the journal already.
        """
        key = (entry.trajectory, entry.name)
        if key in self._places or key in self._pending:
            raise ValueError(f"{entry.trajectory} {entry.name} is in the journal already")
        if self._broken:
            raise self._broken
        line = _Line(key, encode(entry), asyncio.get_running_loop().create_future())
        self._pending.add(key)
        self._waiting.append(line)
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.create_task(self._flush())
        # A caller that is cancelled meanwhile leaves its line to be written all the same.
        await line.done

    async def close(self) -> None:
        """Wait for what was appended to be on disk, then close the file."""
        if self._flusher is not None:
            await self._flusher
        os.close(self._file)

    async def _flush(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._write, b"".join(line.data for line in batch))
            except OSError as error:
                self._broken = self._failure(error)
                self._give_up([*batch, *self._waiting], self._broken)
                return
            for line in batch:
                self._places[line.key] = (self._size, len(line.data))
                self._size += len(line.data)
                self._pending.discard(line.key)
                if not line.done.done():
                    line.done.set_result(None)

    def _write(self, data: bytes) -> None:
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._file, data[written:], self._size + written)
            _sync(self._file)
        except OSError:
            # What could not be flushed must not be found later: nobody was told that it is there.
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise

    def _give_up(self, lines: list[_Line], error: EvrevError) -> None:
        self._waiting = []
        for line in lines:
            if not line.done.done():
                line.done.set_exception(error)

    def _scan(self) -> int:
        """Index every line; the size up to which the journal is sound."""
        sound = 0
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                entry = decode(line)
                if entry is None:
                    if lines.read(1):
                        raise self._damage("damaged, and not where a stopped process leaves damage", number)
                    self.dropped = len(line)
                    break
                key = (entry.trajectory, entry.name)
                if key in self._places:
                    raise self._damage(f"{entry.trajectory} {entry.name} is recorded twice", number)
                self._places[key] = (sound, len(line))
                self._elapsed[entry.session] = max(entry.elapsed, self._elapsed.get(entry.session, 0.0))
                sound += len(line)
        return sound

    def _damage(self, what: str, line: int) -> DigestError:
        remedy = "restore the file, or remove it to run the shard from its beginning"
        return DigestError(what, where=f"{self.path}, line {line}", remedy=remedy)

    def _failure(self, error: OSError) -> EvrevError:
        mend = "free some space" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "mend it"
        return EvrevError(
            f"cannot be written: {error.strerror}",
            where=self.path,
            remedy=f"{mend} and run again: completed calls are kept",
        )


def sync_folder(folder: Path) -> None:
    """Put the names in `folder` on disk: a flushed file can still lose its name in a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
