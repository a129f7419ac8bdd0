"""One line of progress on a terminal, nothing elsewhere; and one process per folder."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest

from evrev.agent.lock import locked
from evrev.agent.progress import Progress
from evrev.errors import EvrevError


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_line_tells_trajectories_calls_speed_and_time_left() -> None:
    clock = Clock()
    progress = Progress(8, stream=Terminal(), clock=clock)
    assert progress.line() == "0/8 trajectories, 0 calls, 0 tokens/s, ? left"
    for _ in range(1500):
        progress.call(100, resumed=False)
    progress.trajectory(resumed=False)
    progress.trajectory(resumed=False)
    clock.now += 1250
    assert progress.line() == "2/8 trajectories, 1,500 calls, 120 tokens/s, 1:02:30 left"


def test_what_came_from_the_journal_says_nothing_about_speed() -> None:
    clock = Clock()
    progress = Progress(4, stream=Terminal(), clock=clock)
    progress.call(1000, resumed=True)
    progress.trajectory(resumed=True)
    clock.now += 10
    assert progress.line() == "1/4 trajectories, 1 calls, 0 tokens/s, ? left"
    progress.call(1000, resumed=False)
    progress.trajectory(resumed=False)
    assert progress.line() == "2/4 trajectories, 2 calls, 100 tokens/s, 0:00:20 left"


def test_the_line_is_rewritten_in_place_a_few_times_a_second_and_cleared() -> None:
    clock, terminal = Clock(), Terminal()
    progress = Progress(4, stream=terminal, clock=clock)
    for _ in range(1000):
        progress.call(1, resumed=False)
        clock.now += 0.001
    progress.close()
    written = terminal.getvalue()
    assert written.startswith("\r\033[K0/4 trajectories, 1 calls")
    assert 5 <= written.count("\r") <= 7
    assert written.endswith("\r\033[K")
    assert "\n" not in written


@pytest.mark.parametrize(("stream", "shown"), [(StringIO(), True), (Terminal(), False)])
def test_nothing_is_written_where_nobody_looks(stream: StringIO, shown: bool) -> None:
    progress = Progress(1, shown=shown, stream=stream)
    progress.call(1, resumed=False)
    progress.trajectory(resumed=False)
    progress.close()
    assert stream.getvalue() == ""


def test_a_folder_is_held_until_the_block_ends_however_it_ends(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "shard"
    for _ in range(2):
        with suppress(KeyError), locked(folder):
            handle = os.open(folder / ".lock", os.O_RDWR)
            with pytest.raises(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(handle)
            raise KeyError


def test_a_lock_on_a_removed_file_keeps_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The holder finishes, and removes the file, between another's opening and locking it."""
    real = fcntl.flock
    removed: list[int] = []

    def finish_first(handle: int, flags: int) -> None:
        if not removed:
            removed.append((tmp_path / ".lock").stat().st_ino)
            (tmp_path / ".lock").unlink()
        real(handle, flags)

    monkeypatch.setattr(fcntl, "flock", finish_first)
    with locked(tmp_path):
        other = os.open(tmp_path / ".lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            real(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)


def test_who_waits_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fcntl.flock
    said: list[str] = []

    def busy(handle: int, flags: int) -> None:
        if flags & fcntl.LOCK_NB:
            raise BlockingIOError
        real(handle, flags)

    monkeypatch.setattr(fcntl, "flock", busy)
    with locked(tmp_path, said.append):
        assert said == ["another process is running this shard; waiting"]


def test_a_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(handle: int, flags: int) -> None:  # noqa: ARG001
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", absent)
    with pytest.raises(EvrevError, match="cannot be locked: No locks available") as caught:
        locked(tmp_path).__enter__()
    assert caught.value.where == tmp_path
