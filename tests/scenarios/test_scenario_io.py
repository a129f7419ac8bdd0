"""Reading scenarios back: in the batch's order, and a hand-edited file is refused by file and key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scenario_world import DONOR, ELSEWHERE, TARGET, P, make_world

from evrev.errors import DataError
from evrev.formats.scenario_io import load_scenarios
from evrev.scenarios.cohort import Person

E1 = f"{Person('target', ()).pseudonym}-E1-small.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    world = make_world(tmp_path, TARGET, P("another"), DONOR, ELSEWHERE)
    world.build()
    return world.out


def test_scenarios_come_in_hash_order_of_patients_and_plan_order_of_events(folder: Path) -> None:
    found = load_scenarios(folder)
    expected = [
        f"{Person(name, ()).pseudonym}-{event}-small"
        for name in ("target", "another")
        for event in ("E0", "E1", "E1b", "E4")
    ]
    assert [made.id for made in found] == expected


def test_a_folder_without_patients_json_is_read_by_name(folder: Path) -> None:
    (folder / "patients.json").unlink()
    (folder / "manifest.json").write_text("{}")
    names = [made.id for made in load_scenarios(folder)]
    assert names == sorted(names)
    assert len(names) == 8


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda made: made.pop("patient"), "patient: Field required"),
        (lambda made: made["expected"].update(medication_after="aspirin"), "expected.medication_after: "),
        (lambda made: made["documents"][0].update(source="nurse"), "documents.0.source: "),
        (lambda made: made.update(colour="blue"), "colour: Extra inputs"),
        (lambda made: made.update(id="p0-E1-small"), "id: states 'p0-E1-small'"),
        (lambda made: made.update(event_document="D9"), "event_document: no document 'D9'"),
        (lambda made: made["revision"].update(document="D7"), "revision.document: no document 'D7'"),
        (lambda made: made["documents"][1].update(id="D1"), "documents: an id stands twice"),
        (lambda made: made["documents"][0]["versions"][0].update(lines=[]), "documents.0.versions.0.lines: "),
    ],
)
def test_a_hand_edited_scenario_is_refused_by_file_and_key(
    folder: Path, edit: Callable[[dict[str, Any]], object], said: str
) -> None:
    path = folder / E1
    made = json.loads(path.read_bytes())
    edit(made)
    path.write_text(json.dumps(made))
    with pytest.raises(DataError) as caught:
        load_scenarios(folder)
    assert caught.value.where == path
    assert said in caught.value.what


def test_a_scenario_that_is_cut_short_is_refused(folder: Path) -> None:
    path = folder / E1
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match="Invalid JSON") as caught:
        load_scenarios(folder)
    assert caught.value.where == path


def test_a_scenario_that_is_gone_is_missed(folder: Path) -> None:
    (folder / E1).unlink()
    with pytest.raises(DataError, match="cannot be read") as caught:
        load_scenarios(folder)
    assert caught.value.where == folder / E1


@pytest.mark.parametrize("content", ["[]", "{}", "{", '{"patients": [{"patient": "p1"}]}'])
def test_a_patients_file_that_lists_nobody_is_refused(folder: Path, content: str) -> None:
    (folder / "patients.json").write_text(content)
    with pytest.raises(DataError, match="does not list patients"):
        load_scenarios(folder)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no scenario"):
        load_scenarios(tmp_path)
