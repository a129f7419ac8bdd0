"""Which texts state a strength, and which orders state exactly one and no other number (appendix I)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.medication.strength import REASONS, explicit_strength, same_style, strengths

# (name, dose, verdict, the strength as written)
ORDERS = [
    # One strength, in the name or in the dose.
    ("ACETAMINOPHEN 325 MG PO TABS", "", "eligible", "325 MG"),
    ("furosemide (LASIX) injection 40 mg", "", "eligible", "40 mg"),
    ("VANCOMYCIN INJ 1,000 MG VIAL.", "", "eligible", "1,000 MG"),
    ("lisinopril", "20 mg", "eligible", "20 mg"),
    ("Heparin", "5,000 unit(s)", "eligible", "5,000 unit(s)"),
    ("ZOSYN", "3.375 Gram", "eligible", "3.375 Gram"),
    ("fentaNYL inj 25mcg", "", "eligible", "25mcg"),
    ("DIGOXIN", ".125 mg", "eligible", ".125 mg"),
    ("LORAZEPAM 0.5 MG PO TABS", "", "eligible", "0.5 MG"),
    ("PENICILLIN G", "5 million units", "eligible", "5 million units"),
    ("POTASSIUM CHLORIDE CRYS ER 20 MEQ PO TBCR", "", "eligible", "20 MEQ"),
    ("sodium phosphate", "15 mmol", "eligible", "15 mmol"),
    ("aspirin tablet-81 MG", "", "eligible", "81 MG"),
    # Per cents, concentrations and rates without a number of their own.
    ("CALCIUM GLUCONATE 10 % IV SOLN", "", "eligible", "10 %"),
    ("ALBUMIN HUMAN 5%", "", "eligible", "5%"),
    ("DIPHENHYDRAMINE HCL 50 MG/ML IJ SOLN", "", "eligible", "50 MG/ML"),
    ("HEPARIN 5,000 UNIT/ML", "", "eligible", "5,000 UNIT/ML"),
    ("nystatin 100,000 unit/gm powder", "", "eligible", "100,000 unit/gm"),
    ("amiodarone", "1 mg/min", "eligible", "1 mg/min"),
    ("norepinephrine", "0.1 mcg/kg/min", "eligible", "0.1 mcg/kg/min"),
    # No strength: no number, a volume, a count, a unit code, a malformed or a cut number.
    ("ASPIRIN", "", "no_strength", None),
    ("LACTULOSE", "30 mL", "no_strength", None),
    ("SENOKOT", "2 tablets", "no_strength", None),
    ("ALBUTEROL", "2 puff(s)", "no_strength", None),
    ("FUROSEMIDE", "40 3", "no_strength", None),
    ("FUROSEMIDE", "1 5002", "no_strength", None),
    ("NORCO 5/325 TAB", "", "no_strength", None),
    ("EPINEPHRINE 1:1000", "", "no_strength", None),
    ("potassium CHLORIDE 20 mE", "", "no_strength", None),
    ("OXYCODONE 5 M", "", "no_strength", None),
    ("warfarin", "0 mg", "no_strength", None),
    ("HEPARIN 5,0000 UNITS", "", "no_strength", None),
    ("MORPHINE 1.2.3 MG", "", "no_strength", None),
    ("37.5 G TUBE : ORAL GEL", "", "no_strength", None),
    # A strength in the name and in the dose, or twice in either.
    ("ACETAMINOPHEN 325 MG PO TABS", "650 mg", "several_strengths", None),
    ("DIPHENHYDRAMINE HCL 50 MG/ML IJ SOLN", "25 mg", "several_strengths", None),
    ("CALCIUM CHLORIDE 100 MG/ML (10 %) IV SYRG", "", "several_strengths", None),
    ("GLUCAGON 1 MG (1 UNIT) INJ", "", "several_strengths", None),
    ("ACETAMIN/HYDROCODON 325MG/5MG", "", "several_strengths", None),
    ("Norco 5 mg-325 mg", "", "several_strengths", None),
    ("morphine", "2 mg to 4 mg", "several_strengths", None),
    # Numbers that share a unit.
    ("HYDROCODONE-ACETAMINOPHEN 10-325 MG PO TABS", "", "combination", None),
    ("SENNOSIDES-DOCUSATE SODIUM 8.6-50 MG PO TABS", "1 tablet", "combination", None),
    ("IPRATROPIUM-ALBUTEROL 0.5-2.5 (3) MG/3ML IN SOLN", "", "combination", None),
    ("FERROUS SULFATE 325 (65 FE) MG PO TABS", "", "combination", None),
    ("KCL IN DEXTROSE-NACL 20-5-0.45 MEQ/L-%-% IV SOLN", "", "combination", None),
    ("morphine", "1-2 mg", "range", None),
    ("morphine", "2 or 4 mg", "range", None),
    ("acetaminophen", "325 to 650 mg", "range", None),
    # A unit with a number of its own.
    ("ONDANSETRON HCL 4 MG/2ML IJ SOLN", "", "per_number", None),
    ("DOCUSATE SODIUM 50 MG/5 ML PO LIQD", "", "per_number", None),
    ("diphenhydrAMINE 50 MG/1 ML", "", "per_number", None),
    ("NICOTINE 21 MG/24HR TD PATCH", "", "per_number", None),
    ("digoxin", "1 mg per 4 mL", "per_number", None),
    # One strength beside another number.
    ("5 ML VIAL : METOPROLOL TARTRATE 1 MG/ML IV SOLN", "", "number_in_name", None),
    ("1 ML - LORAZEPAM 2 MG/ML IJ SOLN", "", "number_in_name", None),
    ("37.5 G TUBE : GLUCOSE 40 % PO GEL", "", "number_in_name", None),
    ("ALBUMIN 5% 250 ML INJ", "", "number_in_name", None),
    ("METOPROLOL SUCCINATE ER 50 MG PO TB24", "", "number_in_name", None),
    ("cefepime in D5W ivpb 1 g", "", "number_in_name", None),
    ("VITAMIN B-12 1000 MCG PO TABS", "", "number_in_name", None),
    ("NITROGLYCERIN 0.4 MG(1/150) SL TAB", "", "number_in_name", None),
    ("POTASSIUM CL IN WATER 20MEQ/50", "", "number_in_name", None),
    ("Humulin 70/30", "10 units", "number_in_name", None),
    ("insulin ½ strength", "10 units", "number_in_name", None),
    ("FUROSEMIDE 40 MG PO TABS", "1 TAB", "number_in_dose", None),
    ("FUROSEMIDE 40 MG PO TABS", "40 3", "number_in_dose", None),
    ("morphine", "2 mg x 2", "number_in_dose", None),
    ("ceftriaxone", "1 g 50 mL", "number_in_dose", None),
    # A unit that breaks off.
    ("HYDROMORPHONE HCL PF 1 MG/M", "", "cut_unit", None),
    ("HEPARIN 5000 UNIT/", "", "cut_unit", None),
]


@pytest.mark.parametrize(("name", "dose", "reason", "written"), ORDERS)
def test_an_order_states_one_strength_or_why_not(
    name: str, dose: str, reason: str, written: str | None
) -> None:
    verdict = explicit_strength(name, dose, "PO")
    assert verdict.reason == reason
    assert (verdict.strength.written if verdict.strength else None) == written
    if verdict.strength:
        text = {"name": name, "dose": dose}[str(verdict.field)]
        assert text[verdict.strength.span[0] :].startswith(verdict.strength.written)


def test_a_number_in_the_route_counts_and_its_words_do_not() -> None:
    assert explicit_strength("heparin", "10 units", "port 2").reason == "number_in_route"
    assert explicit_strength("heparin", "10 units", "IV Push").reason == "eligible"


def test_every_verdict_stands_in_the_table() -> None:
    assert {reason for _, _, reason, _ in ORDERS} | {"number_in_route"} == set(REASONS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("heparin 5,000 UNIT/ML 1 mL", [("5000", "unit/ml")]),
        ("ondansetron 4 MG / 2 ML", [("4", "mg/2ml")]),
        ("oxycodone-acetaminophen 10-325 MG", [("10", "mg"), ("325", "mg")]),
        ("Norco 5 mg-325 mg", [("5", "mg"), ("325", "mg")]),
        ("- Aspirin 81 mg, PO, and Lasix .5 g", [("81", "mg"), ("0.5", "g")]),
        ("take 2 tablets of 1.50 mcg in 5 mL", [("1.50", "mcg")]),
        ("B12 q6h x 2", []),
        ("", []),
    ],
)
def test_every_strength_of_a_text_is_found_with_its_unit(text: str, found: list[tuple[str, str]]) -> None:
    assert [(str(strength.value), strength.unit) for strength in strengths(text)] == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 g", "1,000 mg"),
        ("0.05 mg", "50 mcg"),
        ("25 µg", "25 mcg"),
        ("10 mg/5 mL", "2 MG/ML"),
        ("1 g/L", "1 mg/ml"),
        ("60 mg/hr", "1 mg/min"),
        ("5 million units", "5,000,000 UNIT"),
        ("1 mg per 2 mL", "0.5 mg/cc"),
        ("108 mcg/act", "108 mcg/puff"),
    ],
)
def test_strengths_that_come_to_the_same_are_the_same_amount(one: str, other: str) -> None:
    (first,), (second,) = strengths(one), strengths(other)
    assert first.amount == second.amount


@pytest.mark.parametrize(
    ("one", "other"),
    [("5 mg", "5 units"), ("5 mg", "5 mcg"), ("5 mg", "5 mg/ml"), ("5 mg/ml", "5 mg/hr"), ("5 %", "5 mg")],
)
def test_other_units_are_other_amounts(one: str, other: str) -> None:
    (first,), (second,) = strengths(one), strengths(other)
    assert first.amount != second.amount


def test_a_strength_per_nothing_is_no_fault() -> None:
    (strength,) = strengths("5 mg/0 mL")
    assert strength.amount == (Fraction(5), "mg/ml")


@pytest.mark.parametrize(
    ("value", "written", "result"),
    [
        ("10000", "5,000", "10,000"),
        ("2000", "1000", "2000"),
        ("1000", "500", "1000"),
        ("500", "1,000", "500"),
        ("0.5", ".25", ".5"),
        ("0.5", "0.25", "0.5"),
        ("1", ".5", "1"),
        ("5.0", "2.5", "5"),
        ("100", "50", "100"),
        ("0.0625", "0.125", "0.0625"),
        ("2500.5", "1,250.25", "2,500.5"),
    ],
)
def test_a_number_is_written_in_the_style_of_another(value: str, written: str, result: str) -> None:
    assert same_style(Decimal(value), written) == result


NUMBERS = st.one_of(
    st.integers(1, 99_999_999).map(str),
    st.integers(1_000, 99_999_999).map("{:,}".format),
    st.decimals("0.001", "9999", places=3).map(str),
    st.integers(1, 999).map(".{}".format),
)
UNITS = st.sampled_from(["mg", " MG", " mcg", "g", " Gram", " unit(s)", " UNIT/ML", "%", " %", " mEq", "-mg"])


@given(NUMBERS, UNITS)
def test_a_doubled_number_reads_back_as_twice_the_strength(number: str, unit: str) -> None:
    before = explicit_strength("drug", number + unit, "IV").strength
    assert before is not None
    start, end = before.span
    text = same_style(before.value * 2, number) + (number + unit)[end:]
    after = explicit_strength("drug", text, "IV").strength
    assert after is not None
    assert (after.value, after.unit, after.amount) == (
        before.value * 2,
        before.unit,
        (before.amount[0] * 2, before.amount[1]),
    )
    assert start == 0


@given(st.text(st.sampled_from("0123456789.,-/%() mgMLuntx|½²"), max_size=40), st.text(max_size=12))
def test_any_text_gets_a_verdict_and_numbers_that_stand_where_they_are_said_to(name: str, dose: str) -> None:
    verdict = explicit_strength(name, dose, "")
    assert (verdict.strength is not None) == (verdict.field is not None) == (verdict.reason == "eligible")
    for strength in strengths(name):
        assert Decimal(name[slice(*strength.span)].replace(",", "")) == strength.value
        assert strength.amount[0] >= 0


@pytest.mark.parametrize("piece", ["1-", "1 ", "1", "1,", "(", "1(", "1 mg/", " ", "1 to "])
def test_a_huge_text_is_read_in_time_that_grows_with_its_length_only(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert explicit_strength(text, "", "").reason in REASONS
