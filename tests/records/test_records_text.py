"""How recorded text becomes a field of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.records.text import PLACEHOLDERS, clean, dose, field, lab_line, line, path_field, shown

ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize(
    "text",
    ["40 mg", "1,000 mL", "0.5 MG", "5-10 mg", "1 tab(s)", "100 mL/hr", "5 mcg/kg/min", "0.9 %", "1 EA"],
)
def test_a_dose_with_a_digit_and_a_unit_is_shown_as_recorded(text: str) -> None:
    assert dose(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "40 3",
        "1 5002",
        "1-2 5002",
        "40",
        "5,000",
        "ML",
        "PYXIS",
        "Manual Charge",
        "Low Dose Sliding Scale",
        "",
    ],
)
def test_a_dose_without_one_of_them_is_not_shown(text: str) -> None:
    assert dose(text) == ""


@pytest.mark.parametrize("text", sorted(PLACEHOLDERS))
def test_a_placeholder_is_not_shown_in_any_case(text: str) -> None:
    assert shown(text) == shown(text.upper()) == shown(f"  {text.title()} ") == ""


@pytest.mark.parametrize("text", ["IV Push", "PO (oral)", "Q6H PRN", "0", "0900,2100", ".DISP", "NOTE"])
def test_any_other_route_or_frequency_is_verbatim(text: str) -> None:
    assert shown(text + " " * 200) == text


@given(ANY)
def test_cleaning_leaves_one_line_without_control_characters(text: str) -> None:
    cleaned = clean(text)
    assert cleaned == clean(cleaned)
    assert len(cleaned.splitlines()) <= 1
    assert "  " not in cleaned
    assert cleaned.strip() == cleaned
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in cleaned)


@given(ANY)
def test_cleaning_touches_nothing_but_blanks_and_control_characters(text: str) -> None:
    def visible(text: str) -> str:
        return "".join(c for c in text if not c.isspace() and not (ord(c) < 32 or 127 <= ord(c) < 160))

    assert visible(clean(text)) == visible(text)


@given(st.lists(ANY, min_size=4, max_size=4))
def test_an_order_line_parts_again_into_its_four_fields(texts: list[str]) -> None:
    fields = [field(text) for text in texts]
    kind, *parts = (part.strip(" ") for part in line("MEDICATION", *fields).split("|"))
    assert kind == "MEDICATION"
    assert parts == fields


def test_an_empty_field_keeps_its_bar() -> None:
    assert line("MEDICATION", "aspirin", "", "PO", "") == "MEDICATION | aspirin | | PO |"


@given(ANY)
def test_a_dose_is_the_field_as_recorded_or_nothing(text: str) -> None:
    assert dose(text) in ("", field(text))
    if dose(text):
        assert any(character in "0123456789" for character in dose(text))


@given(st.lists(ANY, max_size=5))
def test_a_path_keeps_its_segments_and_their_order(segments: list[str]) -> None:
    expected = [clean(part) for segment in segments for part in segment.split("|") if clean(part)]
    assert path_field("|".join(segments)).split("|") == (expected or [""])


def test_a_bar_inside_a_field_cannot_split_the_line() -> None:
    assert field("aspirin | 81 mg\x00\n") == "aspirin / 81 mg"


def test_a_result_without_a_unit_ends_with_its_value() -> None:
    assert lab_line("pH", "7.31", "") == "LAB | pH | 7.31"
    assert lab_line("sodium", "<100", "mmol/L") == "LAB | sodium | <100 mmol/L"
