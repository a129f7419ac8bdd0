"""Who enters a batch: one stay per person, eligible for every event, in hash order."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario_world import DONOR, ELSEWHERE, TARGET, P, S, make_world, plan, scenario

from evrev.errors import DataError
from evrev.scenarios.cohort import Person
from evrev.scenarios.eligibility import GENERIC, reasons

NORCO = "HYDROCODONE-ACETAMINOPHEN 10-325 MG PO TABS"
NO_ORDER = S(orders=())
FEW_KEYS = S(orders=("aspirin 81 mg", "aspirin 325 mg", "metoprolol 25 mg", NORCO, "furosemide 40 mg"))
NAMELESS = S(orders=("***", "aspirin 81 mg", "metoprolol 25 mg"))
NO_PROBLEM = S(problems=())
NO_RESULT = S(labs=())
NO_E1B = S(orders=("lisinopril 5 mg", "famotidine 20 mg", "pantoprazole 40 mg"))


@pytest.mark.parametrize(
    ("stay", "reason"),
    [
        (NO_ORDER, "no renderable medication order"),
        (FEW_KEYS, "fewer than 3 unambiguous medication keys on D1"),
        (NAMELESS, "fewer than 3 unambiguous medication keys on D1"),
        (NO_PROBLEM, "no problem"),
        (NO_RESULT, "no laboratory result"),
        (NO_E1B, "E1b: no donor order of a drug on D1"),
    ],
)
def test_a_person_who_lacks_something_is_counted_by_what_they_lack(
    tmp_path: Path, stay: S, reason: str
) -> None:
    world = make_world(tmp_path, P("lacking", (stay,)), TARGET, DONOR, ELSEWHERE)
    found = world.build()
    assert reason in world.report["exclusions"]
    assert {made.patient for made in found.values()} == {Person("target", ()).pseudonym}


def test_a_batch_whose_event_nobody_can_have_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nobody .*: 2 x E1: no donor order"):
        make_world(tmp_path, TARGET, P("same")).build()


def test_a_partition_without_persons_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nobody in partition sealed .*: no person"):
        make_world(tmp_path, ELSEWHERE).build()


def test_without_a_treatment_that_names_a_further_drug_there_is_no_e4(tmp_path: Path) -> None:
    donor = P("donor", (S(orders=DONOR.stays[0].orders, treatments=("pulmonary|vancomycin therapy",)),))
    world = make_world(tmp_path, TARGET, donor, ELSEWHERE)
    with pytest.raises(DataError, match="E4: no treatment record"):
        world.build()
    assert world.build(plan(events=["E0", "E1", "E1b"]))  # a plan without E4 does not ask for it


def test_the_first_stay_that_passes_everything_is_taken(tmp_path: Path) -> None:
    second = S(problems=("renal|failure",))
    person = P("target", (NO_RESULT, second, S(problems=("third|stay",))))
    world = make_world(tmp_path, person, DONOR, ELSEWHERE)
    made = scenario(world.build(), "E0")
    assert made.expected.problem_paths == ("renal|failure",)
    assert world.report["patients"][0]["stay_order"] == 1


def test_an_excluded_person_counts_once_by_the_furthest_that_a_stay_came(tmp_path: Path) -> None:
    person = P("lacking", (NO_PROBLEM, NO_RESULT, NO_ORDER))
    world = make_world(tmp_path, person, TARGET, DONOR, ELSEWHERE)
    world.build()
    assert world.report["exclusions"] == {"no laboratory result": 2}  # this person and the donor


def test_considered_persons_are_the_eligible_and_the_excluded_of_the_partition(tmp_path: Path) -> None:
    persons = [P(f"p{i}", (stay,)) for i, stay in enumerate((S(), NO_ORDER, FEW_KEYS, S(), NO_E1B))]
    world = make_world(tmp_path, *persons, DONOR, ELSEWHERE)
    world.build(plan(n=1))
    report = world.report
    assert report["considered"] == 6  # all of the sealed partition, and nobody of the other
    assert report["considered"] == report["eligible"] + sum(report["exclusions"].values())
    assert (report["eligible"], report["taken"]) == (2, 1)


def test_patients_are_the_first_eligible_persons_in_hash_order(tmp_path: Path) -> None:
    persons = [P(name, (S(),)) for name in ("zoe", "adam", "mia")]
    world = make_world(tmp_path, P("nobody", (NO_ORDER,)), *persons, DONOR, ELSEWHERE)
    world.build(plan(n=2))
    expected = [Person(name, ()).pseudonym for name in ("zoe", "adam")]
    assert [patient["patient"] for patient in world.report["patients"]] == expected


def test_every_taken_patient_has_every_event_of_the_plan(tmp_path: Path) -> None:
    persons = [P(f"p{i}") for i in range(5)]
    world = make_world(tmp_path, *persons, DONOR, ELSEWHERE)
    found = world.build()
    for patient in world.report["patients"]:
        assert [found[name].event for name in patient["scenarios"]] == ["E0", "E1", "E1b", "E4"]


def test_reasons_are_asked_in_order_with_the_events_last() -> None:
    assert reasons(("E0", "E1"))[: len(GENERIC)] == GENERIC
    assert reasons(("E1",))[-1].startswith("E1:")
