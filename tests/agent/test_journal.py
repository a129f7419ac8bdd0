"""A call that was acknowledged is on disk; a torn end is cut off and said; other damage is refused."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.agent import journal as journal_module
from evrev.agent.journal import Journal
from evrev.agent.journal_entry import Entry, decode, encode
from evrev.errors import DigestError, EvrevError
from evrev.formats.canonical import clean_text
from evrev.formats.trajectory import Usage


def entry(n: int, **changes: Any) -> Entry:
    fields: dict[str, Any] = {
        "trajectory": "p1-E1-small.cache.m",
        "name": f"u{n}",
        "request": f"{n:064x}",
        "text": f'{{"items": ["drug {n}"]}}',
        "usage": Usage(prompt=100 + n, completion=n, cached=None),
        "finish_reason": "stop",
        "latency": 0.25,
        "attempts": 1,
    }
    return Entry.model_validate({**fields, **changes})


def write(path: Path, *entries: Entry) -> None:
    async def run() -> None:
        journal = Journal(path)
        for one in entries:
            await journal.append(one)
        await journal.close()

    asyncio.run(run())


def with_journal(path: Path, work: Callable[[Journal], Awaitable[None]]) -> None:
    async def run() -> None:
        journal = Journal(path)
        try:
            await work(journal)
        finally:
            await journal.close()

    asyncio.run(run())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def found(path: Path) -> list[Entry | None]:
    got: list[Entry | None] = []

    async def look(journal: Journal) -> None:
        got.extend(journal.find("p1-E1-small.cache.m", f"u{n}") for n in range(len(journal)))
        assert journal.find("p1-E1-small.cache.m", "absent") is None

    with_journal(path, look)
    return got


def test_what_was_appended_is_found_again(path: Path) -> None:
    entries = [entry(n) for n in range(5)]
    write(path, *entries[:3])
    write(path, *entries[3:])
    assert found(path) == entries
    assert path.read_bytes().count(b"\n") == 5
    assert entries[0].completion.usage.prompt == 100


@given(st.text(max_size=80))
def test_any_text_stands_on_one_line_and_comes_back(text: str) -> None:
    line = encode(entry(1, text=text))
    assert line.index(b"\n") == len(line) - 1
    read = decode(line)
    assert read is not None
    assert read.text == clean_text(text)


@given(st.integers(0, 2000), st.integers(1, 255))
def test_a_line_with_any_byte_changed_is_no_entry(position: int, change: int) -> None:
    line = bytearray(encode(entry(1)))
    line[position % len(line)] ^= change
    assert decode(bytes(line)) is None


def test_a_line_torn_anywhere_is_cut_off_and_its_length_told(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    write(whole, entry(0), entry(1), entry(2))
    data = whole.read_bytes()
    sound = len(b"".join(data.splitlines(keepends=True)[:2]))
    for size in {sound, *range(sound, len(data), 7), len(data) - 1}:
        torn = tmp_path / "torn.jsonl"
        torn.write_bytes(data[:size])

        async def look(journal: Journal, size: int = size) -> None:
            assert (journal.dropped, len(journal)) == (size - sound, 2)
            await journal.append(entry(2))

        with_journal(torn, look)
        assert torn.read_bytes() == data


def test_zeros_at_the_end_of_a_power_cut_are_a_torn_line(path: Path) -> None:
    write(path, entry(0))
    with path.open("ab") as file:
        file.write(bytes(4096))
    assert found(path) == [entry(0)]
    assert path.read_bytes() == encode(entry(0))


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_damage_before_the_last_line_is_refused_and_its_line_named(position: int, change: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        lines = [encode(entry(n)) for n in range(4)]
        data = bytearray(b"".join(lines))
        # The last line break but one is left out: without it there is no telling from a torn end.
        position %= len(data) - len(lines[-1]) - 1
        data[position] ^= change
        path.write_bytes(data)
        with pytest.raises(DigestError, match="damaged") as caught:
            Journal(path)
        number = data[:position].count(b"\n") + 1
        assert str(caught.value.where) == f"{path}, line {number}"
        assert caught.value.remedy
        assert path.read_bytes() == data


def test_a_call_that_stands_twice_is_refused(path: Path) -> None:
    path.write_bytes(encode(entry(0)) + encode(entry(0, text="other")))
    with pytest.raises(DigestError, match="u0 is recorded twice") as caught:
        Journal(path)
    assert str(caught.value.where).endswith("line 2")


def test_a_call_is_not_appended_twice(path: Path) -> None:
    async def twice(journal: Journal) -> None:
        first = asyncio.ensure_future(journal.append(entry(0)))
        await asyncio.sleep(0)
        for _ in range(2):
            with pytest.raises(ValueError, match="in the journal already"):
                await journal.append(entry(0))
            await first

    with_journal(path, twice)


def test_calls_that_end_together_share_a_flush_and_none_returns_before_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(journal_module, "_sync", lambda file: flushed.append(os.fstat(file).st_size))

    async def together(journal: Journal) -> None:
        async def one(n: int) -> None:
            await journal.append(entry(n))
            line = encode(entry(n))
            assert line in path.read_bytes()[: flushed[-1]]

        flushed.clear()
        await asyncio.gather(*(one(n) for n in range(100)))

    with_journal(path, together)
    assert len(flushed) <= 2
    assert len(found(path)) == 100


def test_a_line_is_written_though_its_caller_was_cancelled(path: Path) -> None:
    async def cancel(journal: Journal) -> None:
        task = asyncio.ensure_future(journal.append(entry(0)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with_journal(path, cancel)
    assert found(path) == [entry(0)]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_keeps_what_is_sound_and_ends_in_one_line(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    write(path, entry(0))
    sound = path.read_bytes()
    real = os.pwrite

    def fill(file: int, data: bytes, offset: int) -> int:
        if offset > len(sound):
            raise OSError(code, os.strerror(code))
        return real(file, data[:10], offset)

    async def full(journal: Journal) -> None:
        monkeypatch.setattr(os, "pwrite", fill)
        errors = await asyncio.gather(*(journal.append(entry(n)) for n in (1, 2, 3)), return_exceptions=True)
        monkeypatch.setattr(os, "pwrite", real)
        assert all(isinstance(error, EvrevError) for error in errors)
        assert str(errors[0]).startswith(f"{path}: cannot be written: ")
        assert ("free some space" in str(errors[0])) == (code == errno.ENOSPC)
        with pytest.raises(EvrevError, match="cannot be written"):
            await journal.append(entry(4))

    with_journal(path, full)
    assert path.read_bytes() == sound
    assert found(path) == [entry(0)]


def test_a_journal_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(EvrevError, match="cannot be written: Is a directory"):
        Journal(tmp_path / "journal.jsonl")


def test_a_line_altered_under_the_run_is_noticed(path: Path) -> None:
    async def alter(journal: Journal) -> None:
        await journal.append(entry(0))
        path.write_bytes(path.read_bytes().replace(b"drug 0", b"drug 9"))
        with pytest.raises(DigestError, match="u0 was altered"):
            journal.find("p1-E1-small.cache.m", "u0")

    with_journal(path, alter)


def test_the_time_of_earlier_processes_is_kept_up_to_their_last_call(path: Path) -> None:
    write(path, entry(0, elapsed=4.0), entry(1, elapsed=3.0), entry(2, session=2, elapsed=1.5))

    async def look(journal: Journal) -> None:
        assert (journal.sessions, journal.seconds) == (2, 5.5)

    with_journal(path, look)
