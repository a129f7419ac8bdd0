"""The alias table: what it must hold, how it is applied, and how a bad one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from evrev.errors import DataError
from evrev.medication import AliasTable, load_aliases, medication_class, medication_key

HEADER = "alias,ingredients,kind,note\n"
INGREDIENTS = {
    "ZOFRAN ODT": "ondansetron",
    "LASIX": "furosemide",
    "TYLENOL": "acetaminophen",
    "PROTONIX": "pantoprazole",
    "LOVENOX": "enoxaparin",
    "ATIVAN": "lorazepam",
    "COLACE": "docusate",
    "SoluMedrol": "methylprednisolone",
    "Solu-MEDROL (PF)": "methylprednisolone",
    "NORMODYNE;TRANDATE": "labetalol",
    "TOPROL XL": "metoprolol",
    "NSS 0.9% 500 mL bolus infusion": "sodium chloride",
    "0.9%NaCl 1,000 mL": "sodium chloride",
    "NORMAL SALINE FLUSH": "sodium chloride",
    "saline lock 0.9 % flush 10 mL": "sodium chloride",
    "HumaLOG": "insulin lispro",
    "INSULIN HUMALOG (PER UNIT)": "insulin lispro",
    "LANTUS": "insulin glargine",
    "NovoLOG Flexpen": "insulin aspart",
    "HumuLIN R": "insulin regular",
    "SENNOSIDES 8.6 MG ORAL TAB": "senna",
    "Milk of Magnesia": "magnesium hydroxide",
}
COMBINATIONS = {
    "NORCO 5/325 TAB": {"hydrocodone", "acetaminophen"},
    "PERCOCET 5MG/325MG": {"oxycodone", "acetaminophen"},
    "ZOSYN 3.375 GRAM in NS 100 mL IVPB": {"piperacillin", "tazobactam"},
    "DUONEB": {"ipratropium", "albuterol"},
    "SENOKOT-S TAB": {"senna", "docusate"},
    "ADVAIR DISKUS": {"fluticasone", "salmeterol"},
    "Maalox": {"aluminum hydroxide", "magnesium hydroxide", "simethicone"},
    "Tylenol #3": {"acetaminophen", "codeine"},
}


@pytest.fixture(scope="module")
def aliases() -> AliasTable:
    return load_aliases()


@pytest.mark.parametrize(("name", "ingredient"), INGREDIENTS.items())
def test_a_brand_stands_for_its_ingredient(aliases: AliasTable, name: str, ingredient: str) -> None:
    found = medication_class(name, aliases)
    assert (found.key, found.ambiguous) == (ingredient, False)
    assert medication_class(ingredient, aliases) == found


@pytest.mark.parametrize(("name", "components"), COMBINATIONS.items())
def test_a_brand_that_looks_single_and_is_a_combination_is_ambiguous(
    aliases: AliasTable, name: str, components: set[str]
) -> None:
    found = medication_class(name, aliases)
    assert found.ambiguous
    assert set(found.components) == components
    assert found.key == "+".join(sorted(components))


def test_the_components_of_a_combination_are_resolved_too(aliases: AliasTable) -> None:
    assert medication_class("SENNOSIDES-DOCUSATE SODIUM 8.6-50 MG PO TABS", aliases).components == (
        "senna",
        "docusate",
    )
    assert medication_class("LOSARTAN-HCTZ 50-12.5", aliases).components == (
        "losartan",
        "hydrochlorothiazide",
    )


def test_a_brand_of_insulins_of_several_types_is_ambiguous(aliases: AliasTable) -> None:
    found = medication_class("HumuLIN 70/30", aliases)
    assert (found.key, found.ambiguous) == ("insulin", True)


def test_two_names_of_one_ingredient_joined_are_that_ingredient(aliases: AliasTable) -> None:
    found = medication_class("aspirin/ecotrin", aliases)
    assert (found.key, found.ambiguous) == ("aspirin", False)


def test_the_table_can_be_switched_off() -> None:
    assert medication_class("LASIX 40 MG", None) == medication_key("LASIX 40 MG")


def test_a_key_the_table_does_not_hold_is_left_alone(aliases: AliasTable) -> None:
    key = medication_key("furosemide")
    assert aliases.resolve(key) is key


def test_resolving_twice_changes_nothing(aliases: AliasTable) -> None:
    for row in aliases.rows:
        once = aliases.resolve(medication_key(row.alias))
        assert aliases.resolve(once) == once
        assert once != medication_key(row.alias)


def test_every_row_with_several_ingredients_gives_an_ambiguous_key(aliases: AliasTable) -> None:
    for row in aliases.rows:
        found = aliases.resolve(medication_key(row.alias))
        assert found.ambiguous == (len(row.ingredients) > 1 or found.key == "insulin"), row


def test_the_table_is_sorted_and_holds_a_few_hundred_rows(aliases: AliasTable) -> None:
    names = [row.alias for row in aliases.rows]
    assert names == sorted(names)
    assert 300 < len(names) < 1000
    assert {row.kind for row in aliases.rows} == {"brand", "abbreviation", "synonym"}


def write(folder: Path, text: str) -> Path:
    path = folder / "aliases.csv"
    path.write_text(text, "utf-8")
    return path


def test_an_alias_of_an_alias_is_followed_to_the_end(tmp_path: Path) -> None:
    table = load_aliases(write(tmp_path, HEADER + "bayer,asa,brand,\nasa,aspirin,abbreviation,\n"))
    assert table.resolve(medication_key("BAYER CHEWABLE")).key == "aspirin"


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("alias,ingredients,note\nlasix,furosemide,\n", "no column 'kind'", "aliases.csv"),
        ("", "no column 'alias'", "aliases.csv"),
        (HEADER + "lasix,furosemide\n", "2 fields where the header has 4", "aliases.csv:2"),
        (HEADER + "lasix,furosemide,brand,\nlasix,torsemide,brand,\n", "given twice", "aliases.csv:3"),
        (
            HEADER + "lasix,furosemide,brnad,\n",
            "unknown kind 'brnad' (did you mean 'brand'?)",
            "aliases.csv:2",
        ),
        (HEADER + "aspirin,aspirin,synonym,\n", "its own ingredient", "aliases.csv:2"),
        (HEADER + "norco,norco+aspirin,brand,\n", "its own ingredient", "aliases.csv:2"),
        (
            HEADER + "bayer,ecotrin,brand,\necotrin,bayer,brand,\n",
            "cycle: bayer -> ecotrin -> bayer",
            "aliases.csv:2",
        ),
        (HEADER + "LASIX,furosemide,brand,\n", "'LASIX' is not a lexical key", "aliases.csv:2"),
        (
            HEADER + "lasix,furosemide 40 mg,brand,\n",
            "'furosemide 40 mg' is not a lexical key",
            "aliases.csv:2",
        ),
        (HEADER + "lasix,,brand,\n", "'' is not a lexical key", "aliases.csv:2"),
        (HEADER + '"lasix,furosemide,brand,\n', "cannot be read", "aliases.csv"),
    ],
)
def test_a_malformed_table_is_refused_with_the_row_named(
    tmp_path: Path, text: str, message: str, where: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DataError) as caught:
        load_aliases(path)
    assert message in caught.value.what
    assert str(caught.value.where).endswith(where)


def test_an_absent_or_binary_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load_aliases(tmp_path / "absent.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read"):
        load_aliases(tmp_path / "binary.csv")
