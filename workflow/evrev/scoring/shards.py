"""The trajectories to score: read from finished, unaltered shards, each planned one exactly once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evrev.errors import DataError, DigestError
from evrev.formats.canonical import digest_file
from evrev.formats.manifest import read_manifest
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.trajectory import Trajectory
from evrev.formats.trajectory_io import NAME, read_trajectories

_AGAIN = "restore the shard from its archive, or generate it again"


def checked_file(shard: Path) -> Path:
    """The trajectory file of a shard, once its bytes are those the shard's manifest states.

    DataError: the shard is not finished. DigestError: the manifest is damaged, or the file was altered after
    the run.
    """
    manifest = read_manifest(shard)
    path = shard / NAME
    stated = manifest.outputs.get(NAME) if manifest else None
    if stated is None or not path.is_file():
        raise DataError(f"the shard is not finished: no {NAME} under a manifest", where=shard, remedy=_AGAIN)
    found = digest_file(path)
    if found != stated:
        raise DigestError(
            f"altered after the run: its digest is {found[:12]}, the manifest states {stated[:12]}",
            where=path,
            remedy=_AGAIN,
        )
    return path


class Roll:
    """Ticks off the planned trajectories (scenario x pipeline x model): none is lost or counted twice."""

    def __init__(self, plan: Plan, scenarios: Mapping[str, Scenario], models: Sequence[str] | None) -> None:
        self._plan, self._scenarios = plan, scenarios
        self._models = None if models is None else tuple(models)
        self._seen: set[tuple[str, str, str]] = set()
        self._digests: dict[str, str] = {}

    def tick(self, trajectory: Trajectory) -> Scenario:
        """Count one trajectory and return its scenario; DataError or DigestError if it is not planned."""
        scenario = self._scenarios.get(trajectory.scenario)
        one = (trajectory.model, trajectory.scenario, trajectory.pipeline)
        if trajectory.batch != self._plan.batch:
            raise DataError(
                f"belongs to batch {trajectory.batch}, not {self._plan.batch}", where=trajectory.id
            )
        if scenario is None:
            raise DataError(f"its scenario {trajectory.scenario} is not in the batch", where=trajectory.id)
        if trajectory.pipeline not in self._plan.pipelines:
            raise DataError(f"the plan runs no pipeline {trajectory.pipeline}", where=trajectory.id)
        if self._models is not None and trajectory.model not in self._models:
            raise DataError(f"model {trajectory.model} was not asked for", where=trajectory.id)
        if one in self._seen:
            raise DataError("stands twice in the shards given", where=trajectory.id, remedy=_AGAIN)
        digest = self._digests.get(scenario.id) or scenario.scenario_digest
        if trajectory.scenario_digest != digest:
            raise DigestError(
                f"ran on scenario digest {trajectory.scenario_digest[:12]}, "
                f"the scenario file has {digest[:12]}",
                where=trajectory.id,
                remedy="score with the scenarios it ran on",
            )
        self._digests[scenario.id] = digest
        self._seen.add(one)
        return scenario

    def close(self) -> None:
        """DataError naming what is missing once every shard has been read."""
        models = self._models or sorted({model for model, _, _ in self._seen})
        missing = [
            f"{scenario}.{pipeline}.{model}"
            for model in models
            for scenario in self._scenarios
            for pipeline in self._plan.pipelines
            if (model, scenario, pipeline) not in self._seen
        ]
        if missing or not self._seen:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            planned = len(missing) + len(self._seen)
            raise DataError(
                f"{len(missing)} of {planned} trajectories are missing: {', '.join(missing[:5])}{more}",
                where=self._plan.batch,
                remedy="finish the run before scoring it",
            )


def planned_trajectories(shards: Sequence[Path], roll: Roll) -> Iterator[tuple[Trajectory, Scenario]]:
    """Every trajectory with its scenario, one at a time; all shards are verified before the first is read."""
    for path in [checked_file(shard) for shard in shards]:
        for trajectory in read_trajectories(path):
            yield trajectory, roll.tick(trajectory)
    roll.close()
