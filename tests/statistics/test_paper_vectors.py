"""Every exact statistic the paper prints comes out of the room's own functions, to the printed digit."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from evrev.statistics import (
    clopper_pearson,
    holm_adjust,
    holm_rejections,
    holm_thresholds,
    mcnemar_exact,
    print_p,
    round_half_even,
    sign_test,
)

ROOT = Path(__file__).resolve().parents[2]
PAPER = Path(os.environ.get("EVREV_SHARED", ROOT.parent / "shared")) / "paper"
VECTORS = PAPER / "stat_vectors.csv"


def vectors() -> list[object]:
    if not VECTORS.is_file():
        return [pytest.param({}, id="absent", marks=pytest.mark.skip("shared material absent"))]
    with VECTORS.open(encoding="utf-8", newline="") as handle:
        return [
            pytest.param(row, id=f"{row['source']}: {row['output']} [{row['id']}]")
            for row in csv.DictReader(handle)
        ]


def computed(row: dict[str, str]) -> float | bool:
    inputs = dict(part.split("=", 1) for part in row["inputs"].split(";"))
    if row["kind"].startswith("mcnemar"):
        one_sided = row["kind"].endswith("one_sided")
        p = mcnemar_exact(int(inputs["b"]), int(inputs["c"]), "greater" if one_sided else "two-sided")
        return p <= float(inputs["alpha"]) if row["output"] == "rejected" else p
    if row["kind"] == "clopper_pearson_95":
        low, high = clopper_pearson(int(inputs["k"]), int(inputs["n"]))
        return low if row["output"] == "lo" else high
    if row["kind"] == "sign_test":
        assert inputs["side"] == "greater"
        return sign_test(int(inputs["k"]), int(inputs["n"]))
    assert row["kind"] == "holm"
    family = [float(p) for p in inputs["p"].split("|")]
    assert len(family) == int(inputs["m"])
    index = int(inputs["index"])
    if row["output"] == "adjusted_p":
        return holm_adjust(family)[index]
    alpha = float(inputs["alpha"])
    if row["output"] == "threshold":
        return holm_thresholds(family, alpha)[index]
    assert row["output"] == "rejected"
    return holm_rejections(family, alpha)[index]


@pytest.mark.parametrize("row", vectors())
def test_the_printed_statistic_is_reproduced(row: dict[str, str]) -> None:
    value = computed(row)
    if row["output"] == "rejected":
        assert value is (row["expected_printed"] == "true")
    else:
        assert value == pytest.approx(float(row["recomputed_value"]), rel=1e-12, abs=0)
        assert round_half_even(value, int(row["printed_decimals"])) == row["expected_printed"]


def test_table_2_is_printed_digit_for_digit(shared: Path) -> None:
    with (shared / "paper" / "tables" / "table02.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for model in ("Qwen", "Mistral"):
        family = [row for row in rows if row["model"] == model]
        p = [
            mcnemar_exact(int(row["disc_memory_only"]), int(row["disc_reread_only"]), "greater")
            for row in family
        ]
        assert [print_p(value) for value in p] == [row["p_one_sided"] for row in family]
        assert [print_p(value) for value in holm_thresholds(p)] == [row["holm_threshold"] for row in family]
        assert not any(holm_rejections(p))
