"""Every stay of the real tables, and any text at all, can be rendered."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records_world import Built

from evrev.records.clinical import make_labs, make_problems, make_treatments
from evrev.records.orders import make_orders
from evrev.records.sift import Sifted
from evrev.records.tables import TABLES

FILES = {
    "orders": ("MEDICATION | ", 4),
    "problems": ("PROBLEM | ", None),
    "labs": ("LAB | ", 2),
    "treatments": ("TREATMENT | ", None),
    "charting": ("VITAL | ", 2),
}


def test_all_2520_stays_render_every_row_that_may_be(demo_charting: Built) -> None:
    stays = demo_charting.frame("stays")
    assert stays["stay"].n_unique() == 2520
    lines: dict[int, int] = dict.fromkeys(stays["stay"], 0)
    for file, (start, fields) in FILES.items():
        for stay, line in demo_charting.frame(file).select("stay", "line").iter_rows():
            assert line.startswith(start)
            assert fields is None or line.count("|") == fields
            lines[stay] += 1
    without = [stay for stay, count in lines.items() if not count]
    no_orders = set(stays["stay"]) - set(demo_charting.frame("orders")["stay"])
    assert 0 < len(without) < len(no_orders) < 2520


def test_no_line_names_a_person_or_a_stay(demo_charting: Built) -> None:
    persons = "|".join(sorted(set(demo_charting.frame("stays")["person"])))
    for file in FILES:
        assert not demo_charting.frame(file)["line"].str.contains(persons).any()


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
STAYS = pl.DataFrame({"stay": [1, 2], "unit_discharge_offset": [3000, 0]})


def _table(name: str, rows: list[tuple[list[int], list[str]]]) -> pl.DataFrame:
    table = TABLES[name]
    schema = {**dict.fromkeys(table.integers, pl.Int64), **dict.fromkeys(table.texts, pl.String)}
    return pl.DataFrame([(*numbers, *texts) for numbers, texts in rows], schema=schema, orient="row")


def _made(name: str, frame: pl.DataFrame) -> Sifted:
    if name == "medication":
        return make_orders(frame, STAYS, lambda text: text.startswith("0"))
    return {"diagnosis": make_problems, "lab": make_labs, "treatment": make_treatments}[name](frame, STAYS)


@pytest.mark.parametrize("name", ["medication", "diagnosis", "lab", "treatment"])
@settings(max_examples=40)
@given(data=st.data())
def test_rendering_any_rows_is_deterministic_and_gives_single_lines(name: str, data: st.DataObject) -> None:
    table = TABLES[name]
    number = st.integers(-3000, 4000)
    integers = [st.integers(1, 9), st.integers(1, 3), *[number] * (len(table.integers) - 2)]
    row = st.tuples(
        st.tuples(*integers).map(list), st.lists(TEXT, min_size=len(table.texts), max_size=len(table.texts))
    )
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    made = _made(name, _table(name, rows))
    random.Random(len(rows)).shuffle(rows)
    again = _made(name, _table(name, rows))
    assert again.kept["line"].to_list() == made.kept["line"].to_list()
    assert again.excluded == made.excluded
    for line in made.kept["line"]:
        assert len(line.splitlines()) == 1
        assert line == line.strip()
    assert made.kept.height + sum(made.excluded.values()) == len(rows)
