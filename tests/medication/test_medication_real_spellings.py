"""The spellings of the eICU demo: plausible counts, no nonsense, agreement with the recorded codes."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest

from evrev.medication import (
    AliasTable,
    is_not_a_drug,
    load_aliases,
    medication_class,
    medication_key,
    treatment_drug,
)

# Codes that stand over several drugs by mistake: one is junk, three join two drugs each.
UNRELIABLE = {"18084", "1694", "1615", "2854"}


@pytest.fixture(scope="module")
def orders(eicu_demo: Path) -> pl.DataFrame:
    columns = ["drugname", "drughiclseqno", "drugordercancelled"]
    rows = pl.read_csv(eicu_demo / "medication.csv.gz", columns=columns, infer_schema=False)
    return rows.filter(pl.col("drugname").str.strip_chars() != "")


@pytest.fixture(scope="module")
def names(orders: pl.DataFrame) -> list[str]:
    return sorted(set(orders["drugname"]))


@pytest.fixture(scope="module")
def aliases() -> AliasTable:
    return load_aliases()


def test_keys_and_classes_are_about_as_many_as_the_paper_has(names: list[str], aliases: AliasTable) -> None:
    assert 265 <= len({medication_key(name).key for name in names}) <= 310
    assert 165 <= len({medication_class(name, aliases).key for name in names}) <= 195


def test_every_name_that_is_a_drug_has_a_key(names: list[str]) -> None:
    assert all(medication_key(name).key for name in names if not is_not_a_drug(name))


def test_about_a_sixth_of_the_orders_are_no_drugs(orders: pl.DataFrame) -> None:
    standing = orders.filter(pl.col("drugordercancelled") != "Yes")["drugname"]
    share = sum(map(is_not_a_drug, standing)) / len(standing)
    assert 0.14 < share < 0.20


def test_no_key_holds_a_strength_form_route_or_mark(names: list[str]) -> None:
    keys = {component for name in names for component in medication_key(name).components}
    assert [key for key in keys if re.search(r"[0-9]\s*(?:mg|mcg|g|ml|meq|%)|[^\w \-]", key)] == []
    words = {word for key in keys for word in key.split()}
    assert not words & {"tab", "tabs", "inj", "soln", "po", "iv", "in", "mg", "ml", "hcl", "prn", "ns", "d5w"}


def test_every_key_stands_in_its_own_name_or_is_an_abbreviation_written_out(names: list[str]) -> None:
    written_out = {
        "sodium",
        "chloride",
        "potassium",
        "magnesium",
        "aluminum",
        "sulfate",
        "phosphate",
        "lactated",
    }
    written_out |= {"ringers", "hydroxide", "acetaminophen", "simethicone", "dextrose", "regular"}
    for name in names:
        text = re.sub(r"[^a-z0-9]+", " ", name.casefold().replace("'", "").replace(".", ""))
        for word in re.findall(r"[a-z0-9]+", medication_key(name).key):
            assert word in text or word in written_out, name


def test_the_key_of_a_key_is_itself(names: list[str]) -> None:
    for name in names:
        for component in medication_key(name).components:
            assert medication_key(component).components == (component,)


def test_metoprolol_tartrate_and_succinate_share_metoprolol(names: list[str]) -> None:
    found = {medication_key(name).key for name in names if re.search(r"metoprolol", name, re.IGNORECASE)}
    assert found == {"metoprolol"}


def test_names_under_one_reliable_drug_code_have_one_class(orders: pl.DataFrame, aliases: AliasTable) -> None:
    classes = defaultdict(set)
    for name, code in orders.select("drugname", "drughiclseqno").drop_nulls().unique().iter_rows():
        if code not in UNRELIABLE and not is_not_a_drug(name):
            classes[code].add(medication_class(name, aliases).key)
    torn = {frozenset(keys) for keys in classes.values() if len(keys) > 1}
    assert torn == {
        frozenset({"insulin regular", "insulin"}),
        frozenset({"potassium phosphate", "potassium phosphate+sodium phosphate"}),
        frozenset({"glucose", "ascorbic acid+glucose"}),
    }


def test_treatment_paths_name_drugs_and_fall_into_no_trap(
    eicu_demo: Path, names: list[str], aliases: AliasTable
) -> None:
    keys = (medication_class(name, aliases) for name in names if not is_not_a_drug(name))
    known = {key.key for key in keys if not key.ambiguous}
    paths = pl.read_csv(eicu_demo / "treatment.csv.gz", columns=["treatmentstring"], infer_schema=False)
    found = {path: treatment_drug(path, known, aliases) for path in set(paths["treatmentstring"])}
    assert 60 < len(set(found.values()) - {None}) < 110
    assert not any(drug == "heparin" or (drug or "").startswith("insulin") for drug in found.values())
    for path, drug in found.items():
        if "nutrition" in path or "feeding" in path or "fluid" in path:
            assert drug is None or drug in path.casefold(), path
