"""Small hand-made records: persons and stays in a few words, written as the records stage writes them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from evrev.formats.plan import Plan
from evrev.formats.scenario import Event, Scenario, Support
from evrev.formats.task import TaskContract, load_task_contract
from evrev.medication import AliasTable, load_aliases
from evrev.scenarios.build import build_scenarios

ROOT = Path(__file__).resolve().parents[2]
EVENTS: tuple[Event, ...] = ("E0", "E1", "E1b", "E4")


@dataclass(frozen=True)
class S:
    """A stay: orders (a name, or name, dose, route, frequency), paths, and results (name, value, unit)."""

    orders: Sequence[str | tuple[str, str, str, str]] = (
        "aspirin 81 mg",
        "metoprolol 25 mg",
        "furosemide 40 mg",
    )
    problems: Sequence[str] = ("cardiovascular|chest pain",)
    labs: Sequence[tuple[str, str, str]] = (("sodium", "140", "mmol/L"),)
    treatments: Sequence[str] = ()


@dataclass(frozen=True)
class P:
    """A person with their stays in order."""

    name: str
    stays: Sequence[S] = field(default_factory=lambda: (S(),))
    partition: str = "sealed"


# Somebody whose lines serve everybody else, and who for want of a result is never a patient.
DONOR = P(
    "donor",
    (
        S(
            orders=(
                "warfarin 5 mg",
                "aspirin 325 mg",
                "metoprolol 50 mg",
                "furosemide 20 mg",
                "morphine 2 mg",
            ),
            labs=(),
            treatments=("pulmonary|medications|vancomycin",),
        ),
    ),
)
# Makes vancomycin a known drug without ordering it for anybody of the partition.
ELSEWHERE = P(
    "elsewhere", (S(orders=("vancomycin 1 g", "ceftriaxone 1 g", "heparin 5,000 units")),), "development"
)
TARGET = P("target")


def write_records(folder: Path, persons: Sequence[P]) -> Path:
    """Write the Parquet files of `persons`, in hash order as given."""
    rows: dict[str, list[dict[str, Any]]] = {
        n: [] for n in ("stays", "orders", "problems", "labs", "treatments")
    }
    stay = 100
    for rank, person in enumerate(persons):
        for place, told in enumerate(person.stays):
            stay += 1
            rows["stays"].append(
                {"person": person.name, "stay": stay, "hospital_stay": stay, "partition": person.partition}
                | {
                    "rank": rank,
                    "stay_order": place,
                    "unit_discharge_offset": 9999,
                    "age": "60",
                    "gender": "F",
                }
            )
            for name, made in _rows(told).items():
                rows[name] += [{"stay": stay, **row} for row in made]
    folder.mkdir(parents=True, exist_ok=True)
    for name, made in rows.items():
        pl.DataFrame(made, schema=SCHEMA[name]).write_parquet(folder / f"{name}.parquet")
    return folder


def _rows(told: S) -> dict[str, list[dict[str, Any]]]:
    orders = [(o, "", "", "") if isinstance(o, str) else o for o in told.orders]
    return {
        "orders": [
            {
                "start": i,
                "order_offset": i,
                "medication_id": i,
                "name": n,
                "dose": d,
                "route": r,
                "frequency": f,
            }
            | {"line": " ".join(f"MEDICATION | {n} | {d} | {r} | {f}".split()), "day": 0}
            for i, (n, d, r, f) in enumerate(orders)
        ],
        "problems": [
            {"position": i, "offset": i, "path": p, "line": f"PROBLEM | {p}"}
            for i, p in enumerate(told.problems)
        ],
        "labs": [
            {
                "offset": i,
                "lab_id": i,
                "name": n,
                "text": t,
                "unit": u,
                "line": f"LAB | {n} | {t} {u}",
                "day": 0,
            }
            for i, (n, t, u) in enumerate(told.labs)
        ],
        "treatments": [
            {"offset": i, "treatment_id": i, "path": p, "line": f"TREATMENT | {p}", "day": 0}
            for i, p in enumerate(told.treatments)
        ],
    }


_I, _T = pl.Int64(), pl.String()
SCHEMA: dict[str, dict[str, pl.DataType]] = {
    "stays": dict.fromkeys(("person", "partition", "age", "gender"), _T)
    | dict.fromkeys(("stay", "hospital_stay", "rank", "stay_order", "unit_discharge_offset"), _I),
    "orders": dict.fromkeys(("stay", "start", "order_offset", "medication_id", "day"), _I)
    | dict.fromkeys(("name", "dose", "route", "frequency", "line"), _T),
    "problems": dict.fromkeys(("stay", "position", "offset"), _I) | dict.fromkeys(("path", "line"), _T),
    "labs": dict.fromkeys(("stay", "offset", "lab_id", "day"), _I)
    | dict.fromkeys(("name", "text", "unit", "line"), _T),
    "treatments": dict.fromkeys(("stay", "offset", "treatment_id", "day"), _I)
    | dict.fromkeys(("path", "line"), _T),
}


def plan(n: int | str = 20, events: Sequence[str] = EVENTS, **changes: Any) -> Plan:
    """A plan over the sealed partition."""
    return Plan.model_validate(
        {
            "batch": "trial",
            "role": "development",
            "title": "trial",
            "patients": {"partition": "sealed", "n": n},
            "events": events,
            "sizes": ["small"],
            "pipelines": ["reread"],
            "shards": "model",
        }
        | changes
    )


def contract() -> TaskContract:
    """The task contract of the repository."""
    return load_task_contract(ROOT / "resources" / "task_contract.yaml")


@dataclass
class World:
    """Records in a folder, built into fresh folders beside it."""

    folder: Path
    aliases: AliasTable | None = field(default_factory=load_aliases)
    report: dict[str, Any] = field(default_factory=dict)
    out: Path = Path()

    def build(self, asked: Plan | None = None, limit: int | None = None) -> dict[str, Scenario]:
        """Build and return the scenarios by id; `report` and `out` are those of the last build."""
        self.out = Path(tempfile.mkdtemp(dir=self.folder.parent))
        self.report = build_scenarios(
            records=self.folder,
            plan=asked or plan(),
            contract=contract(),
            aliases=self.aliases,
            limit=limit,
            out=self.out,
        )
        names = [name for patient in self.report["patients"] for name in patient["scenarios"]]
        return {n: Scenario.model_validate_json((self.out / f"{n}.json").read_bytes()) for n in names}


def make_world(folder: Path, *persons: P) -> World:
    """The records of `persons`."""
    return World(write_records(folder / "records", persons))


def scenario(found: dict[str, Scenario], event: str, patient: int = 0) -> Scenario:
    """The scenario of the patient-th taken patient under an event."""
    patients = list(dict.fromkeys(s.patient for s in found.values()))
    return next(s for s in found.values() if s.event == event and s.patient == patients[patient])


def lines(made: Scenario, document: str) -> tuple[str, ...]:
    """The lines of a document at ingest."""
    return next(d for d in made.documents if d.id == document).versions[0].lines


def support_of(made: Scenario, key: str) -> Support:
    """The support entry of a lexical key."""
    return next(entry for entry in made.support if entry.key == key)
