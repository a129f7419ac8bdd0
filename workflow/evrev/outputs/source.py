"""What a table is made from: the statistics of one run, with the names that the study gives its readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from evrev.errors import DataError, SettingsError
from evrev.formats.plan import Plan, TestFamily
from evrev.formats.settings import ModelEntry
from evrev.statistics.result import CellResult, PairedTest, Statistics


class Reader(NamedTuple):
    """A model as the rows name it. `name` is none for a model of the paper that did not run here."""

    label: str
    shown: str
    name: str | None
    kind: str


@dataclass(frozen=True)
class Source:
    """The statistics of a run and its surroundings; `notes` is the scenario report (planned, taken, ...)."""

    statistics: Statistics
    plan: Plan
    models: Mapping[str, ModelEntry]
    study: str
    run: str
    digest: str
    scores: str | None
    partial: Mapping[str, str]
    notes: Mapping[str, Any]

    def readers(self, paper_labels: Iterable[str]) -> list[Reader]:
        """The paper's models in its order, each as the study has it or as not run, then any others."""
        mine = [self._reader(name) for name in self.models if name in self.statistics.models]
        order = list(dict.fromkeys([*paper_labels, *(reader.label for reader in mine)]))
        found: list[Reader] = []
        for label in order:
            found += [r for r in mine if r.label == label] or [Reader(label, label, None, "not run")]
        return found

    def _reader(self, name: str) -> Reader:
        entry = self.models[name]
        labels = Counter(other.label for other in self.models.values())
        mixed = len({other.kind for other in self.models.values()}) > 1
        shown = f"{entry.label} ({name})" if labels[entry.label] > 1 or mixed else entry.label
        return Reader(entry.label, shown, name, entry.kind)

    def cell(self, reader: Reader, event: str, pipeline: str) -> CellResult | None:
        """A cell at the plan's first size; none for a reader that did not run, DataError if it is missing."""
        if reader.name is None:
            return None
        found = self._cells.get((reader.name, event, pipeline))
        if found is None:
            raise DataError(
                f"the statistics of {self.plan.batch} lack {reader.name} {event} {pipeline}",
                remedy="score the batch again",
            )
        return found

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], CellResult]:
        size = self.plan.sizes[0]
        return {(c.model, c.event, c.pipeline): c for c in self.statistics.cells if c.size == size}

    def cells(self, events: Iterable[str]) -> list[CellResult]:
        """Every cell of some events, in the order of the study's models."""
        wanted = set(events)
        return [
            c for name in self.models for c in self._cells.values() if c.model == name and c.event in wanted
        ]

    def family(self, number: int) -> TestFamily:
        """The family a table prints; SettingsError when the plan declares none for it."""
        for family in self.plan.families:
            if number in family.tables:
                return family
        raise SettingsError(f"declares no family for table {number}", where=f"plan {self.plan.batch}")

    def test(self, reader: Reader, family: TestFamily, pipeline: str) -> PairedTest | None:
        """A test of a family at the plan's first size; none for a reader that did not run."""
        if reader.name is None:
            return None
        key = (family.name, reader.name, self.plan.sizes[0], pipeline)
        for test in self.statistics.tests:
            if (test.family, test.model, test.size, test.pipeline) == key:
                return test
        raise DataError(f"the statistics of {self.plan.batch} lack the test {' '.join(key)}")
