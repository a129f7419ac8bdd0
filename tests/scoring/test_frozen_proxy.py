"""The frozen leaf-match proxy of the problem list (paper, section 3 and appendix F)."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.scoring.problem_list import RULES, score_list

PATHS = ["cardiovascular|chest pain / ASHD|chest pain", "pulmonary|respiratory failure|acute"]

SEGMENT = st.text("abc /-", min_size=1, max_size=6).filter(str.strip)
PATH = st.lists(SEGMENT, min_size=1, max_size=4).map("|".join)
TRUTH = st.lists(PATH, min_size=1, max_size=5)
LIST = st.lists(st.text("abc |/-", max_size=12), max_size=6)


def test_a_full_path_echo_passes() -> None:
    score = score_list(PATHS, PATHS, "frozen_proxy")
    assert score.strict
    assert score.outcomes == ["matched", "matched"]


def test_it_accepts_a_negated_item_as_the_paper_says() -> None:
    assert score_list(["no chest pain"], ["a|b|chest pain"], "frozen_proxy").strict


def test_it_accepts_an_item_that_bundles_a_second_disease() -> None:
    assert score_list(["chest pain and sepsis"], ["a|b|chest pain"], "frozen_proxy").strict


def test_it_accepts_a_last_segment_that_names_no_disease() -> None:
    assert score_list(["acute", "chest pain"], PATHS, "frozen_proxy").strict


def test_it_accepts_a_leaf_inside_a_longer_word() -> None:
    assert score_list(["subacute"], ["x|acute"], "frozen_proxy").strict


def test_extra_items_do_not_fail_the_list() -> None:
    score = score_list([*PATHS, "gout"], PATHS, "frozen_proxy")
    assert score.strict
    assert score.outcomes == ["matched", "matched", "unmatched"]


def test_a_missing_leaf_fails_the_list() -> None:
    score = score_list(PATHS[:1], PATHS, "frozen_proxy")
    assert not score.strict
    assert score.outcomes == ["matched"]


def test_a_parent_without_the_leaf_fails() -> None:
    assert not score_list(["respiratory failure", "chest pain"], PATHS, "frozen_proxy").strict


def test_a_leaf_split_over_two_items_fails() -> None:
    assert not score_list(["chest", "pain"], ["a|chest pain"], "frozen_proxy").strict


def test_punctuation_is_not_folded() -> None:
    assert not score_list(["chest-pain"], ["a|chest pain"], "frozen_proxy").strict


def test_one_item_may_cover_several_paths() -> None:
    assert score_list(["acute chest pain"], PATHS, "frozen_proxy").strict


def test_no_items_is_not_strict() -> None:
    score = score_list([], PATHS, "frozen_proxy")
    assert (score.strict, score.lenient, score.outcomes) == (False, False, [])


def test_blank_items_match_nothing() -> None:
    assert score_list(["", "  "], PATHS, "frozen_proxy").outcomes == ["unmatched", "unmatched"]


def test_a_trailing_bar_leaves_the_last_written_segment_as_the_leaf() -> None:
    assert score_list(["sepsis"], ["infection|sepsis| "], "frozen_proxy").strict


@pytest.mark.parametrize("paths", [[], [""], [" | "], ["a|b", "|"]])
def test_no_paths_and_paths_without_a_segment_are_value_errors(paths: list[str]) -> None:
    with pytest.raises(ValueError, match="path"):
        score_list(["a"], paths, "frozen_proxy")


def test_an_unknown_rule_is_a_value_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="frozen_proxy"):
        score_list(["a"], ["a"], "leaf_match")
    assert "frozen_proxy" in RULES


@pytest.mark.parametrize("relaxation", ["parent", "extra", "bundle", "nonsense"])
def test_it_has_no_relaxations(relaxation: str) -> None:
    with pytest.raises(ValueError, match="no relaxation"):
        score_list(PATHS, PATHS, "frozen_proxy").with_relaxation(relaxation)


@given(LIST, LIST, TRUTH)
def test_more_items_never_fail_a_list_that_passed(
    items: list[str], more: list[str], paths: list[str]
) -> None:
    if score_list(items, paths, "frozen_proxy").strict:
        assert score_list(items + more, paths, "frozen_proxy").strict


@given(LIST, TRUTH, st.randoms(use_true_random=False))
def test_the_order_of_items_and_paths_changes_nothing(
    items: list[str], paths: list[str], rng: object
) -> None:
    shuffled, turned = items[:], paths[:]
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    rng.shuffle(turned)  # type: ignore[attr-defined]
    one, other = (
        score_list(items, paths, "frozen_proxy"),
        score_list(shuffled, turned, "frozen_proxy"),
    )
    assert one.strict == other.strict
    assert sorted(zip(items, one.outcomes, strict=True)) == sorted(zip(shuffled, other.outcomes, strict=True))


@given(TRUTH, LIST)
def test_an_echo_of_every_path_always_passes(paths: list[str], more: list[str]) -> None:
    score = score_list(more + paths, paths, "frozen_proxy")
    assert score.strict
    assert score.outcomes[len(more) :] == ["matched"] * len(paths)


@given(LIST, TRUTH)
def test_case_and_white_space_change_nothing(items: list[str], paths: list[str]) -> None:
    def loosened(text: str) -> str:
        return "\t" + text.upper().replace(" ", " \n ") + " "

    one = score_list(items, paths, "frozen_proxy")
    other = score_list([loosened(i) for i in items], [loosened(p) for p in paths], "frozen_proxy")
    assert (one.strict, one.outcomes) == (other.strict, other.outcomes)


@given(LIST, TRUTH)
def test_lenient_is_strict(items: list[str], paths: list[str]) -> None:
    score = score_list(items, paths, "frozen_proxy")
    assert score.lenient == score.strict


def test_every_real_problem_list_passes_its_own_echo(eicu_demo: Path) -> None:
    lists: dict[str, dict[str, None]] = defaultdict(dict)
    with gzip.open(eicu_demo / "diagnosis.csv.gz", "rt", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            lists[row["patientunitstayid"]][row["diagnosisstring"]] = None
    distinct = {tuple(paths) for paths in lists.values()}
    assert len(distinct) > 1000
    failed = [paths for paths in distinct if not score_list(list(paths), list(paths), "frozen_proxy").strict]
    assert not failed, f"{len(failed)} of {len(distinct)} lists"
