"""The large size adds one order, laboratory and treatment document per ICU day (section 5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from length_world import LABS, ORDERS, PATHS, lines_of, order, result, revoked, target, titles, treatment

from evrev.formats.scenario import Document
from evrev.formats.task import load_task_contract
from evrev.medication import load_aliases
from evrev.records.build import build_records
from evrev.scenarios.caps import LARGE, LARGE_DOCUMENTS, SMALL
from evrev.scenarios.cohort import read_cohort
from evrev.scenarios.documents import base_documents
from evrev.scenarios.eligibility import generic_reason
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.large import large_documents
from evrev.scenarios.support import expected_answers, support_classes
from evrev.scenarios.target import Target

ROOT = Path(__file__).resolve().parents[2]
DAYS = tuple(range(3))


def whole_stay(days: tuple[int, ...] = DAYS) -> Target:
    """A patient with rows of every kind on each day."""
    return target(
        [order(f"{name} day {day}", day) for day in days for name in ORDERS],
        [result(name, day, str(day)) for day in days for name in LABS],
        [treatment(f"{path}|day {day}", day) for day in days for path in PATHS],
    )


def test_the_documents_of_icu_days_0_and_1_come_by_day_then_orders_results_treatments() -> None:
    assert titles(large_documents(whole_stay())) == [
        "medication orders, ICU day 0",
        "laboratory results, ICU day 0",
        "treatment records, ICU day 0",
        "medication orders, ICU day 1",
        "laboratory results, ICU day 1",
    ]


def test_d4_is_the_event_documents_number_so_the_first_added_document_is_d5() -> None:
    assert [d.id for d in large_documents(whole_stay())] == ["D5", "D6", "D7", "D8", "D9"]


def test_there_are_at_most_eight_documents_before_the_event_document() -> None:
    made = whole_stay()
    assert len(made.documents) + len(large_documents(made)) == LARGE_DOCUMENTS == 8


def test_orders_come_from_the_pharmacy_results_from_the_laboratory_and_treatments_from_the_ehr() -> None:
    found = [(document.kind, document.source) for document in large_documents(whole_stay())[:3]]
    assert found == [("orders", "pharmacy"), ("laboratory", "lab"), ("treatments", "ehr")]


def test_a_day_document_holds_the_whole_day_and_so_repeats_lines_of_d1_and_d3() -> None:
    made = target()
    orders, results, _ = large_documents(made)
    assert lines_of(orders) == tuple(row.line for row in made.stay.orders)
    assert set(lines_of(made.documents[0])) < set(lines_of(orders))
    assert set(lines_of(made.documents[2])) < set(lines_of(results))


def test_d1_to_d3_do_not_change() -> None:
    made = whole_stay()
    before = [document.model_dump_json() for document in base_documents(made.stay, SMALL)]
    large_documents(made)
    assert [document.model_dump_json() for document in made.documents] == before


def test_a_day_shows_at_most_ten_orders_twelve_results_and_ten_treatments() -> None:
    many = target(
        [order(f"drug{n} 5 mg") for n in range(30)],
        [result(f"analyte {n}") for n in range(30)],
        [treatment(f"pulmonary|step {n}") for n in range(30)],
    )
    assert [len(lines_of(document)) for document in large_documents(many)] == [10, 12, 10]


def test_a_result_repeated_within_a_day_stands_once_with_its_first_value_and_again_on_the_next_day() -> None:
    rows = [result("sodium", 0, "140"), result("sodium", 0, "141"), result("sodium", 1, "142")]
    shown = [lines_of(d) for d in large_documents(target(results=rows)) if d.kind == "laboratory"]
    assert shown == [("LAB | sodium | 140 mmol/L",), ("LAB | sodium | 142 mmol/L",)]


def test_a_treatment_recorded_twice_on_a_day_stands_once() -> None:
    twice = target(treatments=[treatment(PATHS[0]), treatment(PATHS[1]), treatment(PATHS[0])])
    (found,) = (lines_of(d) for d in large_documents(twice) if d.kind == "treatments")
    assert found == tuple(f"TREATMENT | {path}" for path in PATHS)


def test_a_kind_without_a_row_on_a_day_gets_no_document() -> None:
    made = target(orders=[order(name) for name in ORDERS], results=[result("sodium", 1)], treatments=[])
    assert titles(large_documents(made)) == ["medication orders, ICU day 0", "laboratory results, ICU day 1"]


def test_a_patient_whose_rows_all_lie_after_the_second_day_has_no_large_size() -> None:
    late = target([order(name, 2) for name in ORDERS], [result("sodium", 2)], [treatment(PATHS[0], 5)])
    assert large_documents(late) == ()


def test_the_drug_of_e2_and_e4_stands_on_no_added_document() -> None:
    orders = [*(order(name) for name in ORDERS), order("Lopressor 50 mg"), order("metoprolol 12.5 mg", 1)]
    shown = [
        line
        for d in large_documents(target(orders), without="metoprolol")
        for line in lines_of(d)
        if re.search("metoprolol|lopressor", line, re.IGNORECASE)
    ]
    assert shown == []
    text = [line for d in large_documents(target(), without="vancomycin") for line in lines_of(d)]
    assert f"TREATMENT | {PATHS[0]}" in text
    assert f"TREATMENT | {PATHS[1]}" not in text


def test_the_expected_list_holds_the_keys_of_the_day_documents_too() -> None:
    made = whole_stay()
    contract = load_task_contract(ROOT / "resources" / "task_contract.yaml")
    case = revoked(made)
    documents = (*case.documents, *large_documents(made))
    support = support_classes(documents, case.revision, contract, made.formulary, case.declared)
    expected = expected_answers(support, made.documents[1])
    assert "heparin" in expected.medication_after  # the fifth order, which D1 does not show
    assert set(expected.medication_before) - set(expected.medication_after) == {"warfarin"}
    (aspirin,) = (entry for entry in support if entry.key == "aspirin")
    assert (aspirin.before, aspirin.after) == (("D1", "D5", "D8"), ("D1", "D5", "D8"))


_DAY = st.integers(min_value=0, max_value=3)


@given(
    st.lists(st.tuples(st.sampled_from(ORDERS), _DAY), min_size=1, max_size=40),
    st.lists(st.tuples(st.sampled_from(LABS), _DAY), min_size=1, max_size=40),
    st.lists(st.tuples(st.sampled_from(PATHS), _DAY), max_size=40),
)
def test_whatever_the_stay_caps_hold_and_every_line_is_one_of_its_day(
    orders: list[tuple[str, int]], results: list[tuple[str, int]], treatments: list[tuple[str, int]]
) -> None:
    made = target(
        [order(name, day) for name, day in orders],
        [result(name, day) for name, day in results],
        [treatment(path, day) for path, day in treatments],
    )
    found = large_documents(made)
    assert len(made.documents) + len(found) <= LARGE_DOCUMENTS
    assert [d.id for d in found] == [f"D{5 + n}" for n in range(len(found))]
    assert all(d.title.endswith(("day 0", "day 1")) for d in found)
    caps = {"orders": LARGE.orders, "laboratory": LARGE.results, "treatments": LARGE.treatments}
    rows = {
        "orders": made.stay.orders,
        "laboratory": made.stay.results,
        "treatments": made.stay.treatments,
    }
    for document in found:
        of_day = [row.line for row in rows[document.kind] if row.day == int(document.title[-1])]
        assert len(lines_of(document)) <= caps[document.kind]
        assert set(lines_of(document)) <= set(of_day)
    assert bool(found) == any(row.day < 2 for kind in rows.values() for row in kind)


@pytest.fixture(scope="module")
def real_targets(eicu_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    """The development persons of the demo who have three keys, a problem and a result."""
    records = tmp_path_factory.mktemp("large") / "records"
    tables = ("patient", "medication", "diagnosis", "lab", "treatment")
    build_records(source="eicu_demo", data=eicu_demo, lab="lab.subset.csv.gz", tables=tables, out=records)
    cohort = read_cohort(records, "development")
    formulary = Formulary(load_aliases(), cohort.order_names)
    found = []
    for person in cohort.persons:
        fit = (s for s in person.stays if generic_reason(s, SMALL, formulary) is None)
        if stay := next(fit, None):
            found.append(Target(person, stay, base_documents(stay, SMALL), formulary))
    return found


def test_the_rows_of_the_cohort_carry_their_icu_day(real_targets: list[Target]) -> None:
    days = Counter(row.day for made in real_targets for row in made.stay.orders)
    assert min(days) == 0
    assert max(days) > 1
    assert all(isinstance(day, int) for day in days)


def test_real_patients_have_four_to_eight_documents_about_seven_on_average(
    real_targets: list[Target],
) -> None:
    numbers = [len(made.documents) + len(large_documents(made)) for made in real_targets]
    assert len(numbers) >= 20
    assert 4 <= min(numbers) <= max(numbers) == 8
    assert 6.5 <= mean(numbers) <= 7.1  # the paper: 6.75 over eight patients


def test_real_payloads_are_of_the_papers_size(real_targets: list[Target]) -> None:
    payloads = [1.3 * payload_words((*made.documents, *large_documents(made))) for made in real_targets]
    assert 210 <= sorted(payloads)[len(payloads) // 2] <= 558
    assert max(payloads) <= 700


def test_every_real_line_comes_from_the_rows_of_its_stay(real_targets: list[Target]) -> None:
    for made in real_targets:
        of_stay = {row.line for row in (*made.stay.orders, *made.stay.results, *made.stay.treatments)}
        assert all(set(lines_of(document)) <= of_stay for document in large_documents(made))


def test_a_records_folder_of_an_older_form_without_days_is_named(tmp_path: Path) -> None:
    from scenario_world import TARGET, write_records

    from evrev.errors import DataError

    folder = write_records(tmp_path / "records", [TARGET])
    pl.read_parquet(folder / "orders.parquet").drop("day").write_parquet(folder / "orders.parquet")
    with pytest.raises(DataError) as error:
        read_cohort(folder, "sealed")
    assert "orders.parquet" in str(error.value)
    assert "evrev records build" in str(error.value)


def payload_words(documents: Iterable[Document]) -> int:
    """Words of the first versions' lines, a bare `|` not counted; times 1.3, the paper's payload tokens."""
    lines = (line for document in documents for line in document.versions[0].lines)
    return sum(word != "|" for line in lines for word in line.split())
