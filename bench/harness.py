"""What the harness itself costs: CPU per model call with a model that answers at once, and gate transactions.

The held-out batch over synthetic records runs through the real runner with everything recorded (journal
with its flushes, stores, gates, trajectories), against a client that gives replies prepared beforehand. A
bare loop that awaits the same replies runs in turn with it, so that a slow moment of the machine meets both.
Counting tokens is the model's part and is not measured here.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from evrev.agent.gate import Action, commit, read_set
from evrev.agent.memory import Memory
from evrev.agent.models import Completion
from evrev.agent.models.scripted import ScriptedReader
from evrev.agent.prompting import Prompts
from evrev.agent.rows import Evidence
from evrev.agent.runner import run_shard
from evrev.agent.store import Store, insert_evidence
from evrev.agent.transcript import Transcript
from evrev.agent.views import MemoryView
from evrev.formats.canonical import write_bytes
from evrev.formats.plan import load_plan
from evrev.formats.scenario import Scenario
from evrev.formats.scenario_io import load_scenarios
from evrev.formats.settings import ROOT, Settings, load_models
from evrev.formats.task import load_task_contract
from evrev.formats.trajectory import Decoding, Message
from evrev.formats.trajectory_io import NAME, read_trajectories
from evrev.medication import load_aliases
from evrev.records.build import build_records
from evrev.scenarios.build import build_scenarios

MODEL = "scripted-qwen"
ENTRY = load_models()[MODEL]
PLAN = load_plan(ROOT / "config" / "batches", "heldout")
CONTRACT = load_task_contract(ROOT / "resources" / "task_contract.yaml")
ROUNDS, COMMITS = 5, 5000
MOST_MS, FEWEST_COMMITS = 1.0, 3000


class Instant:
    """Gives prepared replies; the last turn of a prompt finds its own."""

    def __init__(self, replies: dict[str, Completion]) -> None:
        self._replies = replies

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:  # noqa: ARG002
        return self._replies[messages[-1].content]

    async def close(self) -> None:
        pass


class Preparing(Instant):
    """Answers as the scripted reader and keeps every reply."""

    def __init__(self) -> None:
        self._reader = ScriptedReader(ENTRY)
        self.replies: dict[str, Completion] = {}

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = await self._reader.complete(messages, decoding)
        return self.replies.setdefault(messages[-1].content, reply)


def synthetic_scenarios(folder: Path) -> list[Scenario]:
    """The scenarios of the held-out batch over the embedded records."""
    records, scenarios = folder / "records", folder / "scenarios"
    records.mkdir()
    scenarios.mkdir()
    build_records(source="synthetic", out=records)
    build_scenarios(
        records=records, plan=PLAN, contract=CONTRACT, aliases=load_aliases(), limit=None, out=scenarios
    )
    return load_scenarios(scenarios)


def run(scenarios: list[Scenario], folder: Path, client: Instant) -> int:
    """One whole shard; the number of its calls."""
    return run_shard(
        scenarios=scenarios,
        plan=PLAN,
        contract=CONTRACT,
        model=MODEL,
        entry=ENTRY,
        settings=Settings.model_validate({}),
        folder=folder,
        finish=lambda done: write_bytes(done / "manifest.json", b"{}"),
        progress=False,
        client=client,
    ).calls


def bare(prompts: list[tuple[Message, ...]], client: Instant) -> None:
    """The same replies, awaited one after the other, and nothing else."""

    async def loop() -> None:
        for messages in prompts:
            await client.complete(messages, PLAN.decoding)

    asyncio.run(loop())


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process, all its threads and its system calls included."""
    began = time.process_time()
    work()
    return time.process_time() - began


def commits_per_second(scenario: Scenario, client: Instant, path: Path | None) -> float:
    """Wall-clock rate of gate transactions over the full read set of one memory, in memory or in a file."""

    async def remember(store: Store) -> Memory:
        async def call(name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:  # noqa: ARG001
            return await client.complete(messages, decoding)

        transcript = Transcript(MODEL, PLAN.decoding, call)
        memory = Memory(
            store, transcript, Prompts(scenario.patient, CONTRACT), run="r", patient=scenario.patient
        )
        await memory.build()
        return memory

    with Store.in_memory() if path is None else Store.open(path) as store:
        with store.writing() as db:
            for at, document in enumerate(scenario.documents):
                version = document.versions[0]
                texts = (document.title, version.payload, version.payload_digest)
                row = Evidence(document.id, 1, document.source, scenario.patient, *texts, "active", at)
                insert_evidence(db, row)
        snapshot = asyncio.run(remember(store)).snapshot()
        reads = read_set(snapshot, MemoryView(snapshot.nodes))
        began = time.perf_counter()
        for n in range(COMMITS):
            assert commit(store, reads, Action("r", f"u{n}", snapshot.id, "0" * 64)) == ()
        return COMMITS / (time.perf_counter() - began)


def main() -> int:
    """Print the measures with their bars; 1 if one is missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenarios = synthetic_scenarios(folder)
        preparing = Preparing()
        calls = run(scenarios, folder / "prepared", preparing)
        trajectories = list(read_trajectories(folder / "prepared" / NAME))
        prompts = [call.messages for trajectory in trajectories for call in trajectory.calls]
        client = Instant(preparing.replies)
        harness, loop = [], []
        for n in range(ROUNDS):
            harness.append(cpu(partial(run, scenarios, folder / f"round{n}", client)) / calls * 1e3)
            loop.append(cpu(partial(bare, prompts, client)) / calls * 1e3)
        ms, base = statistics.median(harness), statistics.median(loop)
        print(
            f"{len(scenarios)} scenarios, {len(trajectories)} trajectories, {calls:,} calls, {ROUNDS} rounds"
        )
        print(
            f"harness      {ms:.3f} ms CPU per call (bar {MOST_MS:g}; rounds {min(harness):.3f} to "
            f"{max(harness):.3f}), {ms / base:,.0f} x a bare loop of {base * 1e3:.1f} us"
        )
        memory = commits_per_second(scenarios[0], client, None)
        print(f"commit gate  {memory:,.0f} transactions/s in memory (bar {FEWEST_COMMITS:,})")
        filed = commits_per_second(scenarios[0], client, folder / "store.sqlite")
        print(f"             {filed:,.0f} transactions/s in a file, flushed each")
    return int(ms > MOST_MS or memory < FEWEST_COMMITS)


if __name__ == "__main__":
    raise SystemExit(main())
