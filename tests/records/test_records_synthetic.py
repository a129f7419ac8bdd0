"""The synthetic source: the same files as the real ones, nobody's data, and enough of it."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from records_world import Built

from evrev.records.synthetic import write_tables
from evrev.records.synthetic.write import COLUMNS
from evrev.records.tables import TABLES


def test_files_and_columns_are_those_of_the_release(eicu_demo: Path, synthetic_records: Built) -> None:
    for name, columns in COLUMNS.items():
        with gzip.open(synthetic_records.data / f"{name}.csv.gz", "rt") as ours:
            assert tuple(next(csv.reader(ours))) == columns
        real = eicu_demo / f"{'lab.subset' if name == 'lab' else name}.csv.gz"
        # These two are not among the tables at hand; their columns are the published ones.
        if name in ("vitalPeriodic", "nurseCharting"):
            assert set(TABLES[name].columns) <= set(columns)
            continue
        with gzip.open(real, "rt") as theirs:
            assert tuple(next(csv.reader(theirs))) == columns


def test_nobody_can_take_a_synthetic_person_for_a_real_one(synthetic_records: Built) -> None:
    assert all(person.startswith("synthetic-") for person in synthetic_records.frame("stays")["person"])


def test_no_real_row_is_copied(demo_records: Built, synthetic_records: Built) -> None:
    for table in ("patient", "medication", "diagnosis", "lab", "treatment"):
        ours, theirs = synthetic_records.raw(table), demo_records.raw(table)
        stays = {row["patientunitstayid"] for row in theirs}
        assert not stays & {row["patientunitstayid"] for row in ours}
        first = COLUMNS[table][0]
        assert not {row[first] for row in theirs} & {row[first] for row in ours}


def test_more_persons_leave_the_first_ones_as_they_are(tmp_path: Path) -> None:
    write_tables(tmp_path / "few", persons=5)
    write_tables(tmp_path / "more", persons=9)
    few, more = (
        pl.read_csv(tmp_path / name / "medication.csv.gz", infer_schema=False).drop("medicationid")
        for name in ("few", "more")
    )
    assert more.head(few.height).equals(few)
    assert more.height > few.height


@pytest.mark.parametrize("event", ["ordinary", "treatment"])
def test_at_least_40_sealed_persons_can_take_every_event(synthetic_records: Built, event: str) -> None:
    from evrev.medication import load_aliases, medication_class, treatment_drug

    aliases = load_aliases()
    stays = synthetic_records.frame("stays").filter(pl.col("partition") == "sealed")
    orders = synthetic_records.frame("orders")
    resolved = {name: medication_class(name, aliases) for name in set(orders["name"])}
    known = frozenset(drug.key for drug in resolved.values() if not drug.ambiguous)
    names = {stay: list(group["name"]) for (stay,), group in orders.group_by("stay", maintain_order=True)}
    paths = {
        stay: set(group["path"]) for (stay,), group in synthetic_records.frame("treatments").group_by("stay")
    }
    others = [set(synthetic_records.frame(name)["stay"]) for name in ("problems", "labs")]
    able: Counter[str] = Counter()
    for person, stay in stays.select("person", "stay").iter_rows():
        first = {resolved[name].key for name in names.get(stay, [])[:4] if not resolved[name].ambiguous}
        if len(first - {""}) < 3 or not all(stay in found for found in others):
            continue
        on_record = {resolved[name].key for name in names[stay]}
        drugs = {treatment_drug(path, known, aliases) for path in paths.get(stay, ())} - {None, ""}
        able[person] += 1 if event == "ordinary" or drugs - on_record else 0
    assert sum(count > 0 for count in able.values()) >= 40
