"""A batch plan: one file per batch of Table 16 under config/batches/, read before anything is generated."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from evrev.errors import SettingsError, nearest
from evrev.formats.base import Record, explain
from evrev.formats.scenario import Event, Level, Task
from evrev.formats.trajectory import Decoding

Role = Literal["development", "pre_specified", "confirmatory", "exploratory", "post_hoc"]


Partition = Literal["development", "calibration", "sealed"]


class PatientRule(Record):
    """Which patients a batch takes: the first `n` eligible of a partition in hash order.

    Linked batches (docs/choices.md) take patients of other batches: `same_as` names one whose patients are
    taken in their order, kept if eligible here; `unused_by` names batches whose patients are passed over.
    """

    partition: Partition
    n: int | Literal["all"] = Field(description="the paper's number, or `all`, which goes beyond it")
    same_as: str | None = None
    unused_by: tuple[str, ...] = ()


class Stratum(Record):
    """Patients of a batch that are never pooled with its others, and what is built for them."""

    name: str = Field(pattern=r"^[A-Za-z0-9]+$")
    patients: PatientRule
    events: tuple[Event, ...] = Field(default=(), description="fewer events than the batch's, if given")


class TestFamily(Record):
    """A declared family of paired tests: each pipeline against the reference, corrected within a model."""

    name: str
    endpoint: str
    event: Event
    reference: str
    pipelines: tuple[str, ...] = Field(min_length=1)
    alternative: Literal["two-sided", "greater"]
    correction: Literal["holm", "none"] = "holm"
    alpha: float = Field(default=0.05, gt=0, lt=1)
    primary: bool = False
    tables: tuple[int, ...] = Field(default=(), description="the paper tables that print it")


class Plan(Record):
    """What a batch runs, on whom, and which endpoints and tests were declared for it."""

    batch: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    role: Role
    title: str
    patients: PatientRule | None = Field(default=None, description="none when the batch has strata")
    strata: tuple[Stratum, ...] = ()
    events: tuple[Event, ...] = Field(min_length=1)
    sizes: tuple[Literal["small", "large"], ...] = Field(min_length=1)
    levels: tuple[Level, ...] = Field(default=(), description="length levels with non-allowed documents")
    growth: tuple[int, ...] = Field(default=(), description="beyond: allowed-evidence levels, in tokens")
    pipelines: tuple[str, ...] = Field(min_length=1)
    tasks: tuple[Task, ...] = Field(
        default=("medication", "medication", "problem_list"), description="the task of use0, use1, use2 ..."
    )
    decoding: Decoding = Decoding()
    context_length: int = Field(default=16384, ge=1024)
    shards: Literal["condition", "model"] = Field(description="what one generation job holds per model")
    endpoints: tuple[str, ...] = ()
    families: tuple[TestFamily, ...] = ()
    beyond: bool = False

    @model_validator(mode="after")
    def _families_use_what_runs(self) -> Plan:
        for family in self.families:
            unknown = {family.reference, *family.pipelines} - set(self.pipelines)
            if unknown or family.event not in self.events:
                raise ValueError(
                    f"family {family.name!r} tests what the batch does not run: {sorted(unknown)}"
                )
        return self

    def shard_names(self) -> tuple[str, ...]:
        """The shards of one model, in order: one per event, or a single one."""
        return tuple(self.events) if self.shards == "condition" else ("all",)

    def events_of(self, shard: str) -> tuple[Event, ...]:
        """The events one shard runs."""
        return self.events if shard == "all" else tuple(e for e in self.events if e == shard)


def load_plan(folder: Path, batch: str) -> Plan:
    """Read `folder`/`batch`.yaml; SettingsError names the key at fault and the batches there are."""
    path = folder / f"{batch}.yaml"
    if not path.is_file():
        known = sorted(p.stem for p in folder.glob("*.yaml"))
        raise SettingsError(
            f"no batch {batch!r}{nearest(batch, known)}", where=folder, remedy=f"batches: {', '.join(known)}"
        )
    try:
        plan = Plan.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except yaml.YAMLError as error:
        raise SettingsError(f"not YAML: {error}", where=path) from error
    except ValidationError as error:
        raise SettingsError(explain(error), where=path) from error
    if plan.batch != batch:
        raise SettingsError(f"file is named {batch!r} but states batch {plan.batch!r}", where=path)
    return plan
