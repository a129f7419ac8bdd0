"""One process per run folder: a lock that the system releases, however its holder ends."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evrev.errors import EvrevError

NAME = ".lock"


def _say(text: str) -> None:
    print(f"evrev: {text}", file=sys.stderr, flush=True)


@contextmanager
def locked(folder: Path, say: Callable[[str], None] = _say) -> Iterator[None]:
    """Hold `folder`/.lock, after waiting, and saying so, while another process holds it.

    The folder is made if absent. OSError: it cannot be made or written. EvrevError: its file system has no
    locks.
    """
    handle = _acquire(folder, say)
    try:
        yield
    finally:
        os.close(handle)


def _acquire(folder: Path, say: Callable[[str], None]) -> int:
    told = False
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not _lock(handle, folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
                if not told:
                    say("another process is running this shard; waiting")
                told = True
                _lock(handle, folder, fcntl.LOCK_EX)
            # A holder that has finished removes the file: a lock on a removed file keeps nobody out.
            if _is_current(handle, folder / NAME):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int, folder: Path, how: int) -> bool:
    """Whether the lock is now held; without waiting it may not be."""
    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        return False
    except OSError as error:
        what, remedy = f"cannot be locked: {error.strerror}", "use a folder on a disk that has locks"
        raise EvrevError(what, where=folder, remedy=remedy) from error
    return True


def _is_current(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
