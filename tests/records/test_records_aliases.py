"""The alias table beside the codes that the records themselves hold."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from records_world import Built

from evrev.errors import DataError
from evrev.medication import load_aliases
from evrev.records.aliases import AliasAudit, audit_aliases, render_audit

ALIASES = """alias,ingredients,kind,note
lasix,furosemide,brand,
coumadin,warfarin,brand,
zofran,ondansetron,brand,
norco,hydrocodone+acetaminophen,brand,
ativan,lorazepam,brand,
"""
ORDERS = [
    ("LASIX 40 MG", "3660"),
    ("furosemide 20 mg", "3660"),
    ("furosemide inj", ""),
    ("Coumadin 5 mg", "999"),
    ("warfarin 5 mg", "2812"),
    ("WARFARIN SODIUM 2 MG PO TABS", "2813"),
    ("Zofran 4 mg", ""),
    ("ondansetron 4 mg", "6055"),
    ("NORCO 5-325 mg", "3660"),
    ("aspirin 81 mg", "2812"),
]


@pytest.fixture
def audit(tmp_path: Path) -> AliasAudit:
    (tmp_path / "aliases.csv").write_text(ALIASES)
    frame = pl.DataFrame(ORDERS, schema=["name", "hicl"], orient="row")
    frame.write_parquet(tmp_path / "orders.parquet")
    return audit_aliases(tmp_path / "orders.parquet", load_aliases(tmp_path / "aliases.csv"))


def test_alias_rows_that_no_name_holds_are_listed(audit: AliasAudit) -> None:
    assert audit.unseen == ("ativan",)


def test_an_alias_whose_codes_are_not_its_ingredients_is_listed_first(audit: AliasAudit) -> None:
    assert audit.unlike == {"coumadin": (("999",), ("2812", "2813"))}


def test_classes_of_several_codes_and_codes_of_several_classes_are_listed(audit: AliasAudit) -> None:
    assert audit.by_class == {"warfarin": (("2812", 1), ("2813", 1), ("999", 1))}
    assert audit.by_code == {"2812": (("aspirin", 1), ("warfarin", 1))}


def test_names_that_reach_their_class_only_by_an_alias_are_listed(audit: AliasAudit) -> None:
    assert audit.dependent == {
        "acetaminophen+hydrocodone": ("NORCO 5-325 mg",),
        "furosemide": ("LASIX 40 MG",),
        "ondansetron": ("Zofran 4 mg",),
        "warfarin": ("Coumadin 5 mg",),
    }


def test_the_text_holds_all_of_it(audit: AliasAudit) -> None:
    text = render_audit(audit)
    assert "10 order names; 4 of 5 alias rows occur in them" in text
    assert "coumadin: 999; ingredient: 2812, 2813" in text
    assert "2812: aspirin (1), warfarin (1)" in text
    assert "4 order names reach only by an alias" in text
    assert text.rstrip().endswith("ativan")


def test_the_known_junk_codes_of_the_demo_are_found(demo_records: Built) -> None:
    audit = audit_aliases(demo_records.folder / "orders.parquet", load_aliases())
    assert len(audit.by_code["18084"]) >= 10
    assert dict(audit.by_code["1694"]).keys() == {"morphine", "warfarin"}
    assert dict(audit.by_code["1615"]).keys() == {"diazepam", "hydromorphone"}
    assert len(audit.by_class["ondansetron"]) == 3
    assert len(audit.unlike) <= 3


def test_records_without_codes_are_an_error(tmp_path: Path) -> None:
    pl.DataFrame({"name": ["aspirin"]}).write_parquet(tmp_path / "orders.parquet")
    with pytest.raises(DataError, match="build the records again"):
        audit_aliases(tmp_path / "orders.parquet", load_aliases())
