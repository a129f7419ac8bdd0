"""Endpoints of a medication use: for each, a case that flips it and one that must not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_builders import (
    ASPIRIN,
    COMBINATION,
    CONTRACT,
    LISINOPRIL,
    METOPROLOL,
    PERFECT,
    VANCOMYCIN,
    ZOFRAN,
    make_scenario,
    perfect,
)

from evrev.formats.scenario import Event
from evrev.medication import load_aliases
from evrev.scoring.medication import (
    Labeller,
    MedicationOutcome,
    Reading,
    answer_key,
    medication_outcome,
    unanswered,
)

LEXICAL = Reading(None)
ALIASED = Reading(load_aliases())
EVENTS: tuple[Event, ...] = ("E0", "E1", "E1b", "E2", "E4")


def outcome(
    event: Event,
    items: Sequence[str],
    use: int = 1,
    *,
    accepted: bool = True,
    aliases: bool = True,
    built_with_aliases: bool = True,
) -> MedicationOutcome:
    reading = ALIASED if aliases else LEXICAL
    answer = answer_key(make_scenario(event, aliases=built_with_aliases), use, CONTRACT, reading)
    labels = Labeller(answer, reading, LEXICAL).label_all(items)
    return medication_outcome(answer, labels, accepted=accepted)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("use", [0, 1])
def test_a_perfect_answer_is_strict_and_free_of_every_error(event: Event, use: int) -> None:
    found = outcome(event, perfect(make_scenario(event), use), use)
    assert found.strict
    assert not any((found.unsupported_any, found.fabricated, found.missing, found.stale))
    assert found.retained is (True if event == "E1b" and use else None)


@pytest.mark.parametrize("event", EVENTS)
def test_dropping_any_one_item_is_missing_and_not_strict(event: Event) -> None:
    full = perfect(make_scenario(event), 1)
    for dropped in range(len(full)):
        found = outcome(event, [item for n, item in enumerate(full) if n != dropped])
        assert (found.strict, found.missing, found.fabricated) == (False, True, False)


@pytest.mark.parametrize("event", EVENTS)
def test_adding_a_name_of_no_document_is_fabricated_and_not_strict(event: Event) -> None:
    found = outcome(event, [*perfect(make_scenario(event), 1), "warfarin 5 MG"])
    assert (found.strict, found.fabricated, found.missing, found.unsupported_any) == (
        False,
        True,
        False,
        False,
    )


@pytest.mark.parametrize("event", EVENTS)
def test_adding_a_name_of_a_record_that_is_not_allowed_is_unsupported_and_not_strict(event: Event) -> None:
    found = outcome(event, [*perfect(make_scenario(event), 1), "potassium"])
    assert (found.strict, found.unsupported_any, found.fabricated) == (False, True, False)


def test_listing_the_revoked_key_is_a_stale_commit_and_no_other_error() -> None:
    found = outcome("E1", [*PERFECT, VANCOMYCIN])
    assert (found.stale, found.stale_listed, found.strict) == (True, True, False)
    assert not any((found.fabricated, found.unsupported_any, found.missing))


def test_before_the_revision_the_key_is_expected_and_leaving_it_out_is_missing() -> None:
    found = outcome("E1", PERFECT, use=0)
    assert (found.strict, found.missing, found.stale) == (False, True, None)


@pytest.mark.parametrize("event", ["E0", "E1b", "E2", "E4"])
def test_stale_is_defined_only_where_a_unique_support_was_revoked(event: Event) -> None:
    assert outcome(event, [*PERFECT, VANCOMYCIN]).stale is None


def test_the_still_supported_drug_must_stay_on_the_list() -> None:
    assert outcome("E1b", PERFECT).retained is True
    assert outcome("E1b", [METOPROLOL, ZOFRAN]).retained is False


def test_other_errors_do_not_undo_retention() -> None:
    assert outcome("E1b", [ASPIRIN, "warfarin", "potassium"]).retained is True


def test_the_e4_drug_is_unsupported_under_both_readings_of_the_endpoint() -> None:
    found = outcome("E4", [*PERFECT, "furosemide 40 MG"])
    assert (found.unsupported_any, found.unsupported_event_key, found.strict) == (True, True, False)


def test_another_unsupported_name_counts_as_any_and_not_as_the_e4_drug() -> None:
    found = outcome("E4", [*PERFECT, "potassium"])
    assert (found.unsupported_any, found.unsupported_event_key) == (True, False)


@pytest.mark.parametrize("event", ["E0", "E1", "E1b", "E2"])
def test_the_e4_drug_is_asked_for_only_in_e4(event: Event) -> None:
    assert outcome(event, [*PERFECT, "furosemide"]).unsupported_event_key is None


def test_the_old_strength_of_a_replaced_order_is_still_the_same_identity() -> None:
    assert outcome("E2", [*PERFECT, LISINOPRIL.format(10, 10)]).strict


def test_combinations_leave_both_sets() -> None:
    assert outcome("E1", [*PERFECT, COMBINATION, "acetaminophen 325 MG"]).strict


def test_empty_items_and_placeholders_name_nothing() -> None:
    found = outcome("E1", [*PERFECT, "", "<name>", "..."])
    assert found.strict
    assert not found.fabricated


def test_an_empty_list_misses_everything() -> None:
    found = outcome("E1b", [])
    assert (found.strict, found.missing, found.retained) == (False, True, False)
    assert not any((found.fabricated, found.unsupported_any))


def test_repeats_change_nothing() -> None:
    assert outcome("E1", [*PERFECT, *PERFECT]).strict


def test_a_blocked_list_is_never_a_success_and_never_a_stale_commit() -> None:
    assert outcome("E1b", PERFECT, accepted=False) == MedicationOutcome(
        strict=False, unsupported_any=False, fabricated=False, missing=False, retained=False
    )
    stale = outcome("E1", [*PERFECT, VANCOMYCIN], accepted=False)
    assert (stale.stale, stale.stale_listed) == (False, True)


@pytest.mark.parametrize("event", EVENTS)
def test_an_unanswered_use_is_no_success_and_says_nothing_of_its_list(event: Event) -> None:
    found = unanswered(answer_key(make_scenario(event), 1, CONTRACT, ALIASED))
    assert found == MedicationOutcome(strict=False, retained=False if event == "E1b" else None)


def test_a_generic_name_completes_a_brand_order_only_with_aliases() -> None:
    items = [ASPIRIN, METOPROLOL, "ondansetron 4 MG"]
    assert outcome("E1", items).strict
    without = outcome("E1", items, aliases=False)
    assert (without.strict, without.missing, without.fabricated) == (False, True, True)


@pytest.mark.parametrize("built_with_aliases", [True, False])
def test_without_aliases_the_lines_as_recorded_are_complete(built_with_aliases: bool) -> None:
    assert outcome("E1", PERFECT, aliases=False, built_with_aliases=built_with_aliases).strict


@given(
    st.sampled_from(EVENTS),
    st.lists(st.sampled_from([*PERFECT, VANCOMYCIN, COMBINATION, "furosemide", "potassium", "warfarin", ""])),
    st.randoms(use_true_random=False),
)
def test_the_order_of_items_changes_no_endpoint(event: Event, items: list[str], rng: object) -> None:
    shuffled = items[:]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert outcome(event, items) == outcome(event, shuffled)


@given(st.lists(st.sampled_from([*PERFECT, VANCOMYCIN, COMBINATION, "potassium", "warfarin", ""])))
def test_strict_is_exactly_the_absence_of_every_error(items: list[str]) -> None:
    found = outcome("E1", items)
    faults = (found.stale, found.unsupported_any, found.fabricated, found.missing)
    assert found.strict is not any(faults)
