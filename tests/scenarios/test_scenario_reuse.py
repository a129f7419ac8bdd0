"""Reuse of patients between batches: who is used where, and how often."""

from __future__ import annotations

from typing import Any

from evrev.scenarios.reuse import render_reuse, reuse_of


def report(*patients: str, stratum: str | None = None) -> dict[str, Any]:
    told: list[dict[str, Any]] = [
        {"patient": patient, "scenarios": [f"{patient}-E0"]} for patient in patients
    ]
    if stratum is not None:
        told = [one | {"stratum": stratum} for one in told]
    return {"patients": told}


REPORTS = {
    "heldout": report("a", "b", "c"),
    "batch_c2": {
        "patients": report("k", stratum="A")["patients"] + report("a", "b", stratum="B")["patients"]
    },
    "l2": {"patients": report("m", stratum="A")["patients"] + report("a", "b", "c", stratum="B")["patients"]},
}


def test_each_cell_says_how_often_its_patients_were_used_before_and_by_whom() -> None:
    told = {(one["batch"], one["stratum"]): one for one in reuse_of(REPORTS)["batches"]}
    assert told["heldout", None]["used_before"] == {"0": 3}
    assert told["batch_c2", "B"]["used_before"] == {"1": 2}
    assert told["batch_c2", "B"]["shared"] == {"heldout": 2}
    assert told["l2", "B"]["used_before"] == {"1": 1, "2": 2}
    assert told["l2", "B"]["shared"] == {"heldout": 3, "batch_c2": 2}


def test_each_patient_has_the_batches_that_use_them() -> None:
    assert reuse_of(REPORTS)["patients"] == {
        "a": ["heldout", "batch_c2", "l2"],
        "b": ["heldout", "batch_c2", "l2"],
        "c": ["heldout", "l2"],
        "k": ["batch_c2"],
        "m": ["l2"],
    }


def test_two_strata_of_a_batch_are_one_use() -> None:
    twice = {
        "first": {"patients": report("a", stratum="A")["patients"] + report("a", stratum="B")["patients"]}
    }
    found = reuse_of(twice)
    assert found["patients"] == {"a": ["first"]}
    assert [one["used_before"] for one in found["batches"]] == [{"0": 1}, {"0": 1}]


def test_a_patient_without_a_scenario_is_not_used() -> None:
    nobody = {"patients": [{"patient": "a", "scenarios": []}, {"patient": "b", "scenarios": ["b-E1"]}]}
    assert reuse_of({"length": nobody})["patients"] == {"b": ["length"]}


def test_it_is_printed_in_words() -> None:
    shared = "(shared with heldout 3, batch_c2 2)"
    assert render_reuse(reuse_of(REPORTS)).splitlines()[1:] == [
        "  heldout: 3 patients: 3 first used here",
        "  batch_c2 A: 1 patients: 1 first used here",
        "  batch_c2 B: 2 patients: 0 first used here, 2 for the 2nd time (shared with heldout 2)",
        "  l2 A: 1 patients: 1 first used here",
        f"  l2 B: 3 patients: 0 first used here, 1 for the 2nd time, 2 for the 3rd time {shared}",
        "  5 distinct patients; by number of batches: 2 in 1, 1 in 2, 2 in 3",
    ]


def test_nothing_built_is_nothing_reused() -> None:
    assert render_reuse(reuse_of({})).splitlines()[-1] == "  0 distinct patients; by number of batches: none"
