"""The length levels: whole context documents of the same stay behind an unchanged small scenario (App. O)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from length_world import STAY, kept, result, revoked, target, titles, write_charting

from evrev.errors import DataError, SettingsError
from evrev.formats.canonical import canonical_json
from evrev.formats.scenario import Document
from evrev.formats.task import load_task_contract
from evrev.scenarios.caps import ENOUGH, LEVEL_TARGETS, XL_TARGETS
from evrev.scenarios.context import TABLES, ContextDay, collisions, read_context
from evrev.scenarios.lengthen import (
    NO_FIT,
    REASONS,
    TOO_LITTLE,
    TOO_LONG,
    Lengthened,
    fill,
    is_filled,
    largest_reached,
)
from evrev.scenarios.levels import ByContext, xl_target
from evrev.scenarios.prompt_body import Tokens, after_revision, reading_body
from evrev.scenarios.support import expected_answers, support_classes
from evrev.tokenizers import counter

ROOT = Path(__file__).resolve().parents[2]
PATIENT = "p0a1b2c3d"
COUNT = counter("qwen2.5").count


def day(number: int, lines: int, table: str = "vitalAperiodic") -> ContextDay:
    """A day of one table with some lines of about a dozen tokens."""
    return ContextDay(table, number, tuple(f"VITAL | noninvasivesystolic | {100 + n}" for n in range(lines)))


def record(days: Sequence[ContextDay]) -> ByContext:
    """A patient under E1 with these context days."""
    return ByContext(PATIENT, revoked(target()), days)


def body_of(found: Lengthened, lengthened: ByContext) -> int:
    """Tokens of the filled record's body, counted as one text."""
    shown = after_revision(found.documents, lengthened.case.revision)
    return COUNT(reading_body(PATIENT, shown))


def added(found: Lengthened) -> tuple[Document, ...]:
    """The context documents."""
    return found.documents[4:]


# The fill rule, on sizes alone.


def sizes(*tokens: int) -> list[partial[Tokens]]:
    """Candidates of these sizes."""
    return [partial(lambda n, _place: Tokens(n, n), n) for n in tokens]


def chosen(target_: int, *tokens: int, start: int = 300) -> tuple[tuple[int, ...], int]:
    """What the rule takes."""
    return fill([Tokens(start, start)], [], sizes(*tokens), target_)


def test_a_document_that_would_pass_the_target_is_skipped_and_the_next_is_tried() -> None:
    assert chosen(1000, 400, 500, 200) == ((0, 2), 900)


def test_filling_ends_as_soon_as_nine_tenths_are_reached() -> None:
    assert chosen(1000, 600, 50, 50) == ((0,), 900)
    assert chosen(1000, 599, 1, 50) == ((0, 1), 900)


def test_the_target_itself_may_be_reached_but_not_passed() -> None:
    assert chosen(1000, 700) == ((0,), 1000)
    assert chosen(1000, 701) == ((), 300)


def test_a_record_that_is_already_long_enough_gets_nothing() -> None:
    assert chosen(1000, 50, start=950) == ((), 950)
    assert chosen(1000, 50, start=1200) == ((), 1200)


_SIZES = st.lists(st.integers(min_value=1, max_value=3000), max_size=30)
_TARGET = st.integers(min_value=300, max_value=12_000)


@given(_SIZES, _TARGET, st.integers(min_value=0, max_value=300))
def test_the_rule_never_passes_the_target_and_keeps_the_order(
    tokens: list[int], target_: int, tail: int
) -> None:
    kept_, total = fill([Tokens(250, 250)], [Tokens(tail, tail)], sizes(*tokens), target_)
    assert total == 250 + tail + sum(tokens[n] for n in kept_)
    assert list(kept_) == sorted(set(kept_))
    assert total <= max(target_, 250 + tail)


@given(_SIZES, _TARGET)
def test_what_the_rule_skips_would_have_passed_the_target_and_it_stops_only_when_filled(
    tokens: list[int], target_: int
) -> None:
    kept_, total = chosen(target_, *tokens, start=250)
    running, taken = 250, set(kept_)
    last = max(kept_, default=-1)
    for number, size in enumerate(tokens):
        if is_filled(running, target_):
            assert number > last
            break
        assert (number in taken) == (running + size <= target_)
        running += size if number in taken else 0
    assert running == total


@given(_SIZES, _TARGET)
def test_the_same_sizes_give_the_same_choice(tokens: list[int], target_: int) -> None:
    assert chosen(target_, *tokens) == chosen(target_, *tokens)


# A filled record.


def test_documents_d1_to_d4_stay_and_context_stands_behind_them_from_d5_on() -> None:
    lengthened = record([day(0, 15), day(1, 15), day(2, 15)])
    found = lengthened.to(1000)
    assert canonical_json(found.documents[:4]) == canonical_json(lengthened.case.documents)
    assert [document.id for document in found.documents] == ["D1", "D2", "D3", "D4", "D5", "D6", "D7"]


def test_a_filled_record_is_in_the_band_and_its_tokens_are_those_of_the_whole_text() -> None:
    lengthened = record([day(n, 15) for n in range(5)])
    found = lengthened.to(1000)
    assert found.reason is None
    assert 900 <= found.tokens <= 1000
    assert found.tokens == body_of(found, lengthened)


def test_the_body_of_e1_is_counted_without_the_revoked_d4() -> None:
    days = [day(n, 15) for n in range(5)]
    after = ByContext(PATIENT, kept(target()), days)
    assert after.to(1000).tokens == body_of(after.to(1000), after)
    assert after.to(100).tokens > record(days).to(100).tokens


def test_ids_have_no_gap_where_a_document_was_skipped() -> None:
    found = record([day(0, 15), day(1, 200), day(2, 15), day(3, 15)]).to(1000)
    assert titles(added(found)) == [f"aperiodic vital signs, ICU day {n}" for n in (0, 2, 3)]
    assert [document.id for document in added(found)] == ["D5", "D6", "D7"]


def test_a_patient_with_little_charting_does_not_enter_and_the_reason_says_so() -> None:
    found = record([day(0, 5)]).to(1000)
    assert found.reason == TOO_LITTLE
    assert record([]).to(1000).reason == TOO_LITTLE


def test_a_patient_whose_documents_are_too_long_for_the_gap_does_not_enter() -> None:
    assert record([day(0, 200), day(1, 200)]).to(1000).reason == NO_FIT


def test_a_patient_whose_small_documents_pass_the_target_does_not_enter() -> None:
    assert record([day(0, 5)]).to(100).reason == TOO_LONG


def test_context_supports_no_medication_so_the_expected_list_is_that_of_the_small_scenario() -> None:
    made = target()
    case = revoked(made)
    context = ContextDay("nurseCharting", 0, ("CHARTING | heparin | rate | 12",) * 40)
    found = ByContext(PATIENT, case, [context]).to(1000)
    contract = load_task_contract(ROOT / "resources" / "task_contract.yaml")
    small, long = (
        support_classes(documents, case.revision, contract, made.formulary, case.declared)
        for documents in (case.documents, found.documents)
    )
    assert len(found.documents) == 5
    assert long == small
    assert expected_answers(long, found.documents[1]) == expected_answers(small, case.documents[1])


_DAY = st.builds(
    day, st.integers(0, 20), st.integers(1, 60), st.sampled_from(list(TABLES))
)  # fmt: skip


@given(st.lists(_DAY, max_size=12), st.sampled_from([1000, 2000, 4000]))
def test_every_record_is_in_the_band_or_says_why_not(days: list[ContextDay], target_: int) -> None:
    lengthened = record(days)
    found = lengthened.to(target_)
    assert found.tokens == body_of(found, lengthened)
    assert (found.reason is None) == (0.9 * target_ <= found.tokens <= target_)
    assert found.reason is None or found.reason in REASONS
    whole = [one.lines for one in days]
    assert all(document.versions[0].lines in whole for document in added(found))


# XL.


class Reaching:
    """A record that reaches every target up to a length."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens

    def to(self, target: int) -> Lengthened:
        """In the band up to its length."""
        return Lengthened((), target, self.tokens, None if target <= self.tokens else TOO_LITTLE)


def test_xl_is_the_largest_multiple_of_1000_that_six_of_eight_patients_reach() -> None:
    assert (
        xl_target([Reaching(n) for n in (4000, 9000, 10_400, 10_400, 11_000, 12_000, 12_000, 13_000)])
        == 10_000
    )
    assert xl_target([Reaching(20_000)] * 8) == 12_000
    assert xl_target([Reaching(20_000)] * 6) == 12_000


def test_xl_never_falls_to_l_and_is_then_not_reached() -> None:
    assert min(XL_TARGETS) > LEVEL_TARGETS["L"]
    assert xl_target([Reaching(5000)] * 8) == 5000
    assert xl_target([Reaching(4999)] * 8) is None
    assert xl_target([Reaching(20_000)] * (ENOUGH - 1)) is None
    assert xl_target([]) is None


def test_a_target_counts_only_records_in_its_band() -> None:
    fine, coarse = record([day(n, 15) for n in range(20)]), record([day(n, 200) for n in range(20)])
    assert fine.to(1000).reason is None
    assert coarse.to(1000).reason == NO_FIT
    assert largest_reached((1000,), [fine, fine, coarse], enough=2) == 1000
    assert largest_reached((1000,), [fine, coarse, coarse], enough=2) is None


# Reading the context.


def test_context_is_one_document_per_table_and_icu_day_by_day_and_in_the_order_of_the_tables(
    tmp_path: Path,
) -> None:
    charted = {
        "nurseCharting": {0: ["CHARTING | a | b | 1"], 2: ["CHARTING | a | b | 3"]},
        "vitalAperiodic": {1: ["VITAL | c | 2"]},
        "vitalPeriodic": {0: ["VITAL | d | 1", "VITAL | d | 2"]},
    }
    stay = target(results=[result("sodium", 1), result("sodium", 0), result("sodium", 0, "6")]).stay
    found = read_context(write_charting(tmp_path, charted), [stay])
    assert [(one.day, one.table, len(one.lines)) for one in found.days(stay)] == [
        (0, "lab", 2),
        (0, "vitalPeriodic", 2),
        (0, "nurseCharting", 1),
        (1, "lab", 1),
        (1, "vitalAperiodic", 1),
        (2, "nurseCharting", 1),
    ]


def test_laboratory_documents_are_of_the_source_lab_and_all_other_context_of_the_ehr() -> None:
    sources = {name: (d.source, d.kind) for name in TABLES if (d := day(0, 1, name).document(5))}
    assert sources["lab"] == ("lab", "laboratory")
    assert {sources[name] for name in TABLES if name != "lab"} == {("ehr", "charting")}


def test_only_the_asked_stays_are_read(tmp_path: Path) -> None:
    folder = write_charting(tmp_path, {"vitalPeriodic": {0: ["VITAL | d | 1"]}}, stay=STAY + 1)
    found = read_context(folder, [target().stay], allow_absent=True)
    assert found.charting == {}


def test_absent_context_tables_are_an_error_that_names_them_unless_they_are_allowed(tmp_path: Path) -> None:
    folder = write_charting(tmp_path, {"vitalAperiodic": {0: ["VITAL | c | 2"]}})
    with pytest.raises(SettingsError, match="vitalPeriodic, nurseCharting"):
        read_context(folder, [target().stay])
    found = read_context(folder, [target().stay], allow_absent=True)
    assert found.absent == ("vitalPeriodic", "nurseCharting")
    assert [one.table for one in found.days(target().stay)] == ["lab", "vitalAperiodic"]


def test_records_without_any_charting_are_read_as_laboratory_alone_where_that_is_allowed(
    tmp_path: Path,
) -> None:
    folder = write_charting(tmp_path, {}, held=["lab"])
    (folder / "charting.parquet").unlink()
    found = read_context(folder, [target().stay], allow_absent=True)
    assert {one.table for one in found.days(target().stay)} == {"lab"}
    assert found.absent == ("vitalPeriodic", "vitalAperiodic", "nurseCharting")


def test_a_table_that_is_there_but_holds_nothing_of_a_stay_is_not_absent(tmp_path: Path) -> None:
    folder = write_charting(tmp_path, {}, held=list(TABLES))
    assert read_context(folder, [target().stay]).absent == ()


@pytest.mark.parametrize("broken", ["report.json", "charting.parquet"])
def test_a_damaged_file_is_named(tmp_path: Path, broken: str) -> None:
    folder = write_charting(tmp_path, {}, held=list(TABLES))
    (folder / broken).write_bytes(b"[]")
    with pytest.raises(DataError, match="evrev records build") as error:
        read_context(folder, [target().stay])
    assert broken in str(error.value.where)


def test_charting_of_another_form_is_named(tmp_path: Path) -> None:
    folder = write_charting(tmp_path, {"vitalPeriodic": {0: ["VITAL | d | 1"]}}, held=list(TABLES))
    pl.read_parquet(folder / "charting.parquet").drop("day").write_parquet(folder / "charting.parquet")
    with pytest.raises(DataError, match=r"day"):
        read_context(folder, [target().stay])


# The collision report.


def test_medication_keys_in_context_are_reported_as_whole_phrases_and_are_no_fault() -> None:
    document = ContextDay(
        "lab",
        0,
        (
            "LAB | bedside glucose | 120 mg/dL",
            "LAB | Glucose | 130 mg/dL",
            "LAB | sodium | 140 mmol/L",
            "LAB | digoxin level | 1",
        ),
    ).document(5)
    keys = ["glucose", "sodium bicarbonate", "digoxin", "gluc", "Digoxin-immune fab"]
    found = collisions([document], keys)
    assert [(one.document, one.key, one.lines) for one in found] == [
        ("D5", "digoxin", 1),
        ("D5", "glucose", 2),
    ]
    assert {one.title for one in found} == {"laboratory results, ICU day 0"}


def test_a_phrase_does_not_run_over_two_lines_or_start_inside_a_word() -> None:
    document = ContextDay(
        "lab", 0, ("LAB | potassium", "chloride | 3", "LAB | hydroxychloride | 2")
    ).document(5)
    assert collisions([document], ["potassium chloride"]) == ()
    assert [one.lines for one in collisions([document], ["chloride"])] == [1]
    assert collisions([document], ["", "-"]) == ()
