"""From an extraction reply to claims: faults are counted and named, never guessed away (paper, App. A)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agent_fakes import Scripted, make_scenario, play
from hypothesis import given
from hypothesis import strategies as st

from evrev.agent.answers import read_items, read_summary
from evrev.agent.extraction import Claim, read_claims

GOOD = {"type": "med", "content": "alphadrol 5 mg | PO", "evidence": "D1"}


def reply(*claims: Any) -> str:
    return json.dumps({"claims": claims})


def test_a_well_formed_reply_gives_its_claims_in_order() -> None:
    read = read_claims(reply(GOOD, GOOD | {"type": "lab", "content": "x"}))
    assert read.claims == (Claim("med", "alphadrol 5 mg | PO", "D1"), Claim("lab", "x", "D1"))
    assert (read.malformed, read.parse.status, read.parse.repairs) == (0, "strict", ())


@pytest.mark.parametrize(
    ("claim", "fault"),
    [
        ("alphadrol", "claim_not_an_object"),
        (None, "claim_not_an_object"),
        ([GOOD], "claim_not_an_object"),
        ({k: v for k, v in GOOD.items() if k != "type"}, "claim_without_type"),
        (GOOD | {"type": 1}, "claim_without_type"),
        (GOOD | {"content": ["a"]}, "claim_without_content"),
        (GOOD | {"content": "  "}, "claim_without_content"),
        ({k: v for k, v in GOOD.items() if k != "evidence"}, "claim_without_evidence"),
        (GOOD | {"evidence": ["D1"]}, "claim_without_evidence"),
    ],
)
def test_a_claim_of_another_shape_is_counted_and_named_and_costs_no_other(claim: Any, fault: str) -> None:
    read = read_claims(reply(GOOD, claim, claim, GOOD))
    assert read.claims == (Claim("med", "alphadrol 5 mg | PO", "D1"),) * 2
    assert (read.malformed, read.parse.status, read.parse.repairs) == (2, "strict", (fault,))


@pytest.mark.parametrize("type_", ["medication", "MED", "diagnosis"])
def test_an_unknown_type_is_kept_as_other_and_named(type_: str) -> None:
    read = read_claims(reply(GOOD | {"type": type_}))
    assert read.claims == (Claim("other", "alphadrol 5 mg | PO", "D1"),)
    assert (read.malformed, read.parse.repairs) == (0, ("type_as_other",))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (json.dumps([GOOD]), ("no_claims_list",)),
        ('{"claims": {}}', ("no_claims_list",)),
        ('{"items": []}', ("no_claims_list",)),
        ("null", ("no_claims_list",)),
        ("```\n[1, 2]\n```", ("code_fence", "no_claims_list")),
        ("no medication", ("not_json",)),
        ("", ("empty",)),
    ],
)
def test_a_reply_without_a_list_of_claims_has_failed(text: str, faults: tuple[str, ...]) -> None:
    read = read_claims(text)
    assert (read.claims, read.malformed) == ((), 0)
    assert (read.parse.status, read.parse.repairs) == ("failed", faults)


def test_an_empty_list_of_claims_is_a_reading_and_not_a_fault() -> None:
    assert read_claims('{"claims": []}').parse.status == "strict"


def test_a_claim_cut_before_its_reference_is_not_completed() -> None:
    read = read_claims(reply(GOOD)[:-2] + ', {"type": "med", "content": "b"', "length")
    assert [claim.content for claim in read.claims] == ["alphadrol 5 mg | PO"]
    assert read.malformed == 1
    assert read.parse.repairs == ("closed_braces", "claim_without_evidence")
    assert read.parse.capped


@pytest.mark.parametrize("reference", ["D2", "d1", "D1@1", "the record"])
def test_a_reference_outside_the_shown_document_is_gated_out(reference: str) -> None:
    claims = reply(GOOD, GOOD | {"evidence": reference}, GOOD | {"content": "kept"})
    caller = Scripted({"e:D1@1": claims})
    trajectory = play(make_scenario("E0"), "cache", caller)
    parse = trajectory.calls[0].parse
    assert (parse.admitted, parse.rejected, parse.repairs) == (2, 1, ("outside_reference",))
    assert "- med | kept | claim=D1.c2 | from=D1:pharmacy" in caller.prompts["u0"]


def test_malformed_and_outside_claims_are_rejected_together() -> None:
    caller = Scripted({"e:D1@1": reply(GOOD, GOOD | {"evidence": "D2"}, "x")})
    parse = play(make_scenario("E0"), "cache", caller).calls[0].parse
    assert (parse.admitted, parse.rejected) == (1, 2)
    assert parse.repairs == ("claim_not_an_object", "outside_reference")


def test_half_of_a_surrogate_pair_in_a_claim_becomes_valid_text() -> None:
    caller = Scripted({"e:D1@1": reply(GOOD | {"content": "a\ud83db"})})
    play(make_scenario("E0"), "cache", caller)
    assert "- med | a\ufffdb | claim=D1.c1 | from=D1:pharmacy" in caller.prompts["u0"]


@given(st.text(st.characters(), max_size=40), st.sampled_from(["stop", "length"]))
def test_no_text_makes_reading_raise(text: str, finish: str) -> None:
    for shaped in (text, json.dumps({"claims": [text], "summary": text, "items": [text]})):
        assert read_claims(shaped, finish).parse.capped is (finish == "length")
        assert "\ud800" not in read_summary(shaped, finish)[0]
        items, _ = read_items(shaped, finish)
        assert items is None or "".join(items).encode() is not None


@given(st.lists(st.text(max_size=12), max_size=4))
def test_items_are_read_as_they_are_written(items: list[str]) -> None:
    assert read_items(json.dumps({"items": items}))[0] == tuple(items)
