"""What holds of every medication key, whatever the text."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evrev.medication import is_not_a_drug, load_aliases, medication_class, medication_key, treatment_drug

ALIASES = load_aliases()
DRUGS = (
    "furosemide",
    "pantoprazole",
    "potassium chloride",
    "calcium gluconate",
    "insulin glargine",
    "folic acid",
    "vitamin d",
    "omega-3 fatty acids",
    "isosorbide mononitrate",
    "penicillin g",
    "warfarin",
)
PREFIXES = ("", "2 ML VIAL : ", "100 ML  -  ", "1 EACH PACKAGE CUSTOM NDC : ", "PRMX ", "<<", "MEDICATION | ")
STRENGTHS = (
    "",
    " 40 MG",
    " 2.5 MG/3ML",
    " 0.083 %",
    " 5,000 UNIT/0.5 ML",
    " 20-0.9 MEQ/L-%",
    " (5 MG/ML) 0.5%",
)
FORMS = ("", " TABS", " IJ SOLN", " oral tablet", " CAP-DEL-REL", " IN NEBU", " ivpb", " ER TB24", " inj")
ROUTES = ("", " PO", " IV", " SUB-Q", " : 10 ML SYRINGE", " in D5W", " in 100 mL NS", " (REPACKAGE)", " PRN.")

drugs = st.sampled_from(DRUGS)
spellings = st.builds(
    lambda before, drug, *after: before + drug + "".join(after),
    st.sampled_from(PREFIXES),
    drugs,
    st.sampled_from(STRENGTHS),
    st.sampled_from(FORMS),
    st.sampled_from(ROUTES),
)
PIECES = (
    "aspirin", "morphine", "insulin", "regular", "sodium", "potassium", "phosphate", "chloride", "dextrose",
    "ringer", "lactated", "vitamin", "b", "12", "tab", "iv", "5", "mg", "ml", "/", "-", "&", "+", "and",
    "with", "w/", "w/o",
    "in", "d5w", "ns", ":", ",", ";", "(", ")", "[", "]", "0.5", "%", "1/2", "'", ".", "*", "|",
    "#3", "no.", "assess", "q6h", "x2", "na", "k", "phos", "fat", "emulsion", "abc-def",
)  # fmt: skip
phrases = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)
UNIT_AMOUNT = re.compile(r"[0-9]\s*(?:mg|mcg|g|ml|meq|mmol|units?|%)\b")


@given(st.text() | phrases)
@settings(max_examples=400, deadline=None)
def test_any_text_has_a_key_and_never_crashes(text: str) -> None:
    key = medication_key(text)
    assert key.key == key.key.casefold().strip()
    assert key.key == "+".join(sorted(key.components))
    assert bool(key.key) == bool(key.components)
    assert key.ambiguous == (len(key.components) > 1 or key.components == ("insulin",))
    is_not_a_drug(text)
    treatment_drug(text, DRUGS, ALIASES)
    medication_class(text, ALIASES)


@given(phrases | spellings)
@settings(max_examples=400, deadline=None)
def test_the_key_of_an_unambiguous_key_is_itself(text: str) -> None:
    key = medication_key(text)
    if not key.ambiguous:
        assert medication_key(key.key) == key


@given(
    spellings,
    st.sampled_from([str.upper, str.lower, str.title, str.swapcase]),
    st.sampled_from([" ", "\t", "  ", "\u00a0"]),
)
@settings(deadline=None)
def test_case_and_white_space_do_not_matter(text: str, recase: object, blank: str) -> None:
    assert callable(recase)
    assert medication_key(recase(text).replace(" ", blank)) == medication_key(text)


@given(
    st.sampled_from(PREFIXES),
    drugs,
    st.sampled_from(STRENGTHS),
    st.sampled_from(FORMS),
    st.sampled_from(ROUTES),
)
@settings(deadline=None, max_examples=400)
def test_container_strength_form_and_route_leave_the_key(
    before: str, drug: str, strength: str, form: str, route: str
) -> None:
    assert medication_key(f"{before}{drug}{strength}{form}{route}").key == drug


@given(drugs, drugs, st.sampled_from(["-", "/", " and ", " & ", " + ", " w/ ", " 5 MG-", " 5 mg/"]))
@settings(deadline=None)
def test_two_drugs_joined_are_ambiguous_under_either_order(one: str, other: str, joint: str) -> None:
    if "insulin" in one + other or one == other or not (one[-3:].isalpha() and other[:3].isalpha()):
        return
    key = medication_key(f"{one}{joint}{other}")
    assert key.ambiguous
    assert key.components == (one, other)
    assert key.key == medication_key(f"{other}{joint}{one}").key


@given(phrases)
@settings(deadline=None)
def test_no_key_holds_a_strength(text: str) -> None:
    assert not UNIT_AMOUNT.search(medication_key(text).key)


@pytest.mark.parametrize(
    "junk",
    [
        "(" * 10**6,
        "a-" * 500_000,
        "5 mg/" * 200_000,
        "fat " * 250_000,
        "\x00" * 10**6,
        "1 ml bag " * 10**5,
        "\ud800" * 9,
    ],
)
def test_a_text_of_any_length_is_read_at_once(junk: str) -> None:
    begun = time.process_time()
    medication_key(junk), is_not_a_drug(junk), treatment_drug(junk, DRUGS, None)
    assert time.process_time() - begun < 1
