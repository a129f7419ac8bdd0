"""A batch plan: one file per batch of Table 16 under config/batches/, read before anything is generated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from evrev.errors import SettingsError, nearest
from evrev.formats.base import Record, explain
from evrev.formats.scenario import Event, Task
from evrev.formats.trajectory import Decoding
from evrev.formats.yaml_file import read_yaml

Role = Literal["development", "pre_specified", "confirmatory", "exploratory", "post_hoc"]


class PatientRule(Record):
    """Which patients a batch takes: the first `n` eligible of a partition in hash order."""

    partition: Literal["development", "calibration", "sealed"]
    n: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        description="the paper's number, or `all`, which goes beyond it"
    )


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
    patients: PatientRule
    events: tuple[Event, ...] = Field(min_length=1)
    sizes: tuple[Literal["small", "large"], ...] = Field(min_length=1)
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
    def _each_stands_once(self) -> Plan:
        named = {name: getattr(self, name) for name in ("events", "sizes", "pipelines", "endpoints")}
        for name, values in {**named, "families": [family.name for family in self.families]}.items():
            twice = [value for value in values if values.count(value) > 1]
            if twice:
                raise ValueError(f"{name}: {twice[0]!r} stands twice")
        return self

    @model_validator(mode="after")
    def _families_use_what_runs(self) -> Plan:
        for family in self.families:
            absent = {family.reference, *family.pipelines} - set(self.pipelines)
            absent |= ({family.event} - set(self.events)) | ({family.endpoint} - set(self.endpoints))
            if absent:
                raise ValueError(
                    f"family {family.name!r} tests what the batch does not have: {', '.join(sorted(absent))}"
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
        plan = Plan.model_validate(read_yaml(path))
    except ValidationError as error:
        raise SettingsError(explain(error), where=path) from error
    if plan.batch != batch:
        raise SettingsError(f"file is named {batch!r} but states batch {plan.batch!r}", where=path)
    return plan
