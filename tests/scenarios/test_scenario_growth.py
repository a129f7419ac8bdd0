"""Allowed-evidence growth: the record and the expected answer grow together (beyond the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from length_world import ORDERS, kept, lines_of, order, replaced, revoked, target, titles

from evrev.formats.canonical import canonical_json
from evrev.formats.scenario import Document
from evrev.formats.task import load_task_contract
from evrev.scenarios.caps import ENOUGH, GROWTH_LINES
from evrev.scenarios.events.base import Case
from evrev.scenarios.growth import ByOrders, by_orders, growth_target
from evrev.scenarios.lengthen import NO_FIT, TOO_LITTLE, TOO_LONG, Lengthened
from evrev.scenarios.prompt_body import after_revision, reading_body
from evrev.scenarios.support import expected_answers, support_classes
from evrev.scenarios.target import Target
from evrev.tokenizers import counter

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = load_task_contract(ROOT / "resources" / "task_contract.yaml")
DRUGS = ("ceftriaxone", "vancomycin", "insulin regular", "ondansetron", "pantoprazole", "atorvastatin")


def with_orders(further: int, made: Sequence[str] = DRUGS) -> Target:
    """A patient with the four orders of D1 and some further ones, over several days."""
    rows = [order(name) for name in ORDERS[:4]]
    return target([*rows, *(order(f"{made[n % len(made)]} {n + 1} mg", n // 7) for n in range(further))])


def grown(further: int) -> ByOrders:
    """That patient under E1."""
    made = with_orders(further)
    return by_orders(made, revoked(made))


def added(found: Lengthened) -> tuple[Document, ...]:
    """The documents behind D4."""
    return found.documents[4:]


def body(found: Lengthened, case: Case, patient: str) -> int:
    """Tokens of the filled record's body, counted as one text."""
    shown = after_revision(found.documents, case.revision)
    return counter("qwen2.5").count(reading_body(patient, shown))


def test_further_lines_stand_in_pharmacy_documents_of_at_most_ten_lines_each() -> None:
    found = grown(60).to(1000)
    assert {(d.kind, d.source) for d in added(found)} == {("orders", "pharmacy")}
    assert [len(lines_of(d)) for d in added(found)[:-1]] == [GROWTH_LINES] * (len(added(found)) - 1)
    assert titles(added(found)[:2]) == [
        "further medication orders, part 1",
        "further medication orders, part 2",
    ]
    assert [d.id for d in added(found)] == [f"D{5 + n}" for n in range(len(added(found)))]


def test_d1_to_d4_stay_as_they_are() -> None:
    record = grown(60)
    assert canonical_json(record.to(1000).documents[:4]) == canonical_json(record.case.documents)


def test_the_further_lines_are_the_orders_of_the_stay_in_order_without_those_already_shown() -> None:
    made = with_orders(30)
    found = by_orders(made, revoked(made)).to(10_000)
    shown = [line for document in added(found) for line in lines_of(document)]
    assert shown == [row.line for row in made.stay.orders[4:]]


def test_an_order_that_d4_shows_does_not_stand_again() -> None:
    made = with_orders(3)
    line = made.stay.orders[-1].line
    case = kept(made)
    event = case.documents[-1].model_copy(
        update={"versions": (case.documents[-1].versions[0].model_copy(update={"lines": (line.upper(),)}),)}
    )
    record = by_orders(made, Case((*made.documents, event), "x"))
    assert line not in record.lines
    assert len(record.lines) == 2


def test_orders_of_the_drug_that_d4_alone_may_name_are_left_out() -> None:
    made = with_orders(12)
    assert not any("vancomycin" in line for line in by_orders(made, revoked(made), "vancomycin").lines)


def test_a_grown_record_is_in_the_band_and_its_tokens_are_those_of_the_whole_text() -> None:
    record = grown(60)
    found = record.to(1000)
    assert found.reason is None
    assert 900 <= found.tokens <= 1000
    assert found.tokens == body(found, record.case, record.patient)


def test_lines_are_added_until_nine_tenths_are_reached_and_no_further() -> None:
    record = grown(60)
    taken = sum(len(lines_of(document)) for document in added(record.to(1000)))
    assert record.sizes[taken] >= 900 > record.sizes[taken - 1]


def test_a_revised_d4_that_stays_is_counted_as_the_last_document() -> None:
    made = with_orders(60)
    record = by_orders(made, replaced(made))
    found = record.to(1500)
    assert found.tokens == body(found, record.case, record.patient)
    assert found.documents[3].id == "D4"


def test_the_expected_list_grows_with_the_record() -> None:
    made = with_orders(60)
    record = by_orders(made, revoked(made))
    expected = []
    for documents in (record.case.documents, record.to(1000).documents, record.to(1500).documents):
        support = support_classes(documents, record.case.revision, CONTRACT, made.formulary, {})
        expected.append(set(expected_answers(support, documents[1]).medication_after))
    assert expected[0] < expected[1] <= expected[2]
    assert "ceftriaxone" in expected[1]
    assert "warfarin" not in expected[2]


def test_a_patient_whose_orders_run_out_says_so() -> None:
    assert grown(3).to(1000).reason == TOO_LITTLE
    assert grown(0).to(1000).reason == TOO_LITTLE
    assert added(grown(0).to(1000)) == ()


def test_a_patient_whose_small_documents_pass_the_target_says_so() -> None:
    assert grown(3).to(100).reason == TOO_LONG


def test_a_line_longer_than_the_band_never_passes_the_target() -> None:
    made = target([*(order(name) for name in ORDERS[:4]), order("ceftriaxone " + "very long text " * 400)])
    record = by_orders(made, revoked(made))
    found = record.to(1000)
    assert (found.reason, added(found)) == (NO_FIT, ())


@given(st.integers(min_value=0, max_value=70), st.integers(min_value=300, max_value=4000))
def test_whatever_the_orders_and_the_target_a_record_is_in_the_band_or_says_why_not(
    further: int, goal: int
) -> None:
    record = grown(further)
    found = record.to(goal)
    assert (found.reason is None) == (0.9 * goal <= found.tokens <= goal)
    assert found.tokens == body(found, record.case, record.patient)


def test_the_longest_growth_target_is_the_largest_multiple_of_500_that_six_patients_reach() -> None:
    long, short = grown(120), grown(70)
    largest = growth_target(20_000, [long] * 3 + [short] * 3 + [grown(0)] * 2)
    assert largest is not None
    assert largest > 1000
    assert largest % 500 == 0
    assert short.to(largest).reason is None
    assert all(short.to(goal).reason is not None for goal in range(largest + 500, 20_001, 500))
    further = growth_target(20_000, [long] * 6)
    assert further is not None
    assert further > largest


def test_a_target_between_the_steps_falls_to_a_multiple_of_500() -> None:
    assert growth_target(1700, [grown(120)] * ENOUGH) == 1500


@pytest.mark.parametrize("records", [[grown(120)] * (ENOUGH - 1), []], ids=["five", "nobody"])
def test_too_few_patients_reach_no_longer_target(records: list[ByOrders]) -> None:
    assert growth_target(20_000, records) is None


def test_no_longer_target_remains_where_nobody_gets_beyond_1000() -> None:
    reached = next(n for n in range(10, 60) if grown(n).to(1000).reason is None)
    assert growth_target(20_000, [grown(reached)] * ENOUGH) is None
    assert growth_target(1000, [grown(reached)] * ENOUGH) == 1000


@pytest.mark.parametrize("goal", [1000, 1500])
def test_growing_twice_gives_the_same(goal: int) -> None:
    assert grown(60).to(goal) == grown(60).to(goal)
