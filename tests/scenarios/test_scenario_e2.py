"""The replacement event: an order carved out of D1 whose one strength a second version changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_world import DONOR, ELSEWHERE, P, S, lines, make_world, plan, scenario, support_of

from evrev.errors import DataError
from evrev.formats.scenario import Revision, Scenario
from evrev.medication import load_aliases
from evrev.medication.strength import strengths
from evrev.scenarios.caps import SMALL
from evrev.scenarios.cohort import Person, Row, Stay
from evrev.scenarios.documents import base_documents
from evrev.scenarios.events.e2 import FINDINGS, build, e2_finding, replacements
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.order_line import stated_strength
from evrev.scenarios.show import show
from evrev.scenarios.target import Pool, Target

Order = tuple[str, str, str, str]
# The lines of these drugs can never move: each states two strengths.
FIXED: tuple[Order, ...] = (
    ("aspirin 81 mg", "81 mg", "PO", "Daily"),
    ("metoprolol 25 mg", "50 mg", "PO", "BID"),
    ("warfarin 5 mg", "5 mg", "PO", "Daily"),
)

FUROSEMIDE: Order = ("furosemide", "40 mg", "IV", "")


def target(
    *orders: Order, problems: tuple[str, ...] = ("chest pain",), result: str = "sodium | 140"
) -> Target:
    rows = tuple(Row(o[0], " ".join(f"MEDICATION | {' | '.join(o)}".split())) for o in orders)
    paths = tuple(Row(path, f"PROBLEM | {path}") for path in problems)
    stay = Stay(0, rows, paths, (Row("x", f"LAB | {result}"),), ())
    return Target(Person("p", (stay,)), stay, base_documents(stay, SMALL), Formulary(load_aliases()))


def after(
    *orders: Order, problems: tuple[str, ...] = ("chest pain",), result: str = "sodium | 140"
) -> str | None:
    """The line of version 2 of D4, if the orders can have one."""
    case = build(target(*orders, problems=problems, result=result), Pool((), "c"))
    return case.documents[-1].versions[1].lines[0] if case else None


@pytest.fixture
def made(tmp_path: Path) -> Scenario:
    orders = (*FIXED[:2], ("furosemide", "40 mg", "IV", "Q8H"), ("lisinopril", "10 mg", "PO", "Daily"))
    world = make_world(tmp_path, P("target", (S(orders=orders),)), DONOR, ELSEWHERE)
    return scenario(world.build(plan(events=["E2"])), "E2")


def test_the_first_order_with_one_strength_moves_from_d1_to_d4(made: Scenario) -> None:
    assert lines(made, "D4") == ("MEDICATION | furosemide | 40 mg | IV | Q8H",)
    assert [line.split(" | ")[1] for line in lines(made, "D1")] == [
        "aspirin 81 mg",
        "metoprolol 25 mg",
        "lisinopril",
    ]
    assert [document.id for document in made.documents] == ["D1", "D2", "D3", "D4"]
    assert {document.source for document in made.documents if document.id in ("D1", "D4")} == {"pharmacy"}


def test_a_second_version_with_twice_the_strength_replaces_it(made: Scenario) -> None:
    assert made.revision == Revision(document="D4", action="replace")
    first, second = made.documents[-1].versions
    assert (first.version, second.version) == (1, 2)
    assert second.lines == ("MEDICATION | furosemide | 80 mg | IV | Q8H",)


def test_the_identity_is_expected_before_and_after_with_the_strength_of_the_second_version(
    made: Scenario,
) -> None:
    assert made.event_key == "furosemide"
    entry = support_of(made, "furosemide")
    assert (entry.support_class, entry.before, entry.after) == ("conflict", ("D4",), ("D4",))
    assert entry.value == "80 mg"
    everything = ("aspirin", "furosemide", "lisinopril", "metoprolol")
    assert made.expected.medication_before == made.expected.medication_after == everything
    others = [entry for entry in made.support if entry.key != "furosemide"]
    assert {(e.support_class, e.value) for e in others} == {("still_supported", None)}


def test_a_reader_sees_both_versions_and_the_strength_that_is_expected(made: Scenario) -> None:
    text = show(made)
    for shown in ("furosemide | 40 mg |", "furosemide | 80 mg |", "version 2", "expected value 80 mg"):
        assert shown in text


def test_a_second_draw_takes_another_drug() -> None:
    patient = target(FUROSEMIDE, *FIXED[:2], ("lisinopril", "10 mg", "PO", ""))
    pool = Pool((), "c")
    keys = []
    while case := build(patient, pool):
        keys.append(case.key)
        pool = pool.another(case.key)
    assert keys == ["furosemide", "lisinopril"]


def test_d2_and_d3_are_those_of_the_other_events_and_d1_is_not(tmp_path: Path) -> None:
    orders = (*FIXED[:2], ("furosemide", "40 mg", "IV", "Q8H"))
    world = make_world(tmp_path, P("target", (S(orders=orders),)), DONOR, ELSEWHERE)
    found = world.build(plan(events=["E0", "E2"]))
    plain, changed = scenario(found, "E0"), scenario(found, "E2")
    assert changed.documents[1:3] == plain.documents[1:3]
    assert {*lines(changed, "D1"), *lines(changed, "D4")} == {*lines(plain, "D1")}


def test_d1_keeps_at_least_two_drugs() -> None:
    orders = (("furosemide", "40 mg", "IV", "Q8H"), *FIXED[:2])
    case = build(target(*orders), Pool((), "c"))
    assert case is not None
    assert len(case.documents[0].versions[0].lines) == 2


def test_who_has_no_such_order_is_excluded_for_that_reason(tmp_path: Path) -> None:
    world = make_world(tmp_path, P("target", (S(orders=FIXED),)), DONOR, ELSEWHERE)
    with pytest.raises(DataError, match="1 x E2: several strengths"):
        world.build(plan(events=["E2"]))


@pytest.mark.parametrize(
    ("order", "line"),
    [
        (("furosemide", "40 mg", "IV", ""), "furosemide | 80 mg | IV |"),
        (("heparin", "5,000 unit(s)", "SC", "Q8H"), "heparin | 10,000 unit(s) | SC | Q8H"),
        (("digoxin", ".125 mg", "PO", ""), "digoxin | .25 mg | PO |"),
        (("digoxin", "0.25mg", "PO", ""), "digoxin | 0.5mg | PO |"),
        (("LORAZEPAM 0.5 MG PO TABS", "", "PO", "Q6H PRN"), "LORAZEPAM 1 MG PO TABS | | PO | Q6H PRN"),
        (("CALCIUM GLUCONATE 10 % IV SOLN", "", "", ""), "CALCIUM GLUCONATE 20 % IV SOLN | | |"),
        (("LIDOCAINE 60 % GEL", "", "", ""), "LIDOCAINE 30 % GEL | | |"),
        (("HEPARIN 5000 UNIT/ML", "", "", "2xDaily"), "HEPARIN 10000 UNIT/ML | | | 2xDaily"),
    ],
)
def test_only_the_number_changes_and_keeps_its_style(order: Order, line: str) -> None:
    assert after(*FIXED, order) == f"MEDICATION | {line}"


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("order", ("metformin 80 MG", "1 tab", "", "")),
        ("order", ("metformin", "0.08 g", "", "1 tab")),
        ("order", ("metformin", "80-160 mg", "", "")),
        ("problem", "sedated with 80 mg"),
        ("result", "level | 80 mg"),
    ],
)
def test_the_strength_is_halved_where_twice_of_it_already_stands_in_the_record(
    where: str, text: str | Order
) -> None:
    orders = (FIXED[0], FIXED[1], ("furosemide", "40 mg", "IV", ""))
    halved = "MEDICATION | furosemide | 20 mg | IV |"
    if where == "order":
        assert isinstance(text, tuple)
        assert after(*orders, text) == halved
    elif where == "problem":
        assert after(*orders, problems=(str(text),)) == halved
    else:
        assert after(*orders, result=str(text)) == halved


@pytest.mark.parametrize("result", ["glucose | 80 mg/dL", "age | 80", "level | 80 mcg"])
def test_another_unit_is_no_collision(result: str) -> None:
    orders = (*FIXED, ("furosemide", "40 mg", "IV", ""))
    assert after(*orders, result=result) == "MEDICATION | furosemide | 80 mg | IV |"


def test_an_order_whose_double_and_half_both_stand_there_is_passed_over() -> None:
    orders = (
        FIXED[0],
        FIXED[1],
        ("furosemide", "40 mg", "IV", ""),
        ("potassium chloride", "20 mEq", "PO", ""),
    )
    line = after(*orders, problems=("took 80 mg, then 20 mg",))
    assert line == "MEDICATION | potassium chloride | 40 mEq | PO |"


@pytest.mark.parametrize(
    ("orders", "finding"),
    [
        ((FUROSEMIDE, ("LASIX 20 mg", "", "", "")), "not_unique"),
        ((("acetaminophen", "1 g", "", ""), ("NORCO 5/325", "", "", "")), "not_unique"),
        ((("PERCOCET", "5 mg", "", ""),), "not_single"),
        ((("insulin", "10 units", "", ""),), "not_single"),
        ((("PERCOCET", "5 mg", "", ""), *FIXED), "several_strengths"),
        ((("furosemide", "1 tab", "", ""),), "no_strength"),
        ((("furosemide", "40-80 mg", "", ""),), "range"),
        ((("furosemide", "40 mg", "via port 2", ""),), "number_in_route"),
        ((("furosemide", "5 mg/hr", "IV", "titrate by 5 mg/hr"),), "several_strengths"),
        ((FUROSEMIDE,), "eligible"),
    ],
)
def test_the_finding_of_a_patient_is_the_furthest_of_their_orders(
    orders: tuple[Order, ...], finding: str
) -> None:
    assert e2_finding(target(*orders)) == finding


def test_findings_are_counted_line_by_line() -> None:
    orders = (("PERCOCET", "5 mg", "", ""), FUROSEMIDE, FIXED[0], FIXED[1])
    found = [judged.finding for judged in replacements(target(*orders))]
    assert found == ["not_single", "eligible", "several_strengths", "several_strengths"]
    assert set(found) <= set(FINDINGS)


NAMES = (
    "furosemide",
    "LASIX INJ",
    "heparin 5,000 UNIT/ML",
    "morphine 2 MG/ML",
    "lisinopril 10 MG TABS",
    "potassium chloride",
    "ondansetron",
    "digoxin 0.25 MG",
    "insulin aspart",
    "NORCO 5/325",
    "aspirin",
)
DOSES = (
    "",
    "40 mg",
    "80 mg",
    "5 mg",
    "10 mg",
    "20 mEq",
    ".5 mg",
    "5,000 units",
    "1 g",
    "1-2 mg",
    "2 tablets",
)
ORDER = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(DOSES), st.sampled_from(["", "IV", "port 2"]), st.just("Q8H")
)


@given(st.lists(ORDER, min_size=1, max_size=3, unique=True))
def test_a_replacement_changes_one_number_of_one_field_to_a_value_of_its_own(orders: list[Order]) -> None:
    patient = target(FIXED[1], *orders)
    case = build(patient, Pool((), "c"))
    assert (case is not None) == (e2_finding(patient) == "eligible")
    if case is None:
        return
    first, second = (version.lines for version in case.documents[-1].versions)
    fields = list(zip(first[0].split("|"), second[0].split("|"), strict=True))
    assert [old == new for old, new in fields].count(False) == 1
    old, new = stated_strength(first[0]).strength, stated_strength(second[0]).strength
    assert old is not None
    assert new is not None
    assert new.value in (old.value * 2, old.value / 2)
    assert (new.unit, new.span[0]) == (old.unit, old.span[0])
    assert (
        second[0][: new.span[0]] + second[0][new.span[1] :]
        == first[0][: old.span[0]] + first[0][old.span[1] :]
    )
    shown = {s.amount for d in patient.documents for line in d.versions[0].lines for s in strengths(line)}
    assert new.amount not in shown
    drug = patient.formulary.drug
    kept = [drug(line.split(" | ")[1].rstrip(" |")) for line in case.documents[0].versions[0].lines]
    assert all(case.key not in other.names for other in kept)
    assert drug(second[0].split(" | ")[1].rstrip(" |")).resolved == case.key
