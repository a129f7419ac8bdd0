"""A batch plan: one file per batch of Table 16 under config/batches/, read before anything is generated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from evrev.errors import SettingsError, nearest
from evrev.formats.base import Record, explain
from evrev.formats.scenario import Event, Level, Task
from evrev.formats.trajectory import Decoding
from evrev.formats.yaml_file import read_yaml

Role = Literal["development", "pre_specified", "confirmatory", "exploratory", "post_hoc"]


Partition = Literal["development", "calibration", "sealed"]


class PatientRule(Record):
    """Which patients a batch takes: the first `n` eligible of a partition in hash order.

    Linked batches (docs/choices.md) take patients of other batches: `same_as` names one whose patients are
    taken in their order, kept if eligible here; `unused_by` names batches whose patients are passed over.
    """

    partition: Partition
    n: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        description="the paper's number, or `all`, which goes beyond it"
    )
    same_as: str | None = None
    unused_by: tuple[str, ...] = ()


class Stratum(Record):
    """Patients of a batch that are never pooled with its others, and what is built for them."""

    name: str = Field(pattern=r"^[A-Za-z0-9]+$")
    patients: PatientRule
    events: tuple[Event, ...] = Field(default=(), description="fewer events than the batch's, if given")
    draws: int = Field(
        default=1, ge=1, description="scenarios of each patient and event, each with another donor drug"
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
    seeds: tuple[int, ...] = Field(
        default=(), description="a run of every unit under each of these seeds, if more than decoding's own"
    )
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
    def _patients_or_strata(self) -> Plan:
        if (self.patients is None) == (not self.strata):
            raise ValueError("a plan states either `patients` or `strata`")
        names = [stratum.name for stratum in self.strata]
        if len(set(names)) != len(names):
            raise ValueError(f"a stratum stands twice in {names}")
        for stratum in self.strata:
            if not set(stratum.events) <= set(self.events):
                raise ValueError(f"stratum {stratum.name} has an event that the batch has not")
            if stratum.draws > 1 and not set(stratum.events or self.events) <= {"E1", "E1b"}:
                raise ValueError(f"stratum {stratum.name}: only E1 and E1b draw a donor drug")
        if self.batch in {name for rule in self.rules for name in (rule.same_as, *rule.unused_by)}:
            raise ValueError("a plan cannot take its patients from itself")
        return self

    @property
    def rules(self) -> tuple[PatientRule, ...]:
        """The patient rule of the batch, or those of its strata."""
        if self.patients is not None:
            return (self.patients,)
        return tuple(stratum.patients for stratum in self.strata)

    @property
    def planned(self) -> int | Literal["all"]:
        """Patients the plan asks for, over all strata."""
        numbers = [rule.n for rule in self.rules]
        return "all" if "all" in numbers else sum(n for n in numbers if n != "all")

    @property
    def links(self) -> tuple[str, ...]:
        """The batches whose patients this one takes or passes over."""
        named = [name for rule in self.rules for name in (rule.same_as, *rule.unused_by) if name]
        return tuple(dict.fromkeys(named))

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


TABLE_16 = (
    "screening", "controls", "heldout", "batch_a", "batch_b", "batch_c", "batch_e", "batch_c2", "reuse", "l1",
    "l3", "l2", "length",
)  # fmt: skip
"""The paper's batches in the order of its Table 16, the order in which patients count as used again."""


def batch_names(folder: Path) -> tuple[str, ...]:
    """Every plan of a folder by name: those of Table 16 in its order, then others by name."""
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    known = {name: place for place, name in enumerate(TABLE_16)}
    return tuple(sorted(names, key=lambda name: known.get(name, len(known))))


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
