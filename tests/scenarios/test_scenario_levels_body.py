"""A level counts the re-reading body exactly as the agent's prompt holds it, headers included (App. O)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from length_world import kept, replaced, revoked, target

from evrev.agent.prompting import Prompts
from evrev.agent.rows import Evidence
from evrev.agent.views import DocumentView
from evrev.formats.scenario import Document, Version
from evrev.formats.task import load_task_contract
from evrev.scenarios.context import ContextDay
from evrev.scenarios.events.base import Case
from evrev.scenarios.prompt_body import (
    after_revision,
    body_parts,
    body_tokens,
    document_tokens,
    reading_body,
    show_document,
)
from evrev.tokenizers import counter

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = load_task_contract(ROOT / "resources" / "task_contract.yaml")
PATIENT = "p0a1b2c3d"
COUNT = counter("qwen2.5").count
LINE = "MEDICATION | ACETAMINOPHEN 325 MG PO TABS | 650 mg | PO | Q6H PRN"


def prompt(shown: list[tuple[Document, Version]]) -> str:
    """The text the agent sends to re-read these documents in this order."""
    rows = tuple(
        Evidence(d.id, v.version, d.source, PATIENT, d.title, v.payload, v.payload_digest, "active", place)
        for place, (d, v) in enumerate(shown)
    )
    _, user = Prompts(PATIENT, CONTRACT).use(DocumentView(rows), {d.id: d for d in rows}, "medication")
    return user.content


def cases() -> dict[str, Case]:
    """One case of each kind of revision."""
    made = target()
    return {
        "E0": Case(made.documents),
        "E1": revoked(made),
        "E2": replaced(made),
        "E4": kept(made, "vancomycin"),
    }


@pytest.mark.parametrize("event", ["E0", "E1", "E2", "E4"])
def test_the_body_is_what_stands_between_the_first_line_of_the_prompt_and_the_task(event: str) -> None:
    case = cases()[event]
    shown = after_revision(case.documents, case.revision)
    text = prompt(shown)
    body = reading_body(PATIENT, shown)
    assert text.startswith(f"Documents of patient {PATIENT}\n\n{body}\n\nTask: ")


def test_a_revoked_d4_is_not_in_the_body_and_any_other_d4_is_its_last_document() -> None:
    ids = {event: [d.id for d, _ in after_revision(c.documents, c.revision)] for event, c in cases().items()}
    assert ids == {
        "E0": ["D1", "D2", "D3"],
        "E1": ["D1", "D2", "D3"],
        "E2": ["D1", "D2", "D3", "D4"],
        "E4": ["D1", "D2", "D3", "D4"],
    }
    made = target()
    case = kept(made)
    context = ContextDay("lab", 0, ("LAB | a | 1",)).document(5)
    shown = after_revision((*case.documents, context), None)
    assert [document.id for document, _ in shown] == ["D1", "D2", "D3", "D5", "D4"]


def test_a_replaced_d4_stands_in_its_second_version() -> None:
    case = cases()["E2"]
    (shown,) = [one for one in after_revision(case.documents, case.revision) if one[0].id == "D4"]
    assert "version: 2): medication orders\nMEDICATION | warfarin 10 mg" in show_document(PATIENT, *shown)


def test_the_line_of_the_paper_is_31_tokens() -> None:
    document = (
        kept(target()).documents[0].model_copy(update={"versions": (Version(version=1, lines=(LINE,)),)})
    )
    whole = document_tokens(PATIENT, document, document.versions[0]).last
    header = show_document(PATIENT, document, document.versions[0]).removesuffix(LINE)
    assert whole - COUNT(header) == 31


@pytest.mark.parametrize("event", ["E0", "E1", "E2", "E4"])
def test_the_parts_of_a_body_add_up_to_its_tokens(event: str) -> None:
    case = cases()[event]
    head, tail = body_parts(PATIENT, case.documents, case.revision)
    whole = reading_body(PATIENT, after_revision(case.documents, case.revision))
    assert body_tokens([*head, *tail]) == COUNT(whole)


_TEXT = st.text(st.characters(blacklist_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=0, max_size=20)
_LINE = st.builds("{} | {}{}".format, st.sampled_from(["LAB", "VITAL", "CHARTING"]), _TEXT, _TEXT)
_SIGNS = st.builds("LAB | x | {}".format, st.text("%)]}.…!?<>/+-'\"€5é\u0301\ud800", max_size=6))
_DAYS = st.lists(st.lists(_LINE | _SIGNS, min_size=1, max_size=5), min_size=1, max_size=5)


@given(_DAYS, st.sampled_from(["E0", "E1", "E2", "E4"]))
def test_documents_are_counted_apart_without_an_error_whatever_their_lines_end_in(
    days: list[list[str]], event: str
) -> None:
    case = cases()[event]
    added = [ContextDay("lab", n, tuple(lines)).document(5 + n) for n, lines in enumerate(days)]
    documents = (*case.documents, *added)
    head, tail = body_parts(PATIENT, documents, case.revision)
    whole = reading_body(PATIENT, after_revision(documents, case.revision))
    assert body_tokens([*head, *tail]) == COUNT(whole)


def test_a_body_without_documents_is_nothing() -> None:
    assert body_tokens([]) == 0
