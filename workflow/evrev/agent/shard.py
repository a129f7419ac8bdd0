"""The trajectories of one shard, many at once, and what they took."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import product

from evrev.agent.models import Completion, Decoding, Message
from evrev.agent.pipelines import Pipeline, pipelines
from evrev.agent.recorder import Recorder, Tally
from evrev.agent.run_record import RunSummary, surroundings, utc_now
from evrev.agent.spool import Spool
from evrev.agent.trajectory import run_trajectory
from evrev.errors import SettingsError, nearest
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.settings import ModelEntry
from evrev.formats.task import TaskContract
from evrev.formats.trajectory import Trajectory


class Shard:
    """Scenarios x pipelines, in plan order. `tallies` has what each trajectory took, in that order.

    SettingsError: the plan names a pipeline that is not installed, or a trajectory would run twice.
    """

    def __init__(
        self,
        scenarios: list[Scenario],
        *,
        plan: Plan,
        contract: TaskContract,
        model: str,
        entry: ModelEntry,
        concurrency: int,
    ) -> None:
        self.model, self.concurrency = model, concurrency
        self._plan, self._contract, self._entry = plan, contract, entry
        self._jobs = list(product(scenarios, _chosen(plan.pipelines)))
        if len({(scenario.id, pipeline.name) for scenario, pipeline in self._jobs}) < len(self._jobs):
            raise SettingsError("a scenario or a pipeline is given twice", where=f"batch {plan.batch}")
        self._failed = 0
        self._started, self._began = utc_now(), time.monotonic()
        self.tallies = [Tally() for _ in self._jobs]

    def __len__(self) -> int:
        return len(self._jobs)

    async def run(self, recorder: Recorder, spool: Spool) -> None:
        """Put every trajectory into `spool`; the first error stops all of them."""
        waiting = iter(range(len(self._jobs)))
        try:
            async with asyncio.TaskGroup() as workers:
                # As many open trajectories as calls in flight: each has one to make, and memory stays flat.
                for _ in range(min(self.concurrency, len(self._jobs))):
                    workers.create_task(self._worker(waiting, recorder, spool))
        except BaseExceptionGroup as group:
            raise recorder.failed or group.exceptions[0] from None

    async def _worker(self, waiting: Iterator[int], recorder: Recorder, spool: Spool) -> None:
        for position in waiting:
            trajectory = await self._play(*self._jobs[position], recorder, self.tallies[position])
            if recorder.failed:
                # A pipeline may have caught what should have stopped it.
                raise recorder.failed
            spool.put(position, trajectory)
            self._failed += trajectory.status == "failed"
            recorder.progress.trajectory(resumed=self.tallies[position].asked == 0)

    async def _play(
        self, scenario: Scenario, pipeline: Pipeline, recorder: Recorder, tally: Tally
    ) -> Trajectory:
        async def call(name: str, messages: tuple[Message, ...], decoding: Decoding) -> Completion:
            return await recorder.call((trajectory, name), messages, decoding, tally)

        trajectory = f"{scenario.id}.{pipeline.name}.{self.model}"
        return await run_trajectory(
            scenario,
            pipeline=pipeline,
            plan=self._plan,
            contract=self._contract,
            model=self.model,
            system_role=self._entry.system_role,
            call=call,
        )

    def summary(self, *, earlier_sessions: int, earlier_seconds: float) -> RunSummary:
        """What the shard took, earlier processes included."""
        total = sum(self.tallies, Tally())
        return RunSummary(
            model=self.model,
            label=self._entry.label,
            kind=self._entry.kind,
            served_name=self._entry.served_name,
            revision=self._entry.revision,
            tokenizer=self._entry.tokenizer,
            trajectories=len(self._jobs),
            failed=self._failed,
            calls=total.asked + total.replayed,
            asked=total.asked,
            replayed=total.replayed,
            overflows=total.overflows,
            retries=total.retries,
            tokens=total.prompt + total.completion,
            prompt_tokens=total.prompt,
            completion_tokens=total.completion,
            seconds=round(earlier_seconds + time.monotonic() - self._began, 3),
            sessions=earlier_sessions + (total.asked > 0),
            concurrency=self.concurrency,
            started=self._started,
            ended=utc_now(),
            **surroundings(),
        )


def _chosen(names: tuple[str, ...]) -> list[Pipeline]:
    known = pipelines()
    for name in names:
        if name not in known:
            raise SettingsError(
                f"no pipeline {name!r}{nearest(name, known)}",
                where="the batch plan",
                remedy=f"pipelines: {', '.join(known)}",
            )
    return [_made(known[name]) for name in names]


def _made(pipeline: type[Pipeline]) -> Pipeline:
    try:
        return pipeline()
    except Exception as error:
        raise SettingsError(
            f"cannot be made: {type(error).__name__}: {error}",
            where=f"pipeline {pipeline.name} ({pipeline.__module__})",
            remedy="correct the package, or take the pipeline out of the plan",
        ) from error
