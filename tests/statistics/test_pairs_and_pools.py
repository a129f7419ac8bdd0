"""The patient is the unit and a test lives in one cell; a pool is declared and says so when printed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.errors import DataError
from evrev.statistics import (
    Cell,
    Outcome,
    Pairs,
    descriptive_pool,
    discordant,
    mcnemar_exact,
    pair_outcomes,
    post_hoc_pool,
)

CELL = Cell(model="m", condition="E4", size="small", level=None, stratum="A", seed=0, version="rule1")


def side(successes: dict[str, bool], cell: Cell = CELL) -> list[Outcome]:
    return [Outcome(unit, success, cell) for unit, success in successes.items()]


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.booleans(), st.booleans())))
def test_discordant_pairs_make_up_the_difference_of_the_two_counts(
    both: dict[str, tuple[bool, bool]],
) -> None:
    first = {unit: pair[0] for unit, pair in both.items()}
    second = {unit: pair[1] for unit, pair in both.items()}
    pairs = discordant(first, second)
    assert pairs.b - pairs.c == sum(first.values()) - sum(second.values())
    assert pairs.b + pairs.c == sum(a is not b for a, b in both.values())
    assert pairs.n == len(both)
    assert (pairs.c, pairs.b) == (discordant(second, first).b, discordant(second, first).c)


def test_outcome_rows_of_one_cell_are_paired_by_unit_whatever_their_order() -> None:
    first = side({"p1": True, "p2": True, "p3": False})
    second = side({"p3": False, "p1": False, "p2": True})
    assert pair_outcomes(first, second) == Pairs(1, 0, 3, "patient", CELL, frozenset({"p1", "p2", "p3"}))
    assert pair_outcomes(first, second, unit="scenario").unit == "scenario"


def test_a_patient_without_a_partner_stops_the_test() -> None:
    with pytest.raises(DataError, match=r"2 of 3 units have an outcome on one side only: p2, p3"):
        discordant({"p1": True, "p2": True}, {"p1": True, "p3": False})


def test_an_undefined_outcome_is_not_taken_for_a_failure() -> None:
    with pytest.raises(DataError, match="patient 'p1' is None"):
        discordant({"p1": None}, {"p1": True})  # type: ignore[dict-item]


def test_a_patient_counts_once() -> None:
    twice = [*side({"p1": True}), *side({"p1": True})]
    with pytest.raises(DataError, match="'p1' appears twice"):
        pair_outcomes(twice, side({"p1": True}))


@pytest.mark.parametrize(
    ("part", "value", "named"),
    [
        ("condition", "E0", r"condition \(E0, E4\)"),
        ("stratum", "B", r"stratum \(A, B\)"),
        ("seed", 1, r"seed \(0, 1\)"),
        ("version", "rule2", r"version \(rule1, rule2\)"),
        ("model", "other", r"model \(m, other\)"),
        ("level", "XL", r"level \(None, XL\)"),
    ],
)
def test_a_test_cannot_pool(part: str, value: Any, named: str) -> None:
    other = replace(CELL, **{part: value})
    with pytest.raises(DataError, match=f"cannot pool: the outcomes mix {named}"):
        pair_outcomes(side({"p1": True}), side({"p1": True}, other))
    both = [*side({"p1": True}), *side({"p2": True}, other)]
    with pytest.raises(DataError, match="cannot pool"):
        pair_outcomes(both, both)


def test_a_stratum_without_patients_pairs_nothing() -> None:
    pairs = pair_outcomes([], [])
    assert (pairs.b, pairs.c, pairs.n) == (0, 0, 0)
    assert mcnemar_exact(pairs.b, pairs.c) == 1.0


def test_a_descriptive_pool_adds_counts_says_so_and_has_no_p() -> None:
    pool = descriptive_pool({"seed 1": (1, 128), "seed 2": (3, 128)}, over="seeds", unit="outputs")
    assert (pool.k, pool.n) == (4, 256)
    assert pool.label == "descriptive count over seeds (seed 1, seed 2); n = 256 outputs; no test"
    assert not hasattr(pool, "p")


def test_the_sign_test_of_appendix_j_is_a_post_hoc_pool_over_two_strata() -> None:
    strata = {"A": Pairs(4, 0, 8), "B": Pairs(4, 0, 11)}
    pool = post_hoc_pool(strata, over="strata")
    assert (pool.k, pool.n, pool.p) == (8, 8, 0.00390625)
    assert "post hoc, pooled over strata (A, B) against the no-pooling rule" in pool.label
    assert pool.label.endswith("8 of 8 discordant patient pairs; not confirmatory")


def test_models_share_their_patients_and_so_cannot_be_pooled() -> None:
    pairs = discordant({"p1": True}, {"p1": False})
    with pytest.raises(DataError, match="'p1' stands in two parts of a pool over models"):
        post_hoc_pool({"Qwen": pairs, "Mistral": pairs}, over="models")


def test_a_pool_has_parts_of_one_kind() -> None:
    with pytest.raises(DataError, match="at least two parts, not 1"):
        descriptive_pool({"all": (1, 2)}, over="seeds", unit="outputs")
    with pytest.raises(DataError, match="mixes units: patient, scenario"):
        post_hoc_pool({"A": Pairs(1, 0, 1), "B": Pairs(1, 0, 1, "scenario")}, over="strata")
    with pytest.raises(ValueError, match="k must not exceed n"):
        descriptive_pool({"a": (3, 2), "b": (1, 2)}, over="seeds", unit="outputs")
