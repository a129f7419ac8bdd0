"""The four events of the held-out design: what D4 is, whom it is from, and what happens after use0."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario_world import DONOR, ELSEWHERE, TARGET, P, S, World, lines, make_world, scenario, support_of

from evrev.formats.scenario import Revision

VANCOMYCIN = "pulmonary|medications|vancomycin"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path, TARGET, DONOR, ELSEWHERE)


def test_e0_has_no_event_document_and_no_revision(world: World) -> None:
    made = scenario(world.build(), "E0")
    assert (made.event_document, made.event_key, made.revision) == (None, None, None)
    assert (
        made.expected.medication_before
        == made.expected.medication_after
        == ("aspirin", "furosemide", "metoprolol")
    )


def test_the_patients_documents_are_the_same_bytes_under_every_event(world: World) -> None:
    found = world.build()
    assert len({tuple(d.model_dump_json() for d in made.documents[:3]) for made in found.values()}) == 1


def test_e1_revokes_one_order_of_a_donor_that_must_be_absent_afterwards(world: World) -> None:
    made = scenario(world.build(), "E1")
    assert made.revision == Revision(document="D4", action="revoke")
    assert made.event_key in ("warfarin", "morphine")
    assert len(lines(made, "D4")) == 1
    assert made.event_key in made.expected.medication_before
    assert made.event_key not in made.expected.medication_after
    assert support_of(made, made.event_key).support_class == "unique_support_revoked"


def test_e1b_revokes_an_order_whose_drug_keeps_its_own_support(world: World) -> None:
    made = scenario(world.build(), "E1b")
    assert made.revision == Revision(document="D4", action="revoke")
    assert made.event_key is not None
    entry = support_of(made, made.event_key)
    assert (entry.support_class, entry.before, entry.after) == ("still_supported", ("D1", "D4"), ("D1",))
    assert made.expected.medication_before == made.expected.medication_after
    assert lines(made, "D4")[0] not in lines(made, "D1")  # the donor's dose is the donor's own


def test_e4_adds_a_treatment_record_that_supports_nothing(world: World) -> None:
    made = scenario(world.build(), "E4")
    assert made.revision is None
    assert lines(made, "D4") == (f"TREATMENT | {VANCOMYCIN}",)
    entry = support_of(made, "vancomycin")
    assert (entry.support_class, entry.before, entry.after) == ("irrelevant", (), ())
    assert "vancomycin" not in made.expected.medication_before + made.expected.medication_after


def test_e4_prefers_the_patients_own_treatment_and_then_names_no_donor(tmp_path: Path) -> None:
    own = P(
        "target",
        (
            S(
                treatments=("neurologic|rest", "infectious diseases|antibiotics|ceftriaxone"),
            ),
        ),
    )
    world = make_world(tmp_path, own, DONOR, ELSEWHERE)
    made = scenario(world.build(), "E4")
    assert lines(made, "D4") == ("TREATMENT | infectious diseases|antibiotics|ceftriaxone",)
    assert made.id not in world.report["donors"]


def test_e4_never_names_a_drug_that_the_stay_orders_at_any_time(tmp_path: Path) -> None:
    orders = ("aspirin 81 mg", "metoprolol 25 mg", "furosemide 40 mg", "lisinopril 5 mg", "ceftriaxone 1 g")
    own = P("target", (S(orders=orders, treatments=("infectious diseases|antibiotics|ceftriaxone",)),))
    made = scenario(make_world(tmp_path, own, DONOR, ELSEWHERE).build(), "E4")
    assert made.event_key == "vancomycin"  # ceftriaxone is only the fifth order, and so on no line of D1


def test_e4_never_names_a_drug_that_a_problem_or_a_result_mentions(tmp_path: Path) -> None:
    own = P("target", (S(labs=(("Vancomycin - trough", "12", "mcg/mL"),), treatments=(VANCOMYCIN,)),))
    world = make_world(
        tmp_path, own, P("other", (S(problems=("infection",), treatments=(VANCOMYCIN,)),)), DONOR, ELSEWHERE
    )
    found = world.build()
    assert {made.patient for made in found.values()}.isdisjoint({_pseudonym(own)})


@pytest.mark.parametrize(
    "stay",
    [
        S(
            orders=(
                "aspirin 81 mg",
                "metoprolol 25 mg",
                "furosemide 40 mg",
                "lisinopril 5 mg",
                "warfarin 1 mg",
            )
        ),
        S(orders=("aspirin 81 mg", "metoprolol 25 mg", "furosemide 40 mg", "warfarin-aspirin 1 mg-81 mg")),
        S(orders=(*S().orders, ("lisinopril 5 mg", "", "", "with WARFARIN"))),
        S(problems=("hematology|coagulopathy|from Warfarin",)),
        S(labs=(("warfarin level", "1", ""),)),
        S(treatments=("hematology|anticoagulant|warfarin",)),
        S(treatments=("hematology|oral warfarin therapy",)),
    ],
    ids=[
        "an order beyond D1",
        "a component",
        "a word of an order",
        "a problem",
        "a result",
        "a treatment",
        "a word of a treatment",
    ],
)
def test_e1_never_takes_a_drug_that_anything_in_the_stay_names(tmp_path: Path, stay: S) -> None:
    persons = [P(f"target{i}", (stay,)) for i in range(8)]
    found = make_world(tmp_path, *persons, DONOR, ELSEWHERE).build()
    keys = [made.event_key for made in found.values() if made.event == "E1"]
    assert keys == ["morphine"] * 8


def test_e1_takes_any_line_of_the_donor_that_fits(tmp_path: Path) -> None:
    persons = [P(f"target{i}") for i in range(12)]
    found = make_world(tmp_path, *persons, DONOR, ELSEWHERE).build()
    assert {made.event_key for made in found.values() if made.event == "E1"} == {"warfarin", "morphine"}


def test_a_donor_order_of_a_combination_is_never_misfiled(tmp_path: Path) -> None:
    donor = P(
        "donor",
        (
            S(
                orders=("HYDROCODONE-ACETAMINOPHEN 10-325 MG PO TABS", "aspirin 1 g"),
            ),
        ),
    )
    found = make_world(tmp_path, TARGET, donor, ELSEWHERE, P("late", DONOR.stays)).build()
    assert {made.event_key for made in found.values() if made.event == "E1"} <= {"warfarin", "morphine"}


def test_donors_are_other_persons_of_the_same_partition(tmp_path: Path) -> None:
    sealed = [
        P(f"p{i}", (S(orders=(*S().orders, f"{drug} 1 mg")),))
        for i, drug in enumerate(("warfarin", "morphine"))
    ]
    foreign = P("foreign", (S(orders=("heparin 1 mg", "vancomycin 1 g", "ceftriaxone 1 g")),), "calibration")
    treated = P("treated", (S(orders=(), treatments=(VANCOMYCIN,)),))
    world = make_world(tmp_path, *sealed, treated, foreign, ELSEWHERE)
    found = world.build()
    names = {_pseudonym(person): person.name for person in (*sealed, treated, foreign, ELSEWHERE)}
    assert world.report["donors"]
    for name, donor in world.report["donors"].items():
        assert names[donor] in ("p0", "p1", "treated")
        assert donor != found[name].patient


def test_the_event_document_is_filed_under_the_patient(world: World) -> None:
    made = scenario(world.build(), "E1")
    assert made.patient == _pseudonym(TARGET)
    assert world.report["donors"][made.id] == _pseudonym(DONOR)


def _pseudonym(person: P) -> str:
    from evrev.scenarios.cohort import Person

    return Person(person.name, ()).pseudonym
