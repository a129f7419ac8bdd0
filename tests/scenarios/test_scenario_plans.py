"""The thirteen batches of Table 16, and what holds in the scenarios of all of them."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from plan_world import BATCHES, Everything, build_everything, plan_named
from scenario_world import lines

from evrev.formats.canonical import canonical_json
from evrev.formats.plan import TABLE_16, batch_names
from evrev.formats.scenario import Scenario
from evrev.scenarios.target import words

ROLES = {
    "development": "development",
    "development_prespecified": "pre_specified",
    "confirmatory": "confirmatory",
    "exploratory": "exploratory",
}
ROWS = {
    "screening": ("screening",),
    "controls": ("controls_e1b_e4",),
    "heldout": ("heldout",),
    "batch_a": ("batch_a",),
    "batch_b": ("batch_b",),
    "batch_c": ("batch_c",),
    "batch_e": ("batch_e",),
    "batch_c2": ("batch_c2",),
    "reuse": ("exp_r",),
    "l1": ("exp_l1",),
    "l2": ("exp_l2",),
    "l3": ("exp_l3_dev13", "exp_l3_calib8", "exp_l3_sealed11"),
    "length": ("exp_x",),
}
PIPELINES = {"adapted_l0_3": "selector_l0_3", "adapted_l10": "selector_l10"}


@pytest.fixture(params=["synthetic_batches", "real_batches"])
def built(request: pytest.FixtureRequest) -> Everything:
    made = request.getfixturevalue(request.param)
    assert isinstance(made, Everything)
    return made


# The plans ----------------------------------------------------------------------------------------


def test_there_is_a_plan_for_each_batch_of_table_16_and_others_say_that_they_go_beyond() -> None:
    names = batch_names(BATCHES)
    assert names[:13] == TABLE_16
    assert set(TABLE_16) == set(ROWS)
    assert all(plan_named(name).beyond is (name not in TABLE_16) for name in names)


@pytest.mark.parametrize("batch", TABLE_16)
def test_a_plan_states_what_table_16_states(batch: str, shared: Path) -> None:
    with (shared / "paper" / "tables" / "table16.csv").open(newline="") as handle:
        rows = {row["batch"]: row for row in csv.DictReader(handle)}
    plan, told = plan_named(batch), [rows[name] for name in ROWS[batch]]
    assert plan.planned == sum(int(row["n_distinct_patients"]) for row in told)
    for row in told:
        assert plan.role == ROLES[row["role"]]
        assert set(plan.events) == set(row["events"].split(";"))
        assert list(plan.pipelines) == [PIPELINES.get(p, p) for p in row["pipelines"].split(";")]
        assert max(len(plan.sizes), len(plan.levels)) == int(row["n_sizes_or_levels"])


def test_the_sweeps_ask_for_twenty_later_medication_uses() -> None:
    assert plan_named("reuse").tasks == plan_named("length").tasks == ("medication",) * 21
    assert plan_named("screening").tasks == ("medication", "medication", "problem_list")


def test_batch_b_repeats_batch_a_at_another_temperature_under_two_seeds() -> None:
    one, other = plan_named("batch_a"), plan_named("batch_b")
    assert (other.decoding.temperature, other.seeds) == (0.2, (1, 2))
    assert (one.pipelines, one.events, one.tasks) == (other.pipelines, other.events, other.tasks)


def test_only_lengthened_records_ask_for_a_longer_context() -> None:
    longer = {name for name in batch_names(BATCHES) if plan_named(name).context_length == 32_768}
    assert longer == {"length", "growth"}


# The batches --------------------------------------------------------------------------------------


def test_linked_batches_share_patients_and_files_byte_for_byte(built: Everything) -> None:
    files: dict[str, dict[bytes, str]] = defaultdict(dict)
    for batch, folder in built.folders.items():
        for path in folder.glob("p*-E*.json"):
            files[path.name][path.read_bytes()] = batch
    assert all(len(found) == 1 for found in files.values()), "one id, one byte string, in every batch"
    of = {batch: set(found) for batch, found in built.found.items()}
    assert of["l3"] == of["batch_c"] | of["batch_c2"]
    assert of["heldout"] < of["l2"]
    assert of["batch_b"] == of["batch_a"]
    assert of["reuse"] == of["l1"] == {name for name in of["screening"] if "-E1-" in name}
    assert {name for name in of["batch_e"] if "-E2-" in name} == of["batch_c"]


def patients(built: Everything, batch: str, stratum: str | None = None) -> list[str]:
    told = built.reports[batch]["patients"]
    return [one["patient"] for one in told if one.get("stratum") == stratum]


def test_who_is_taken_follows_the_links(built: Everything) -> None:
    screening, c = patients(built, "screening"), patients(built, "batch_c")
    heldout = patients(built, "heldout")
    assert len(screening) == 8
    assert patients(built, "batch_a")[:8] == screening
    for batch in ("controls", "reuse", "l1", "length"):
        assert set(patients(built, batch)) <= set(screening)
    assert patients(built, "batch_e", "replacement") == c
    rest = [patient for patient in screening if patient not in c]
    assert patients(built, "batch_e", "revocation") == rest[:4]
    b = patients(built, "batch_c2", "B")
    assert b == [patient for patient in heldout if patient in b]
    assert patients(built, "l2", "B") == heldout
    assert set(patients(built, "l2", "A")).isdisjoint(patients(built, "batch_c2", "A"))
    assert patients(built, "l3", "dev13") == c
    assert patients(built, "l3", "calib8") == patients(built, "batch_c2", "A")
    assert patients(built, "l3", "sealed11") == b


def test_the_flow_of_every_batch_adds_up_and_fewer_than_planned_is_stated(built: Everything) -> None:
    for report in built.reports.values():
        for flow in report.get("strata", {"": report}).values():
            assert flow["considered"] == flow["eligible"] + sum(flow["exclusions"].values())
            assert flow["taken"] == min(flow["planned"], flow["eligible"])
        assert report["taken"] == len(report["patients"])


def test_every_cell_of_a_batch_has_the_same_patients(built: Everything) -> None:
    for batch in ("screening", "controls", "heldout", "batch_a"):
        cells: dict[tuple[str, str], list[str]] = defaultdict(list)
        for made in built.found[batch].values():
            cells[made.event, made.size].append(made.patient)
        assert len(cells) == len(plan_named(batch).events) * len(plan_named(batch).sizes)
        assert len({tuple(cell) for cell in cells.values()}) == 1


def test_each_level_has_its_own_patients_and_unchanged_documents(built: Everything) -> None:
    report, found = built.reports["length"], built.found["length"]
    for level, told in report["levels"].items():
        mine = [made for made in found.values() if made.level == level]
        assert [made.patient for made in mine] == told["patients"]
        assert len(told["patients"]) + sum(told["out"].values()) == len(report["patients"])
        for made in mine:
            small = built.found["l1"][f"{made.patient}-E1-small"]
            assert made.documents[:4] == small.documents
            assert (made.expected, made.support, made.revision) == (
                small.expected,
                small.support,
                small.revision,
            )
            if told["target"]:
                assert 0.9 * told["target"] <= told["tokens"][made.patient] <= told["target"]


def test_the_absent_context_tables_are_named(real_batches: Everything, synthetic_batches: Everything) -> None:
    assert real_batches.reports["length"]["context_tables_absent"] == ["vitalPeriodic", "nurseCharting"]
    assert synthetic_batches.reports["length"]["context_tables_absent"] == []


def test_the_full_synthetic_records_reach_every_level(synthetic_batches: Everything) -> None:
    assert all(told["patients"] for told in synthetic_batches.reports["length"]["levels"].values())


# What holds for every scenario --------------------------------------------------------------------


def test_building_again_gives_the_same_bytes(synthetic_batches: Everything, tmp_path: Path) -> None:
    again = build_everything(tmp_path, synthetic_batches.tables)
    for batch, folder in synthetic_batches.folders.items():
        first = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert {path.name: path.read_bytes() for path in again.folders[batch].iterdir()} == first


def test_digests_differ_exactly_when_bytes_do(built: Everything) -> None:
    scenarios, payloads = {}, {}
    for made in built.all():
        scenarios.setdefault(made.scenario_digest, set()).add(canonical_json(made))
        for document in made.documents:
            for version in document.versions:
                payloads.setdefault(version.payload_digest, set()).add(version.payload)
    assert all(len(found) == 1 for found in (*scenarios.values(), *payloads.values()))
    assert len({data for found in scenarios.values() for data in found}) == len(scenarios)
    assert len({text for found in payloads.values() for text in found}) == len(payloads)


def test_no_document_mentions_an_identifier_of_the_record_or_another_patient(built: Everything) -> None:
    stays = pl.read_parquet(built.records / "stays.parquet")
    persons = set(stays["person"])
    for batch, folder in built.folders.items():
        pseudonyms = {made.patient for made in built.found[batch].values()}
        for path in folder.glob("*.json"):
            text = path.read_text()
            assert not persons & set(re.findall(r"[0-9]{3}-[0-9]{1,6}", text))
            if path.name != "patients.json":
                told = json.loads(text)
                others = pseudonyms - {told["patient"]}
                documents = json.dumps(told["documents"])
                assert not any(other in documents for other in others)


def key_words(made: Scenario) -> frozenset[str]:
    entries = [entry for entry in made.support if entry.resolved == made.event_key]
    return words(str(made.event_key), *(entry.key for entry in entries))


def test_no_line_besides_d4_holds_the_drug_of_e1(built: Everything) -> None:
    for made in built.all():
        if made.event == "E1" and made.level is None:
            for document in made.documents:
                if document.id != "D4":
                    held = words(*document.versions[0].lines)
                    assert key_words(made).isdisjoint(held), made.id


def test_the_drug_of_e1b_keeps_an_allowed_support_besides_d4(built: Everything) -> None:
    for made in built.all():
        if made.event == "E1b":
            entries = [entry for entry in made.support if entry.resolved == made.event_key]
            assert any("D1" in entry.after for entry in entries)
            assert not any("D4" in entry.after for entry in entries)
            assert any("D4" in entry.before for entry in entries)
            assert made.event_key in made.expected.medication_after


def test_the_drug_of_e4_is_on_no_other_document(built: Everything) -> None:
    for made in built.all():
        if made.event == "E4":
            others = [line for d in made.documents if d.id != "D4" for line in d.versions[0].lines]
            named = words(str(made.event_key))
            assert not any(named <= words(line) for line in others), made.id


def test_e2_changes_exactly_one_field_and_its_drug_is_on_no_other_document(built: Everything) -> None:
    for made in built.all():
        if made.event == "E2":
            first, second = made.documents[3].versions
            pairs = zip(first.lines[0].split(" |"), second.lines[0].split(" |"), strict=True)
            assert sum(before != after for before, after in pairs) == 1
            (entry,) = [entry for entry in made.support if entry.resolved == made.event_key]
            assert (entry.before, entry.after, entry.support_class) == (("D4",), ("D4",), "conflict")
            assert str(entry.value) in second.payload
            assert first.lines[0] not in lines(made, "D1")


def test_expected_sets_grow_with_allowed_evidence(built: Everything) -> None:
    for made in built.found["growth"].values():
        if made.growth is not None:
            small = built.found["growth"][f"{made.patient}-E1-small"]
            assert made.documents[:4] == small.documents
            assert set(small.expected.medication_after) <= set(made.expected.medication_after)
    assert any(made.growth for made in built.found["growth"].values())
