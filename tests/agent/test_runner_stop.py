"""A job may be killed at any point: what it had on disk is not asked again, and the end is the same bytes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import shard_child
from agent_fakes import CONTRACT
from held_server import PATIENCE, HeldServer
from shard_child import ENTRY, MODEL, manifest, plan, scenarios

from evrev.agent.journal_entry import decode
from evrev.agent.models.scripted import ScriptedReader
from evrev.agent.runner import run_shard
from evrev.formats.canonical import digest
from evrev.formats.settings import Settings
from evrev.formats.trajectory_io import read_trajectories

CONCURRENCY = 4
CALLS = 42 + 47  # four pipelines in E1 and in E2


@pytest.fixture
def server() -> Iterator[HeldServer]:
    with HeldServer(ENTRY) as server:
        yield server


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same shard, run in one piece."""
    folder = tmp_path_factory.mktemp("whole") / "shard"
    run_shard(
        scenarios=scenarios(),
        plan=plan(),
        contract=CONTRACT,
        model=MODEL,
        entry=ENTRY,
        settings=Settings.model_validate({"concurrency": 1}),
        folder=folder,
        finish=manifest,
        progress=False,
        client=ScriptedReader(ENTRY),
    )
    return folder


def start(folder: Path, server: HeldServer) -> subprocess.Popen[str]:
    command = [sys.executable, shard_child.__file__, str(folder), server.url, str(CONCURRENCY)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(child: subprocess.Popen[str], code: int = 0) -> str:
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == code, err
    return out + err


def same_bytes(one: Path, other: Path) -> bool:
    return (one / "trajectories.jsonl.zst").read_bytes() == (other / "trajectories.jsonl.zst").read_bytes()


def requests(folder: Path) -> Counter[str]:
    trajectories = read_trajectories(folder / "trajectories.jsonl.zst")
    return Counter(digest(list(call.messages)) for trajectory in trajectories for call in trajectory.calls)


@pytest.mark.parametrize("kills", [(7,), (23, 30)])
def test_after_kill_9_no_recorded_call_is_asked_again_and_the_bytes_are_the_same(
    server: HeldServer, whole: Path, tmp_path: Path, kills: tuple[int, ...]
) -> None:
    folder = tmp_path / "shard"
    for answers in kills:
        server.hold_after(answers)
        child = start(folder, server)
        # With every place taken by a held request, each answer given before is on disk.
        server.wait_for_held(CONCURRENCY)
        child.send_signal(signal.SIGKILL)
        end(child, -signal.SIGKILL)
        server.drop_held()
        assert not (folder / "trajectories.jsonl.zst").exists()
        lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
        assert len([line for line in lines if decode(line)]) == server.answered.total()
    said = end(start(folder, server))
    assert server.answered == requests(whole)
    assert same_bytes(whole, folder)
    assert f"({CALLS - sum(kills)} now, {sum(kills)} before)" in said


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_cleanly_and_the_run_goes_on_from_there(
    server: HeldServer, whole: Path, tmp_path: Path, sign: signal.Signals
) -> None:
    folder = tmp_path / "shard"
    server.hold_after(11)
    child = start(folder, server)
    server.wait_for_held(CONCURRENCY)
    child.send_signal(sign)
    said = end(child, 2)
    assert said.splitlines() == [
        f"evrev: {folder}: stopped by {sign.name}",
        "  run the same command again: completed calls are kept",
    ]
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "journal.jsonl"]
    server.drop_held()
    end(start(folder, server))
    assert server.answered == requests(whole)
    assert same_bytes(whole, folder)


def test_after_the_first_signal_a_second_one_ends_the_process_at_once(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, signal\n"
        "from pathlib import Path\n"
        "from evrev.agent.stopping import stoppable\n"
        "async def work():\n"
        "    with stoppable(Path()):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        try:\n"
        f"            await asyncio.sleep({PATIENCE})\n"
        "        finally:\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "            print('too late')\n"
        "asyncio.run(work())\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert end(child, -signal.SIGTERM) == ""


def test_a_second_process_waits_for_the_first_and_does_nothing_over(
    server: HeldServer, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shard"
    server.hold_after(5)
    orphan = start(folder, server)
    server.wait_for_held(CONCURRENCY)
    second = start(folder, server)
    assert second.stderr is not None
    assert second.stderr.readline() == "evrev: another process is running this shard; waiting\n"
    server.release()
    told = end(orphan)
    assert end(second) == told
    assert server.answered == requests(whole)
    assert same_bytes(whole, folder)
    assert not (folder / ".lock").exists()


def test_a_second_process_goes_on_where_the_first_was_killed(
    server: HeldServer, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shard"
    server.hold_after(5)
    first = start(folder, server)
    server.wait_for_held(CONCURRENCY)
    second = start(folder, server)
    assert second.stderr is not None
    assert "waiting" in second.stderr.readline()
    server.mark()
    first.send_signal(signal.SIGKILL)
    end(first, -signal.SIGKILL)
    server.drop_marked()
    assert f"({CALLS - 5} now, 5 before)" in end(second)
    assert server.answered == requests(whole)
    assert same_bytes(whole, folder)
