"""Levels on real records (laboratory and aperiodic vital signs), and XL on dense charting (App. O)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from length_world import STAY, revoked, target, write_charting

from evrev.formats.canonical import canonical_json
from evrev.formats.scenario import Document
from evrev.formats.task import load_task_contract
from evrev.medication import load_aliases
from evrev.records.build import build_records
from evrev.scenarios.caps import ENOUGH, LEVEL_TARGETS, SMALL, XL_TARGETS
from evrev.scenarios.cohort import read_cohort
from evrev.scenarios.context import TABLES, Context, collisions, read_context
from evrev.scenarios.documents import base_documents
from evrev.scenarios.eligibility import generic_reason
from evrev.scenarios.events.base import Case
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.growth import by_orders
from evrev.scenarios.levels import ByContext, xl_target
from evrev.scenarios.prompt_body import reading_body
from evrev.scenarios.support import expected_answers, support_classes
from evrev.scenarios.target import Target
from evrev.tokenizers import counter

ROOT = Path(__file__).resolve().parents[2]
CORE = ("patient", "medication", "diagnosis", "lab", "treatment")
CHARTING = ("vitalPeriodic", "vitalAperiodic", "nurseCharting")


class Real(NamedTuple):
    """The development persons of the demo that can be rendered, and their charting."""

    records: Path
    targets: list[Target]
    context: Context


def _targets(records: Path, partition: str) -> list[Target]:
    cohort = read_cohort(records, partition)
    formulary = Formulary(load_aliases(), cohort.order_names)
    found = []
    for person in cohort.persons:
        fit = (s for s in person.stays if generic_reason(s, SMALL, formulary) is None)
        if stay := next(fit, None):
            found.append(Target(person, stay, base_documents(stay, SMALL), formulary))
    return found


@pytest.fixture(scope="module")
def real(eicu_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Real:
    records = tmp_path_factory.mktemp("levels") / "records"
    tables = (*CORE, "vitalAperiodic")
    build_records(source="eicu_demo", data=eicu_demo, lab="lab.subset.csv.gz", tables=tables, out=records)
    targets = _targets(records, "development")
    context = read_context(records, [made.stay for made in targets], allow_absent=True)
    return Real(records, targets, context)


def _records(real: Real) -> list[ByContext]:
    return [
        ByContext(made.person.pseudonym, Case(made.documents), real.context.days(made.stay))
        for made in real.targets
    ]


def _reread(patient: str, documents: tuple[Document, ...]) -> int:
    shown = [(document, document.versions[0]) for document in documents]
    return counter("qwen2.5").count(reading_body(patient, shown))


def test_the_tables_that_are_not_at_hand_are_named(real: Real) -> None:
    assert real.context.absent == ("vitalPeriodic", "nurseCharting")


@pytest.mark.parametrize(("level", "fewest"), [("M", 4), ("L", 6)])
def test_real_patients_in_a_level_are_in_its_band_with_d1_to_d3_untouched(
    real: Real, level: str, fewest: int
) -> None:
    goal = {"M": LEVEL_TARGETS["M"], "L": LEVEL_TARGETS["L"]}[level]
    inside = [(record, found) for record in _records(real) if (found := record.to(goal)).reason is None]
    assert len(inside) >= fewest
    for record, found in inside:
        assert 0.9 * goal <= found.tokens <= goal
        assert found.tokens == _reread(record.patient, found.documents)
        assert canonical_json(found.documents[:3]) == canonical_json(record.case.documents)


def test_real_context_is_chronological_and_of_the_patients_own_stay(real: Real) -> None:
    for made, record in zip(real.targets, _records(real), strict=True):
        added = record.to(LEVEL_TARGETS["L"]).documents[3:]
        days = [int(document.title.rsplit(" ", 1)[1]) for document in added]
        assert days == sorted(days)
        own = {line for one in real.context.days(made.stay) for line in one.lines}
        assert all(set(document.versions[0].lines) <= own for document in added)


def test_a_level_is_the_same_however_many_stays_are_read(real: Real) -> None:
    one = real.targets[3]
    alone = read_context(real.records, [one.stay], allow_absent=True)
    assert alone.days(one.stay) == real.context.days(one.stay)


def test_only_analytes_of_laboratory_documents_collide_with_medication_keys(real: Real) -> None:
    known = real.targets[0].formulary.known
    hits = [hit for r in _records(real) for hit in collisions(r.to(4000).documents[3:], known)]
    assert "glucose" in {hit.key for hit in hits}
    assert all(hit.title.startswith("laboratory results") for hit in hits)


def test_some_real_patients_have_the_distinct_orders_for_growth_and_then_list_more(real: Real) -> None:
    contract = load_task_contract(ROOT / "resources" / "task_contract.yaml")
    inside = 0
    for made in _targets(real.records, "sealed"):
        record = by_orders(made, Case(made.documents))
        found = record.to(1000)
        assert found.tokens == _reread(record.patient, found.documents)
        if found.reason is None:
            inside += 1
            small, grown = (
                expected_answers(support_classes(d, None, contract, made.formulary, {}), d[1])
                for d in (made.documents, found.documents)
            )
            assert set(small.medication_after) < set(grown.medication_after)
    assert inside >= 3


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Real:
    records = tmp_path_factory.mktemp("synthetic") / "records"
    build_records(source="synthetic", tables=(*CORE, *CHARTING), out=records)
    targets = _targets(records, "development")
    return Real(records, targets, read_context(records, [made.stay for made in targets]))


def test_synthetic_records_hold_all_context_tables_and_reach_xl(synthetic: Real) -> None:
    records = _records(synthetic)
    assert {one.table for record in records for one in record.days} == set(TABLES)
    reached = xl_target(records)
    assert reached in XL_TARGETS
    inside = [(r, f) for r in records if (f := r.to(reached)).reason is None]
    assert len(inside) >= ENOUGH
    for record, found in inside[:ENOUGH]:
        assert found.tokens == _reread(record.patient, found.documents)
        assert 0.9 * reached <= found.tokens <= reached


VITALS = ("temperature", "sao2", "heartrate", "respiration", "systemicsystolic", "systemicdiastolic")


def dense(folder: Path, days: int, patients: int) -> list[ByContext]:
    """Patients with hourly vital signs and nursing entries."""
    hourly = [f"VITAL | {name} | {60 + hour}" for hour in range(24) for name in VITALS]
    nursing = [f"CHARTING | Vital Signs | O2 Saturation | {90 + n % 10}" for n in range(40)]
    charted = {
        "vitalPeriodic": dict.fromkeys(range(days), hourly),
        "vitalAperiodic": dict.fromkeys(range(days), hourly[:20]),
        "nurseCharting": dict.fromkeys(range(days), nursing),
    }
    found = []
    for n in range(patients):
        made = target()
        context = read_context(write_charting(folder / f"{n}", charted, STAY), [made.stay])
        found.append(ByContext(f"p{n:08}", revoked(made), context.days(made.stay)))
    return found


def test_dense_charting_reaches_l_and_xl_is_12000(tmp_path: Path) -> None:
    patients = dense(tmp_path, days=10, patients=ENOUGH)
    assert xl_target(patients) == 12_000
    assert [patients[0].to(goal).reason for goal in (4000, 12_000)] == [None, None]


def test_shorter_stays_make_xl_fall_back_in_steps_of_1000(tmp_path: Path) -> None:
    long, short = dense(tmp_path / "a", 10, 5), dense(tmp_path / "b", 4, 3)
    reached = xl_target(long + short)
    assert reached is not None
    assert reached % 1000 == 0
    assert 4000 < reached < 12_000
    assert sum(record.to(reached).reason is None for record in long + short) >= ENOUGH
    assert sum(record.to(reached + 1000).reason is None for record in long + short) < ENOUGH
