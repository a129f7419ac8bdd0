"""Every plan built from one set of records, and the tables those records were made from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scenario_world import ROOT, contract

from evrev.formats.plan import Plan, batch_names, load_plan
from evrev.formats.scenario import Scenario
from evrev.formats.scenario_io import load_scenarios
from evrev.medication import load_aliases
from evrev.records.build import build_records
from evrev.records.synthetic import write_tables
from evrev.records.tables import CHARTING, CORE
from evrev.scenarios.build import Builder

BATCHES = ROOT / "config" / "batches"


def plan_named(name: str) -> Plan:
    """A plan of the repository."""
    return load_plan(BATCHES, name)


@dataclass
class Everything:
    """All batches of one source: where each was built, its report and its scenarios by id."""

    tables: dict[str, Path]
    records: Path
    folders: dict[str, Path] = field(default_factory=dict)
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    found: dict[str, dict[str, Scenario]] = field(default_factory=dict)

    def all(self) -> list[Scenario]:
        """Every scenario of every batch."""
        return [made for batch in self.found.values() for made in batch.values()]


def build_everything(folder: Path, tables: dict[str, Path], lab: str | None = None) -> Everything:
    """Records and all plans, from the CSV files `tables`, which stand in one folder."""
    records = folder / "records"
    records.mkdir()
    build_records(
        source="eicu_demo",
        data=tables["patient"].parent,
        lab=lab,
        out=records,
        tables=(*CORE, *CHARTING),
        allow_missing=CHARTING,
    )
    made = Everything(tables, records)
    builder = Builder(
        records=records, contract=contract(), aliases=load_aliases(), plans=plan_named, absent_tables=True
    )
    for name in batch_names(BATCHES):
        out = made.folders[name] = folder / "scenarios" / name
        out.mkdir(parents=True)
        builder.build(plan_named(name), None, out)
        made.reports[name] = json.loads((out / "patients.json").read_bytes())
        made.found[name] = {scenario.id: scenario for scenario in load_scenarios(out)}
    return made


def synthetic_tables(folder: Path) -> dict[str, Path]:
    """The embedded tables as files."""
    write_tables(folder)
    return {path.name.removesuffix(".csv.gz"): path for path in folder.iterdir()}


def demo_tables(folder: Path) -> dict[str, Path]:
    """The files of the demo that are at hand, with the extract of the laboratory table."""
    names = ("patient", "medication", "diagnosis", "treatment", "vitalAperiodic")
    return {name: folder / f"{name}.csv.gz" for name in names} | {"lab": folder / "lab.subset.csv.gz"}
