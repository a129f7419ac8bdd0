"""The replacement event on the real orders: every name gets a verdict, and about half the patients a line.

The paper found 13 of 27 development patients eligible, and 8 and 11 in its other partitions: a bound of
plausibility, not a target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from evrev.medication import load_aliases, medication_class
from evrev.medication.strength import explicit_strength, strengths
from evrev.records.build import build_records
from evrev.scenarios.caps import SMALL
from evrev.scenarios.cohort import Row, read_cohort
from evrev.scenarios.documents import base_documents
from evrev.scenarios.eligibility import generic_reason
from evrev.scenarios.events.e2 import build, e2_finding
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.order_line import stated_strength
from evrev.scenarios.support import order_name
from evrev.scenarios.target import Pool, Target


@pytest.fixture(scope="module")
def records(eicu_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    build_records(source="eicu_demo", data=eicu_demo, lab="lab.subset.csv.gz", out=folder)
    return folder


def targets(records: Path, result: Row | None) -> Iterator[Target]:
    """The first stay of every person that any event could be built on; `result` serves stays without one."""
    for partition in ("development", "calibration", "sealed"):
        cohort = read_cohort(records, partition)
        formulary = Formulary(load_aliases(), cohort.order_names)
        for person in cohort.persons:
            stays = [s if s.results or not result else replace(s, results=(result,)) for s in person.stays]
            fit = (stay for stay in stays if generic_reason(stay, SMALL, formulary) is None)
            stay = next(fit, None)
            if stay:
                yield Target(person, stay, base_documents(stay, SMALL), formulary)


@pytest.fixture(scope="module")
def everybody(records: Path) -> list[Target]:
    return list(targets(records, Row("sodium", "LAB | sodium | 140 mmol/L")))


@pytest.fixture(scope="module")
def changed(everybody: list[Target]) -> list[tuple[Target, str, str]]:
    found = []
    for target in everybody:
        case = build(target, Pool((), "c"))
        if case:
            before, after = (version.lines[0] for version in case.documents[-1].versions)
            found.append((target, before, after))
    return found


def test_about_half_of_the_patients_have_an_order_that_can_be_replaced(everybody: list[Target]) -> None:
    found = Counter(map(e2_finding, everybody))
    assert 900 <= found.total() <= 1_000
    assert 0.42 <= found["eligible"] / found.total() <= 0.62
    assert found["several_strengths"] == max(count for name, count in found.items() if name != "eligible")


def test_the_laboratory_extract_leaves_some_of_them(records: Path) -> None:
    found = Counter(map(e2_finding, targets(records, None)))
    assert 12 <= found["eligible"] <= 30 <= found.total() <= 70


def test_nearly_all_of_them_can_be_doubled(changed: list[tuple[Target, str, str]]) -> None:
    doubled = 0
    for _, before, after in changed:
        old, new = stated_strength(before).strength, stated_strength(after).strength
        assert old is not None
        assert new is not None
        assert new.value in (old.value * 2, old.value / 2)
        doubled += new.value > old.value
    assert 0.9 <= doubled / len(changed) < 1


def test_one_field_changes_to_a_strength_that_no_document_states(
    changed: list[tuple[Target, str, str]],
) -> None:
    for target, before, after in changed:
        fields = list(zip(before.split("|"), after.split("|"), strict=True))
        assert sum(old != new for old, new in fields) == 1
        new = stated_strength(after).strength
        assert new is not None
        text = [line for document in target.documents for line in document.versions[0].lines]
        assert new.amount not in {strength.amount for line in text for strength in strengths(line)}


def test_the_changed_order_names_the_same_drug(changed: list[tuple[Target, str, str]]) -> None:
    aliases = load_aliases()
    for _, before, after in changed:
        names = (order_name(before) or "", order_name(after) or "")
        assert medication_class(names[0], aliases) == medication_class(names[1], aliases)


def test_every_real_order_gets_a_verdict(records: Path) -> None:
    orders = pl.read_parquet(records / "orders.parquet", columns=["name", "dose", "route", "line"])
    found: Counter[str] = Counter()
    for name, dose, route, line in orders.iter_rows():
        verdict = explicit_strength(name, dose, route)
        assert verdict.reason == stated_strength(line).reason
        found[verdict.reason] += 1
    shares = {reason: count / found.total() for reason, count in found.items()}
    assert 0.30 <= shares["eligible"] <= 0.55
    assert 0.25 <= shares["several_strengths"] <= 0.50
    assert 0.05 <= shares["no_strength"] <= 0.20
    assert {"combination", "range", "per_number", "number_in_name", "number_in_dose"} <= set(found)


def test_most_numbers_beside_a_unit_are_read_as_strengths(records: Path) -> None:
    doses = pl.read_parquet(records / "orders.parquet", columns=["dose"])["dose"].str.to_lowercase()
    stated = doses.filter(doses.str.contains(r"\d\s*(?:mg|mcg|g|gm|gram|units?|meq|mmol)\b"))
    assert len(stated) > 10_000
    assert [dose for dose in stated.unique() if not strengths(dose)] == []
