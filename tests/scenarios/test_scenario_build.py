"""Building a batch: what is written, that it depends on nothing it should not, and how it refuses."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scenario_world import (
    DONOR,
    ELSEWHERE,
    EVENTS,
    TARGET,
    P,
    S,
    World,
    contract,
    lines,
    make_world,
    plan,
    scenario,
)  # fmt: skip

from evrev.errors import DataError
from evrev.formats.scenario import Scenario
from evrev.formats.scenario_io import load_scenarios
from evrev.scenarios.cohort import Person
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.support import order_name

DRUGS = (
    "aspirin 81 mg", "metoprolol 25 mg", "furosemide 40 mg", "LASIX 20 MG", "warfarin 5 mg", "morphine 2 mg",
    "lisinopril 5 mg", "ondansetron 4 mg", "ZOFRAN 4 MG", "vancomycin 1 g", "potassium chloride 20 mEq",
    "HYDROCODONE-ACETAMINOPHEN 10-325 MG PO TABS", "acetaminophen 325 mg", "NORCO 5 MG", "insulin",
)  # fmt: skip
TREATMENTS = (
    "cardiovascular|medications|metoprolol", "infectious|antibiotics|vancomycin",
    "gastrointestinal|antiemetic|ondansetron", "pulmonary|ventilation", "renal|diuretic|furosemide",
)  # fmt: skip
PROBLEMS = ("cardiovascular|chest pain", "toxicology|aspirin overdose", "infection|sepsis")
LABS = (("potassium", "4.1", "mmol/L"), ("glucose", "99", "mg/dL"), ("acetaminophen", "<10", "mcg/mL"))


T = TypeVar("T")


def some(values: tuple[T, ...], most: int) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(st.sampled_from(values), max_size=most, unique=True).map(tuple)


STAYS = st.builds(
    S, orders=some(DRUGS, 6), problems=some(PROBLEMS, 2), labs=some(LABS, 2), treatments=some(TREATMENTS, 3)
)
PARTITIONS = st.sampled_from(("sealed", "sealed", "sealed", "development"))


@st.composite
def cohorts(draw: st.DrawFn) -> list[P]:
    count = draw(st.integers(4, 9))
    stays = st.lists(STAYS, min_size=1, max_size=2).map(tuple)
    return [P(f"person{i}", draw(stays), draw(PARTITIONS)) for i in range(count)]


def built(folder: str, persons: list[P]) -> tuple[World, dict[str, Scenario]]:
    world = make_world(Path(folder), *persons)
    try:
        return world, world.build()
    except DataError:
        assume(False)
        raise


@settings(max_examples=60, deadline=None)
@given(cohorts())
def test_whatever_the_records_every_scenario_keeps_the_rules(persons: list[P]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world, found = built(folder, persons)
    formulary = Formulary(world.aliases)
    sealed = {Person(p.name, ()).pseudonym for p in persons if p.partition == "sealed"}
    for made in found.values():
        ambiguous = {s.resolved for s in made.support if s.support_class == "ambiguous"}
        assert ambiguous.isdisjoint(made.expected.medication_before + made.expected.medication_after)
        on_d1 = {formulary.drug(order_name(line) or "") for line in lines(made, "D1")}
        single = {drug.resolved for drug in on_d1 if not drug.ambiguous}
        assert set(made.expected.medication_after) == single
        assert set(made.expected.medication_before) == (
            single | {made.event_key} if made.event == "E1" else single
        )
        if made.event in ("E1", "E4"):
            text = "\n".join(
                line for document in ("D1", "D2", "D3") for line in lines(made, document)
            ).casefold()
            assert str(made.event_key) not in text
            assert all(made.event_key not in drug.names for drug in on_d1)
        if made.event == "E1b":
            assert made.event_key in single
        donor = world.report["donors"].get(made.id)
        assert donor is None or (donor in sealed and donor != made.patient)
    for patient in world.report["patients"]:
        same = {
            tuple(d.model_dump_json() for d in found[name].documents[:3]) for name in patient["scenarios"]
        }
        assert len(same) == 1


@settings(max_examples=15, deadline=None)
@given(cohorts(), st.integers(1, 3))
def test_a_scenario_does_not_depend_on_how_many_patients_are_taken(persons: list[P], limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world, _ = built(folder, persons)
        whole = _files(world.out)
        world.build(limit=limit)
        fewer = _files(world.out)
    assert fewer.items() <= whole.items()
    assert len(fewer) == len(EVENTS) * min(limit, len(whole) // len(EVENTS))


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    world = make_world(tmp_path, TARGET, P("another"), DONOR, ELSEWHERE)
    world.build()
    first = _files(world.out, "*")
    world.build()
    assert _files(world.out, "*") == first


def test_a_scenario_does_not_depend_on_which_events_the_plan_has(tmp_path: Path) -> None:
    world = make_world(tmp_path, TARGET, P("another"), DONOR, ELSEWHERE)
    whole = world.build()
    assert world.build(plan(events=["E1b"])).items() <= whole.items()


def test_the_drawing_depends_on_the_task_contract(tmp_path: Path) -> None:
    made = scenario(make_world(tmp_path, TARGET, DONOR, ELSEWHERE).build(), "E1")
    assert made.task_contract == contract().contract_digest
    assert 0 <= made.seed < 2**53


def test_each_scenario_is_a_file_and_patients_json_says_who_was_taken(tmp_path: Path) -> None:
    world = make_world(tmp_path, TARGET, P("another"), DONOR, ELSEWHERE)
    found = world.build(plan(n=20), limit=1)
    patient = Person("target", ()).pseudonym
    names = [f"{patient}-{event}-small" for event in EVENTS]
    assert sorted(p.name for p in world.out.iterdir()) == sorted(
        [*(f"{n}.json" for n in names), "patients.json"]
    )
    assert list(found) == names
    report = json.loads((world.out / "patients.json").read_bytes())
    assert report == world.report
    assert report["patients"] == [{"patient": patient, "stay_order": 0, "scenarios": names}]
    assert (report["planned"], report["limit"], report["taken"], report["partition"]) == (20, 1, 1, "sealed")
    assert load_scenarios(world.out) == list(found.values())


def test_a_limit_beyond_the_plan_takes_no_more_than_the_plan(tmp_path: Path) -> None:
    world = make_world(tmp_path, TARGET, P("another"), DONOR, ELSEWHERE)
    world.build(plan(n=1), limit=5)
    assert world.report["taken"] == 1


def test_all_takes_every_eligible_person(tmp_path: Path) -> None:
    world = make_world(tmp_path, TARGET, P("another"), DONOR, ELSEWHERE)
    world.build(plan(n="all"))
    assert (world.report["planned"], world.report["taken"]) == (2, 2)


def test_no_identifier_of_the_record_is_written(tmp_path: Path) -> None:
    world = make_world(tmp_path, P("recorded-target"), P("recorded-donor", DONOR.stays), ELSEWHERE)
    world.build()
    written = b"".join(path.read_bytes() for path in world.out.iterdir())
    assert b"recorded-" not in written


def test_the_pseudonym_is_p_and_eight_digits_of_a_hash() -> None:
    import hashlib

    assert Person("x", ()).pseudonym == "p" + hashlib.sha256(b"evrev-patient:x").hexdigest()[:8]


@pytest.mark.parametrize("damage", ["missing", "not parquet", "column"])
def test_records_that_cannot_be_read_are_named(tmp_path: Path, damage: str) -> None:
    world = make_world(tmp_path, TARGET, DONOR, ELSEWHERE)
    path = world.folder / "treatments.parquet"
    if damage == "missing":
        path.unlink()
    elif damage == "not parquet":
        path.write_bytes(b"nothing of the kind")
    else:
        (world.folder / "problems.parquet").rename(path)
        make_world(tmp_path / "again", TARGET).folder.joinpath("problems.parquet").rename(
            world.folder / "problems.parquet"
        )
    with pytest.raises(DataError, match="cannot be read") as caught:
        world.build()
    assert caught.value.where == path


def _files(folder: Path, pattern: str = "p*-E*.json") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob(pattern)}
