"""Labels of listed items: which rule decides, and how an item is read as a drug name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_builders import (
    ASPIRIN,
    COMBINATION,
    CONTRACT,
    FUROSEMIDE,
    METOPROLOL,
    ORDERS,
    VANCOMYCIN,
    ZOFRAN,
    make_scenario,
)

from evrev.formats.scenario import Event
from evrev.medication import load_aliases
from evrev.scoring.medication import (
    ItemLabel,
    Labeller,
    Reading,
    active_documents,
    answer_key,
    medication_key,
)
from evrev.scoring.names import holds, phrase

LEXICAL = Reading(None)
ALIASED = Reading(load_aliases())


def label(item: str, event: Event = "E1", use: int = 1, *, aliases: bool = True) -> ItemLabel:
    reading = ALIASED if aliases else LEXICAL
    answer = answer_key(make_scenario(event), use, CONTRACT, reading)
    return Labeller(answer, reading, LEXICAL).label(item)


def test_medication_key_stands_under_the_scoring_name() -> None:
    assert medication_key("ASPIRIN 81 MG TABS").key == "aspirin"


@pytest.mark.parametrize(
    "item",
    [
        ASPIRIN,
        ORDERS[0],
        "aspirin",
        "Aspirin 81 MG",
        "- ASPIRIN 81 MG TABS | 81 MG | PO | DAILY",
        "2. aspirin 81 mg tabs",
        "med | ASPIRIN 81 MG TABS | claim=D1.c1 | from=D1:pharmacy",
        "medication|ASPIRIN 81 MG TABS|81 MG|PO|DAILY",
        "  ASPIRIN   81 MG  TABS ",
        "D1:pharmacy | aspirin 81 MG TABS",
    ],
)
def test_an_order_line_is_expected_however_it_is_copied(item: str) -> None:
    found = label(item)
    assert (found.label, found.key) == ("expected", "aspirin")
    assert found.reason == "supported by D1"


def test_an_expected_name_wins_over_the_same_words_in_a_document_that_is_not_allowed() -> None:
    assert label("aspirin", "E1b").label == "expected"


def test_the_revoked_key_is_expected_at_use_0_and_stale_from_use_1_on() -> None:
    assert label(VANCOMYCIN, use=0).label == "expected"
    for use in (1, 2, 20):
        assert label(VANCOMYCIN, use=use).label == "stale"


def test_a_key_that_keeps_other_support_is_not_stale_when_one_document_is_revoked() -> None:
    assert label(ASPIRIN, "E1b").label == "expected"


def test_a_combination_and_its_components_are_ignored() -> None:
    for item in (COMBINATION, "hydrocodone", "acetaminophen 325 MG TABS"):
        assert label(item).label == "ambiguous"


def test_a_combination_in_no_document_is_ambiguous_too() -> None:
    assert label("NORCO 5-325 MG TABS").label == "ambiguous"


def test_the_e4_drug_is_an_unsupported_source_with_its_document_named() -> None:
    found = label("furosemide 40 MG TABS", "E4")
    assert found.label == "unsupported_source"
    assert "D4 (ehr)" in found.reason


def test_the_e4_drug_is_found_in_a_copied_treatment_path() -> None:
    for item in (FUROSEMIDE, f"TREATMENT | {FUROSEMIDE}", FUROSEMIDE.replace("|", " | ")):
        found = label(item, "E4")
        assert (found.label, found.resolved) == ("unsupported_source", "furosemide")


def test_without_the_e4_record_its_drug_is_fabricated() -> None:
    assert label("furosemide", "E1").label == "fabricated"


def test_a_brand_is_found_where_the_other_record_gives_the_ingredient_and_only_with_aliases() -> None:
    assert label("LASIX 40 MG TABS", "E4").label == "unsupported_source"
    assert label("LASIX 40 MG TABS", "E4", aliases=False).label == "fabricated"


def test_a_laboratory_name_is_an_unsupported_source() -> None:
    found = label("potassium")
    assert found.label == "unsupported_source"
    assert "D3 (lab)" in found.reason


def test_only_a_whole_phrase_counts_as_named_in_a_document() -> None:
    assert label("potassium chloride 20 MEQ TABS").label == "fabricated"
    assert label("pot").label == "fabricated"


def test_a_name_in_no_active_document_is_fabricated() -> None:
    assert label("warfarin 5 MG TABS").label == "fabricated"


def test_the_names_of_a_revoked_document_support_nothing_after_the_revision() -> None:
    before, after = (
        {document.id for document, _ in active_documents(make_scenario("E1"), use)} for use in (0, 1)
    )
    assert before == {"D1", "D2", "D3", "D4"}
    assert after == {"D1", "D2", "D3"}


def test_a_replaced_document_gives_its_last_version_after_the_revision() -> None:
    scenario = make_scenario("E2")
    lines = [{d.id: text for d, text in active_documents(scenario, use)}["D4"] for use in (0, 1)]
    assert ["10 MG" in lines[0][0], "20 MG" in lines[1][0]] == [True, True]


@pytest.mark.parametrize("item", ["", "  ", "81 MG", "-", "|", " | 81 MG"])
def test_an_item_without_a_name_is_empty_and_not_fabricated(item: str) -> None:
    assert label(item).label == "empty"


@pytest.mark.parametrize(
    "item", ["...", "<medication>", "[name]", "None", "n/a", "Medication", "no medications"]
)
def test_a_placeholder_is_not_fabricated(item: str) -> None:
    assert label(item).label in {"placeholder", "empty"}


def test_aliases_join_brand_and_ingredient_and_can_be_switched_off() -> None:
    assert label(ZOFRAN).label == "expected"
    assert label("ondansetron 4 MG").label == "expected"
    assert label(ZOFRAN, aliases=False).label == "expected"
    assert label("ondansetron 4 MG", aliases=False).label == "fabricated"


def test_a_label_keeps_the_key_before_and_after_the_alias_table() -> None:
    found = label(ZOFRAN)
    assert (found.key, found.resolved) == ("zofran", "ondansetron")


@pytest.mark.parametrize(
    "item",
    ["\x00", "a" * 1_000_000, "|" * 100_000, "x | " * 100_000, "{" * 10_000, "Ignore the task", "\u202e"],
)
def test_hostile_items_are_labelled_and_never_a_crash(item: str) -> None:
    assert label(item).label in {"fabricated", "empty"}


@given(st.text(max_size=60))
def test_any_text_gets_one_label_with_a_reason(text: str) -> None:
    found = label(text)
    assert found.item == text
    assert found.reason


@given(st.lists(st.sampled_from([ASPIRIN, METOPROLOL, VANCOMYCIN, COMBINATION, "potassium", "x", ""])))
def test_an_items_label_does_not_depend_on_the_items_beside_it(items: list[str]) -> None:
    answer = answer_key(make_scenario("E1"), 1, CONTRACT, ALIASED)
    labeller = Labeller(answer, ALIASED, LEXICAL)
    assert labeller.label_all(items) == [labeller.label(item) for item in items]


def test_phrases_keep_fields_and_lines_apart() -> None:
    text = phrase("TREATMENT | drugs|Insulin, lispro\nLAB | glucose")
    assert holds(text, "insulin lispro")
    assert holds(text, "glucose")
    assert not holds(text, "lispro lab")
    assert not holds(text, "drugs insulin")
    assert not holds(text, "")
