"""Support classes per medication key, and the expected answers that follow from them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario_world import DONOR, ELSEWHERE, TARGET, P, S, contract, make_world, scenario, support_of

from evrev.formats.scenario import Document, Revision, Version
from evrev.medication import load_aliases
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.support import expected_answers, order_name, support_classes

NORCO = "HYDROCODONE-ACETAMINOPHEN 10-325 MG PO TABS"
PROBLEMS = Document(
    id="D2", kind="problems", source="ehr", title="problem list",
    versions=(Version(version=1, lines=("PROBLEM | cardiovascular|chest pain|angina",)),),
)  # fmt: skip


def orders(name: str, *versions: tuple[str, ...]) -> Document:
    made = [
        Version(version=i, lines=tuple(f"MEDICATION | {drug} | | PO |" for drug in drugs))
        for i, drugs in enumerate(versions, 1)
    ]
    return Document(
        id=name, kind="orders", source="pharmacy", title="medication orders", versions=tuple(made)
    )


def test_every_key_of_an_allowed_line_is_recorded_with_its_documents() -> None:
    made = support_classes(
        [orders("D1", ("aspirin", "metoprolol")), PROBLEMS], None, contract(), Formulary(None), {}
    )
    assert [(s.key, s.support_class, s.before, s.after) for s in made] == [
        ("aspirin", "still_supported", ("D1",), ("D1",)),
        ("metoprolol", "still_supported", ("D1",), ("D1",)),
    ]


def test_a_document_of_a_source_that_is_not_allowed_supports_no_key() -> None:
    foreign = orders("D4", ("warfarin",)).model_copy(update={"source": "ehr"})
    made = support_classes([orders("D1", ("aspirin",)), foreign], None, contract(), Formulary(None), {})
    assert [s.key for s in made] == ["aspirin"]


def test_two_lines_of_one_drug_are_one_key() -> None:
    made = support_classes(
        [orders("D1", ("aspirin 81 mg", "aspirin 325 mg"))], None, contract(), Formulary(None), {}
    )
    assert [(s.key, s.before) for s in made] == [("aspirin", ("D1",))]


def test_a_combination_and_its_components_are_ambiguous_and_in_no_expected_set() -> None:
    made = support_classes(
        [orders("D1", (NORCO, "aspirin")), PROBLEMS], None, contract(), Formulary(None), {}
    )
    classes = {s.key: s.support_class for s in made}
    assert classes.pop("aspirin") == "still_supported"
    assert {"hydrocodone", "acetaminophen"} < classes.keys()
    assert set(classes.values()) == {"ambiguous"}
    assert expected_answers(made, PROBLEMS).medication_before == ("aspirin",)


def test_a_component_with_a_line_of_its_own_stays_supported() -> None:
    made = support_classes(
        [orders("D1", ("acetaminophen 325 mg", NORCO))], None, contract(), Formulary(None), {}
    )
    classes = {s.key: s.support_class for s in made}
    assert (classes["acetaminophen"], classes["hydrocodone"]) == ("still_supported", "ambiguous")


def test_bare_insulin_is_ambiguous() -> None:
    made = support_classes([orders("D1", ("insulin",))], None, contract(), Formulary(None), {})
    assert [(s.key, s.support_class) for s in made] == [("insulin", "ambiguous")]


def test_an_order_of_whose_name_nothing_is_left_is_no_key() -> None:
    assert Formulary(None).drug("***").ambiguous
    assert support_classes([orders("D1", ("***",))], None, contract(), Formulary(None), {}) == ()


def test_a_revoked_document_supports_until_the_revision() -> None:
    documents = [orders("D1", ("aspirin",)), orders("D4", ("warfarin",))]
    revision = Revision(document="D4", action="revoke")
    made = support_classes(documents, revision, contract(), Formulary(None), {})
    assert [(s.key, s.support_class, s.before, s.after) for s in made] == [
        ("aspirin", "still_supported", ("D1",), ("D1",)),
        ("warfarin", "unique_support_revoked", ("D4",), ()),
    ]


def test_a_replaced_document_supports_with_its_last_version() -> None:
    documents = [orders("D1", ("aspirin",)), orders("D4", ("warfarin",), ("warfarin", "morphine"))]
    revision = Revision(document="D4", action="replace")
    made = support_classes(documents, revision, contract(), Formulary(None), {"warfarin": "conflict"})
    assert [(s.key, s.support_class, s.before, s.after) for s in made] == [
        ("aspirin", "still_supported", ("D1",), ("D1",)),
        ("morphine", "still_supported", (), ("D4",)),
        ("warfarin", "conflict", ("D4",), ("D4",)),
    ]


def test_with_the_alias_table_a_brand_is_expected_under_its_ingredient(tmp_path: Path) -> None:
    target = P("target", (S(orders=("LASIX 40 MG", "aspirin 81 mg", "metoprolol 25 mg")),))
    donor = P("donor", (S(orders=("furosemide 20 mg", "LASIX 20 MG", "aspirin 1 mg", "warfarin 1 mg")),))
    made = scenario(make_world(tmp_path, target, donor, DONOR, ELSEWHERE).build(), "E0")
    assert support_of(made, "lasix").resolved == "furosemide"
    assert made.expected.medication_after == ("aspirin", "furosemide", "metoprolol")


def test_without_the_alias_table_a_brand_is_its_own_key(tmp_path: Path) -> None:
    target = P("target", (S(orders=("LASIX 40 MG", "aspirin 81 mg", "metoprolol 25 mg")),))
    world = make_world(tmp_path, target, DONOR, ELSEWHERE)
    world.aliases = None
    made = scenario(world.build(), "E0")
    assert support_of(made, "lasix").resolved == "lasix"
    assert made.expected.medication_after == ("aspirin", "lasix", "metoprolol")


def test_a_brand_that_hides_a_combination_is_ambiguous_with_its_components() -> None:
    made = support_classes(
        [orders("D1", ("NORCO 5 MG", "aspirin"))], None, contract(), Formulary(load_aliases()), {}
    )
    classes = {s.resolved: s.support_class for s in made}
    assert classes["acetaminophen"] == classes["hydrocodone"] == "ambiguous"
    assert classes["aspirin"] == "still_supported"


def test_a_still_supported_drug_keeps_its_support_with_the_alias_table_on_or_off(tmp_path: Path) -> None:
    target = P("target", (S(orders=("LASIX 40 MG", "aspirin 81 mg", "metoprolol 25 mg")),))
    donor = P(
        "donor", (S(orders=("furosemide 20 mg", "warfarin 1 mg"), treatments=DONOR.stays[0].treatments),)
    )
    world = make_world(tmp_path, target, donor, ELSEWHERE, P("late", (S(orders=("LASIX 80 MG",)),)))
    made = scenario(world.build(), "E1b")
    assert made.event_key == "furosemide"
    entry = support_of(made, "lasix")
    assert (entry.before, entry.after) == (("D1", "D4"), ("D1",))


def test_the_problem_list_is_the_whole_path_of_each_rendered_line() -> None:
    assert expected_answers((), PROBLEMS).problem_paths == ("cardiovascular|chest pain|angina",)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("MEDICATION | aspirin 81 mg | 81 mg | PO | daily", "aspirin 81 mg"),
        ("MEDICATION | aspirin | | |", "aspirin"),
        ("TREATMENT | pulmonary|vancomycin", None),
        ("PROBLEM | a|b", None),
    ],
)
def test_only_a_medication_line_names_an_order(line: str, name: str | None) -> None:
    assert order_name(line) == name


def test_the_event_key_and_expected_keys_are_resolved_keys(tmp_path: Path) -> None:
    donor = P("donor", (S(orders=("ZOFRAN 4 MG", "aspirin 1 mg"), treatments=DONOR.stays[0].treatments),))
    made = scenario(make_world(tmp_path, TARGET, donor, ELSEWHERE).build(), "E1")
    assert made.event_key == "ondansetron"
    assert "ondansetron" in made.expected.medication_before
    assert support_of(made, "zofran").support_class == "unique_support_revoked"
