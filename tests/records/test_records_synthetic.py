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
from evrev.records.tables import CHARTING, CORE, TABLES


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
def test_at_least_60_sealed_persons_can_take_every_event(synthetic_records: Built, event: str) -> None:
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
    assert sum(count > 0 for count in able.values()) >= 60


def _shares(built: Built) -> dict[str, float]:
    orders = pl.DataFrame(built.raw("medication"))
    named = orders.filter(pl.col("drugname").str.strip_chars() != "")

    def share(frame: pl.DataFrame, condition: pl.Expr) -> float:
        return frame.select(condition.mean()).item()

    def blank(column: str) -> pl.Expr:
        return pl.col(column).str.strip_chars() == ""

    start = pl.col("drugstartoffset").cast(pl.Int64)
    stays = pl.DataFrame(built.raw("patient"))
    return {
        "unnamed": share(orders, blank("drugname")),
        "code blank": share(orders, blank("drughiclseqno")),
        "dose blank": share(orders, blank("dosage")),
        "frequency blank": share(orders, blank("frequency")),
        "unit code": share(named, pl.col("dosage").str.contains(r"^[0-9.,-]+ [0-9]+$")),
        "start before admission": share(orders, start < 0),
        "start a day before admission": share(orders, start < -1440),
        "ordered before admission": share(orders, pl.col("drugorderoffset").cast(pl.Int64) < 0),
        "stop before admission": share(orders, pl.col("drugstopoffset").cast(pl.Int64) < 0),
        "stop before start": share(orders, pl.col("drugstopoffset").cast(pl.Int64) < start),
        "cancelled": share(orders, pl.col("drugordercancelled") == "Yes"),
        "bracket in name": share(named, pl.col("drugname").str.contains("(", literal=True)),
        "no number in name": share(named, ~pl.col("drugname").str.contains("[0-9]")),
        "persons of several stays": share(stays.group_by("uniquepid").len(), pl.col("len") > 1),
        "code of a diagnosis blank": share(pl.DataFrame(built.raw("diagnosis")), blank("icd9code")),
        "discharge weight blank": share(stays, blank("dischargeweight")),
    }


def test_the_mess_has_about_the_proportions_of_the_real_tables(
    demo_records: Built, synthetic_records: Built
) -> None:
    real, ours = _shares(demo_records), _shares(synthetic_records)
    assert {name: share for name, share in ours.items() if abs(share - real[name]) > 0.07} == {}


def test_most_persons_are_densely_charted_and_some_are_not(synthetic_charting: Built) -> None:
    lines = synthetic_charting.frame("charting").join(
        synthetic_charting.frame("stays").select("stay", "person"), on="stay"
    )
    per_person = lines.group_by("person").len()["len"]
    assert (per_person > 400).mean() > 0.6
    assert (per_person < 100).any()
    assert set(lines["table"]) == set(CHARTING)


def test_charting_changes_no_row_of_the_other_tables(tmp_path: Path, synthetic_records: Built) -> None:
    write_tables(tmp_path, tables=CORE)
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.csv.gz" for name in CORE}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (synthetic_records.data / path.name).read_bytes()
