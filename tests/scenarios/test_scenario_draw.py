"""Who is taken: by rule, from other batches where a plan is linked, and with the same stay everywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scenario_world import DONOR, ELSEWHERE, P, S, World, contract, lines, make_world, plan

from evrev.errors import DataError, SettingsError
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.scenario_io import load_scenarios
from evrev.medication import load_aliases
from evrev.scenarios.build import Builder
from evrev.scenarios.cohort import Person

NO_E2 = S(orders=("aspirin", "metoprolol", "furosemide"))
DOSED = S(orders=("aspirin 81 mg", "metoprolol 25 mg", "furosemide 40 mg"))


def name(person: str) -> str:
    return Person(person, ()).pseudonym


def linked(**rule: Any) -> dict[str, Any]:
    return {"patients": {"partition": "sealed", "n": 20} | rule}


class Hospital:
    """Records of some persons, and plans that may take their patients from each other."""

    def __init__(self, folder: Path, persons: Sequence[P], *plans: Plan) -> None:
        self.folder, self.plans = folder, {one.batch: one for one in plans}
        world = make_world(folder, *persons, DONOR, ELSEWHERE)
        self.builder = Builder(
            records=world.folder, contract=contract(), aliases=load_aliases(), plans=self.plans.__getitem__
        )

    def build(self, batch: str, limit: int | None = None) -> dict[str, Any]:
        out = self.folder / f"{batch}-{limit}"
        out.mkdir()
        return self.builder.build(self.plans[batch], limit, out)

    def patients(self, batch: str, limit: int | None = None) -> list[str]:
        return [told["patient"] for told in self.build(batch, limit)["patients"]]

    def scenarios(self, batch: str, limit: int | None = None) -> list[Scenario]:
        return load_scenarios(self.folder / f"{batch}-{limit}")


FIVE = [P(f"p{number}") for number in range(5)]


def test_a_linked_batch_takes_the_patients_of_the_other_in_its_order(tmp_path: Path) -> None:
    first = plan(3, ["E0"], batch="first")
    second = plan(1, ["E1b"], batch="second", **linked(same_as="first"))
    hospital = Hospital(tmp_path, FIVE, first, second)
    assert hospital.patients("second") == hospital.patients("first") == [name(f"p{i}") for i in range(3)]


def test_whom_a_linked_batch_finds_does_not_depend_on_a_limit(tmp_path: Path) -> None:
    first = plan(3, ["E0"], batch="first")
    second = plan(1, ["E0"], batch="second", **linked(unused_by=["first"]))
    hospital = Hospital(tmp_path, FIVE, first, second)
    assert hospital.patients("second", limit=1) == [name("p3")]
    assert hospital.patients("first", limit=1) == [name("p0")]


def test_a_linked_batch_drops_whoever_is_not_eligible_for_it(tmp_path: Path) -> None:
    persons = [P("with"), P("without", (NO_E2,)), P("also")]
    first = plan(3, ["E0"], batch="first")
    second = plan(3, ["E2"], batch="second", **linked(same_as="first", n=3))
    hospital = Hospital(tmp_path, persons, first, second)
    report = hospital.build("second")
    assert [told["patient"] for told in report["patients"]] == [name("with"), name("also")]
    assert (report["considered"], report["planned"], report["taken"]) == (3, 3, 2)
    assert report["exclusions"] == {"E2: no strength": 1}


def test_a_linked_batch_takes_only_those_of_its_own_partition(tmp_path: Path) -> None:
    sealed, calibration = P("one"), P("two", partition="calibration")
    helper = P("helper", DONOR.stays, "calibration")
    both = Plan.model_validate(
        plan(batch="both", events=["E0"]).model_dump()
        | {"patients": None}
        | {"strata": [
            {"name": "A", "patients": {"partition": "calibration", "n": 4}},
            {"name": "B", "patients": {"partition": "sealed", "n": 4}},
        ]}
    )  # fmt: skip
    of_one = plan(
        batch="again", events=["E0"], patients={"partition": "calibration", "n": 8, "same_as": "both"}
    )
    hospital = Hospital(tmp_path, [sealed, calibration, helper], both, of_one)
    assert hospital.patients("both") == [name("two"), name("one")]
    assert hospital.patients("again") == [name("two")]


def test_persons_of_earlier_batches_are_passed_over_and_counted(tmp_path: Path) -> None:
    first = plan(2, ["E0"], batch="first")
    second = plan(9, ["E0"], batch="second", **linked(unused_by=["first"], n=9))
    report = Hospital(tmp_path, FIVE, first, second).build("second")
    assert [told["patient"] for told in report["patients"]] == [name(f"p{i}") for i in (2, 3, 4)]
    assert report["exclusions"]["used by first"] == 2
    assert report["considered"] == report["eligible"] + sum(report["exclusions"].values())


def test_each_stratum_has_its_own_flow_and_the_batch_their_sum(tmp_path: Path) -> None:
    asked = Plan.model_validate(
        plan(batch="both", events=["E0", "E2"]).model_dump()
        | {"patients": None}
        | {"strata": [
            {"name": "A", "patients": {"partition": "sealed", "n": 2}, "events": ["E2"]},
            {"name": "B", "patients": {"partition": "calibration", "n": 4}, "events": ["E0"]},
        ]}
    )  # fmt: skip
    report = Hospital(tmp_path, FIVE, asked).build("both")
    assert [(told["stratum"], told["scenarios"]) for told in report["patients"]] == [
        ("A", [f"{name('p0')}-E2-small"]),
        ("A", [f"{name('p1')}-E2-small"]),
    ]
    assert report["strata"]["B"] == {
        "partition": "calibration", "same_as": None, "unused_by": [], "considered": 0, "exclusions": {},
        "eligible": 0, "planned": 4, "taken": 0,
    }  # fmt: skip
    assert (report["planned"], report["taken"], report["partition"]) == (6, 2, "sealed+calibration")


def test_plans_that_take_patients_from_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    one = plan(batch="one", events=["E0"], **linked(same_as="two"))
    two = plan(batch="two", events=["E0"], **linked(unused_by=["one"]))
    with pytest.raises(SettingsError, match="circle: one -> two -> one"):
        Hospital(tmp_path, FIVE, one, two).build("one")


def test_a_plan_cannot_name_itself_nor_have_patients_and_strata() -> None:
    with pytest.raises(ValueError, match="from itself"):
        plan(batch="one", **linked(same_as="one"))
    with pytest.raises(ValueError, match="either `patients` or `strata`"):
        plan(strata=[{"name": "A", "patients": {"partition": "sealed", "n": 1}}])


def test_only_events_with_a_donor_drug_can_be_drawn_twice() -> None:
    strata = [{"name": "R", "patients": {"partition": "sealed", "n": 4}, "events": ["E4"], "draws": 2}]
    with pytest.raises(ValueError, match="only E1 and E1b draw"):
        Plan.model_validate(plan().model_dump() | {"patients": None, "strata": strata})


def test_a_batch_of_which_nobody_is_eligible_ends_with_the_counts(tmp_path: Path) -> None:
    first = plan(3, ["E0"], batch="first")
    second = plan(3, ["E2"], batch="second", **linked(same_as="first"))
    persons = [P("a", (NO_E2,)), P("b", (NO_E2,))]
    with pytest.raises(DataError, match="is eligible for second: 2 x E2: no strength"):
        Hospital(tmp_path, persons, first, second).build("second")
    assert not list(tmp_path.glob("second-None/*"))


def test_a_person_has_the_same_stay_in_every_batch(tmp_path: Path) -> None:
    person = P("two stays", (S(problems=("first|stay",), orders=NO_E2.orders), DOSED))
    first = plan(9, ["E0", "E1", "E1b", "E4"], batch="first")
    second = plan(9, ["E2"], batch="second")
    hospital = Hospital(tmp_path, [person, P("other", (DOSED,))], first, second)
    by_name = {told["patient"]: told for told in hospital.build("first")["patients"]}
    assert by_name[name("two stays")]["stay_order"] == 0
    # A later stay would do for E2, but it is not the person's.
    assert hospital.patients("second") == [name("other")]


def test_a_stay_on_which_an_event_fails_is_passed_over_for_the_next(tmp_path: Path) -> None:
    no_e1b = S(orders=("lisinopril 5 mg", "famotidine 20 mg", "pantoprazole 40 mg"))
    one = plan(9, ["E0"], batch="one")
    hospital = Hospital(tmp_path, [P("person", (no_e1b, DOSED)), P("other")], one)
    report = hospital.build("one")
    assert report["patients"][0]["stay_order"] == 1


def drawn_twice() -> Plan:
    strata = [{"name": "R", "patients": {"partition": "sealed", "n": 4}, "events": ["E1"], "draws": 2}]
    return Plan.model_validate(plan(batch="twice").model_dump() | {"patients": None, "strata": strata})


def test_a_second_draw_has_another_donor_drug_and_leaves_the_first_as_it_is(tmp_path: Path) -> None:
    once = plan(9, ["E1"], batch="once")
    hospital = Hospital(tmp_path, FIVE, once, drawn_twice())
    hospital.build("once")
    hospital.build("twice")
    for patient in hospital.patients("twice", limit=4):
        first = tmp_path / "twice-None" / f"{patient}-E1-small.json"
        assert first.read_bytes() == (tmp_path / "once-None" / first.name).read_bytes()
        one = Scenario.model_validate_json(first.read_bytes())
        two = Scenario.model_validate_json(
            (tmp_path / "twice-None" / f"{patient}-E1-2-small.json").read_bytes()
        )
        assert one.event_key != two.event_key
        assert one.documents[:3] == two.documents[:3]
        assert one.seed != two.seed
        assert two.expected.medication_after == one.expected.medication_after


def test_who_has_no_second_donor_drug_is_not_eligible_for_two_draws(tmp_path: Path) -> None:
    donor = P(
        "donor",
        (S(orders=("warfarin 5 mg", "aspirin 325 mg"), labs=(), treatments=DONOR.stays[0].treatments),),
    )
    world = make_world(tmp_path, P("target"), donor, ELSEWHERE)
    with pytest.raises(DataError, match="1 x E1: no donor order"):
        world.build(drawn_twice())


def test_no_draw_takes_a_drug_twice(tmp_path: Path) -> None:
    hospital = Hospital(tmp_path, FIVE, drawn_twice())
    hospital.build("twice")
    by_patient: dict[str, list[str | None]] = {}
    for made in hospital.scenarios("twice"):
        by_patient.setdefault(made.patient, []).append(made.event_key)
        assert str(made.event_key) not in "\n".join(lines(made, "D1")).casefold()
    assert all(len(set(keys)) == 2 for keys in by_patient.values())


def test_the_files_of_the_four_events_at_the_small_size_are_what_they_were(tmp_path: Path) -> None:
    """A digest over hand-made records: whatever is added to the builder, these bytes stay."""
    persons = [
        P("zoe", (S(orders=("LASIX 40 MG", "aspirin 81 mg", "metoprolol 25 mg", "NORCO 5 MG", "insulin")),)),
        P("adam", (S(labs=()), S(treatments=("cardiovascular|medications|heparin",)))),
        P("mia", (S(problems=("infection|sepsis", "renal|failure"), labs=(("glucose", "99", "mg/dL"),)),)),
        P("ivo", (S(orders=("Percocet", "ondansetron 4 mg", "warfarin 5 mg", "aspirin 81 mg")),)),
    ]
    world = make_world(tmp_path, *persons, DONOR, ELSEWHERE)
    world.build()
    assert combined_digest(world) == "d3b13fe586e8fb3c3553ff4d5417740e447ef3143e684eaa468feb0bac4560ad"


def combined_digest(world: World) -> str:
    whole = hashlib.sha256()
    for path in sorted(world.out.glob("p*-E*.json")):
        whole.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def test_the_report_is_plain_json(tmp_path: Path) -> None:
    first = plan(3, ["E0"], batch="first")
    hospital = Hospital(tmp_path, FIVE, first)
    report = hospital.build("first")
    assert json.loads((tmp_path / "first-None" / "patients.json").read_bytes()) == report
