"""Tables 1 to 4 from the paper's own counts are the paper's tables, and say what they are made from."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import paper_scores
from evrev.errors import DataError, SettingsError
from evrev.formats.settings import ModelEntry
from evrev.outputs.make import BUILDERS, make_table
from evrev.outputs.registry import TABLE_BATCH
from evrev.outputs.source import Source
from evrev.outputs.table import Row, Table
from evrev.statistics.analyse import analyse
from evrev.statistics.result import Statistics

UNREAD = dict.fromkeys(("unsupported_any", "fabricated", "missing"))
REPORT: dict[str, Any] = {
    "planned": 20,
    "taken": 20,
    "limit": None,
    "considered": 77,
    "eligible": 41,
    "exclusions": {},
}


def statistics(
    folder: Path, models: dict[str, ModelEntry], change: paper_scores.Change | None = None
) -> Statistics:
    names = {entry.label: name for name, entry in models.items()}
    paper_scores.write_scores(folder / "scores.duckdb", names=names, change=change)
    return analyse(scores=folder, plan=paper_scores.heldout(), out=folder)


def source(made: Statistics, models: dict[str, ModelEntry], **other: Any) -> Source:
    given: dict[str, Any] = {
        "statistics": made,
        "plan": paper_scores.heldout(),
        "models": models,
        "study": "demo",
        "run": "aaaaaaaaaaaa",
        "digest": "cccccccccccc",
        "scores": "bbbbbbbbbbbb",
        "partial": {},
        "notes": REPORT,
    }
    return Source(**{**given, **other})


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Source:
    models = paper_scores.models()
    return source(statistics(tmp_path_factory.mktemp("real"), models), models)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripted")
    statistics(folder, paper_scores.models("scripted"))
    return folder


def make(folder: Path, out: Path, numbers: tuple[int, ...] = (1, 2, 3, 4), **other: Any) -> dict[str, str]:
    given: dict[str, Any] = {
        "statistics": folder,
        "plan": paper_scores.heldout(),
        "models": paper_scores.models("scripted"),
        "study": "synthetic-scripted",
        "run": "aaaaaaaaaaaa",
        "digest": "cccccccccccc",
        "partial": {},
        "notes": REPORT,
        "out": out,
    }
    made = [path for number in numbers for path in make_table(number, **{**given, **other})]
    return {path.relative_to(out).as_posix(): path.read_text("utf-8") for path in made}


def as_printed(table: Table) -> list[dict[str, str]]:
    names = [column.name for column in table.columns if not column.ours]
    return [{name: row.cells[name].plain for name in names} for row in table.rows if not row.beyond]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_table_from_the_papers_counts_is_the_papers(real: Source, number: int) -> None:
    assert as_printed(BUILDERS[number](real)) == paper_scores.paper(number)


def test_table_4_from_the_papers_phase_means_is_the_papers(real: Source) -> None:
    """Ratios of means that are only known to the unit can miss the printed ratio by its last digit."""
    for made, printed in zip(as_printed(BUILDERS[4](real)), paper_scores.paper(4), strict=True):
        for name in ("ratio_total", "ratio_use_prompt"):
            assert float(made.pop(name)) == pytest.approx(float(printed.pop(name)), abs=0.0101)
        assert made == printed


def test_the_ratio_of_re_reading_to_itself_is_one(real: Source) -> None:
    rows = [row for row in as_printed(BUILDERS[4](real)) if row["pipeline"] == "reread"]
    assert {(row["ratio_total"], row["ratio_use_prompt"]) for row in rows} == {("1.00", "1.00")}


def test_the_printed_layout_is_the_papers(real: Source) -> None:
    assert first(BUILDERS[1](real)) == ["Qwen", "re-read", "18", "18", "0", "18/20", "0", "1827", "1911"]
    assert first(BUILDERS[2](real)) == ["Qwen", "cache", "2/20", "0/20", "2 / 0", "0.25", "0.0167", "no"]
    table3 = ["Qwen", "E0", "re-read", "18 [0.68–0.99]", "—", "0 [0.00–0.17]", "2", "2", "—", "18", "1764"]
    assert first(BUILDERS[3](real)) == table3
    table4 = ["Qwen", "E0", "re-read", "0", "0", "1466", "298", "1764", "1.00", "1.00"]
    assert first(BUILDERS[4](real)) == table4


def first(table: Table) -> list[str]:
    return table.printed(table.rows[0])


def test_every_table_with_a_batch_can_be_built() -> None:
    assert BUILDERS.keys() == TABLE_BATCH.keys()


def test_the_csv_keeps_means_and_limits_unrounded(scripted: Path, tmp_path: Path) -> None:
    files = make(scripted, tmp_path)
    rows = list(csv.DictReader(io.StringIO(files["tables/table3.csv"])))
    assert rows[0]["strict_ci_lo"].startswith("0.6830")
    costs = list(csv.DictReader(io.StringIO(files["tables/table4.csv"])))
    assert costs[16]["total"] == "1945.3"
    tests = list(csv.DictReader(io.StringIO(files["tables/table2.csv"])))
    assert tests[3]["p_one_sided"] == "0.96875"


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_csv_starts_with_the_papers_columns(scripted: Path, tmp_path: Path, number: int) -> None:
    header = make(scripted, tmp_path)[f"tables/table{number}.csv"].split("\n", 1)[0].split(",")
    printed = list(paper_scores.paper(number)[0])
    assert header[: len(printed)] == printed


def test_a_scripted_reader_is_named_before_any_title(scripted: Path, tmp_path: Path) -> None:
    words = "[scripted reader, not a model result]"
    for name, text in make(scripted, tmp_path).items():
        if name.endswith(".csv"):
            rows = list(csv.DictReader(io.StringIO(text)))
            assert all(row["title"].startswith(words) for row in rows), name
            assert {row["reader_kind"] for row in rows} == {"scripted"}, name
        elif name.endswith(".md"):
            assert text.startswith(f"# {words} Table "), name
        else:
            assert r"\caption[{{[}scripted reader, not a model result{]} Held-out run" in text, name


def test_a_study_of_real_models_carries_no_such_words(real: Source) -> None:
    assert [BUILDERS[n](real).heading for n in (1, 2)] == [
        "Table 1: Held-out run, medication endpoints",
        "Table 2: Held-out run, primary test on unsupported additions in E4",
    ]


def test_a_study_that_mixes_kinds_names_the_reader_in_every_row(tmp_path: Path) -> None:
    mixed = {"qwen2.5-7b": paper_scores.models()["qwen2.5-7b"]}
    mixed["scripted-mistral"] = paper_scores.models("scripted")["scripted-mistral"]
    table = BUILDERS[1](source(statistics(tmp_path, mixed), mixed))
    assert table.heading.startswith("[in part scripted reader, not a model result] Table 1")
    shown = list(dict.fromkeys(table.printed(row)[0] for row in table.rows))
    assert shown == ["Qwen (qwen2.5-7b)", "Mistral (scripted-mistral)"]


def test_rows_of_the_papers_models_that_did_not_run_say_so(real: Source) -> None:
    one = {"qwen2.5-7b": paper_scores.models()["qwen2.5-7b"]}
    for number, build in BUILDERS.items():
        table = build(source(real.statistics, one))
        lacking = [row for row in table.rows if row.cells["model"].plain == "Mistral"]
        assert lacking, number
        assert {text for row in lacking for text in beyond_keys(table, row)} == {"not run"}, number


def beyond_keys(table: Table, row: Row) -> list[str]:
    return [
        text
        for shown, text in zip(table.layout, table.printed(row), strict=True)
        if shown.main not in {"model", "pipeline", "condition"}
    ]


def test_fewer_patients_than_planned_are_stated_with_the_reason(real: Source) -> None:
    report = {
        **REPORT,
        "planned": 25,
        "eligible": 20,
        "exclusions": {"no problem": 30, "fewer than 3 drugs": 27},
    }
    table = BUILDERS[3](source(real.statistics, dict(real.models), notes=report))
    assert (
        "n = 20 patients per cell; the plan states 25: 20 of 77 considered were eligible; excluded: fewer "
        "than 3 drugs 27, no problem 30. Counts are out of this n, not of the plan's."
    ) in table.notes
    assert table.planned == 25


def test_a_limit_in_the_settings_is_stated(real: Source) -> None:
    table = BUILDERS[1](source(real.statistics, dict(real.models), notes={"planned": 30, "limit": 20}))
    assert any("the settings limit the run to 20" in note for note in table.notes)


def test_role_failures_finish_reasons_and_provenance_stand_under_every_table(real: Source) -> None:
    for build in BUILDERS.values():
        table = build(real)
        text = "\n".join(table.notes)
        assert text.startswith(
            "Role: confirm. (Held-out run, small size).\nReaders: Qwen = Qwen/Qwen2.5-7B-Instruct"
        )
        assert "n = 20 patients per cell; the plan states 20." in text
        assert "Failures. Qwen: execution 0 of " in text
        assert "Finish reasons of all model calls. Qwen: stop " in text
        assert table.provenance == (
            "study demo; batch heldout; run aaaaaaaaaaaa; scores bbbbbbbbbbbb; statistics cccccccccccc"
        )


def test_partial_data_is_stamped_in_every_file(scripted: Path, tmp_path: Path) -> None:
    for name, text in make(scripted, tmp_path, partial={"lab": "lab-head.csv"}).items():
        assert "partial: lab read from lab-head.csv" in text.replace(r"\_", "_").replace("-{}", "-"), name


def test_an_unread_answer_stands_beside_the_count_and_in_the_worst_case(tmp_path: Path) -> None:
    def change(table: str, row: dict[str, Any]) -> None:
        if table == "use_outcome" and row["use"] == 1 and row["trajectory"].startswith("p00000009-E4"):
            row.update(format_failure=True, strict=False, **UNREAD)

    models = paper_scores.models()
    made = source(statistics(tmp_path, models, change), models)
    table3 = BUILDERS[3](made)
    cache = next(row for row in table3.rows if key(row) == ["Qwen", "E4", "cache"])
    assert table3.printed(cache)[5] == "2 (1 unread) [0.01–0.32]"
    assert cache.cells["format_failures"].value == 1
    table2 = BUILDERS[2](made)
    scored, worst = (table2.printed(table2.rows[i]) for i in (0, 6))
    assert scored[1:5] == ["cache", "2/20 (1 unread)", "0/20 (1 unread)", "2 / 0"]
    assert worst[1:5] == ["cache, worst case", "3/20", "0/20", "3 / 0"]
    note = "Missing here: memory pipelines 6, re-reading 2."
    assert any(note in line for line in table2.notes)


def key(row: Row) -> list[str]:
    return [row.cells[name].plain for name in ("model", "condition", "pipeline")]


def test_table_2_says_which_pattern_could_have_passed(real: Source) -> None:
    assert BUILDERS[2](real).notes[-1] == (
        "Power: At n = 20 the first step asks for p of at most 0.0167; the smallest pattern in one direction "
        "that passes is 6:0 (p = 0.0156)."
    )


def test_table_2_says_when_no_pattern_could_have_passed(tmp_path: Path) -> None:
    def change(_table: str, row: dict[str, Any]) -> bool:
        return int((row.get("trajectory") or row["id"])[1:9], 16) < 5

    models = paper_scores.models()
    table = BUILDERS[2](source(statistics(tmp_path, models, change), models))
    assert table.notes[-1].startswith("Power: At n = 5 the first step")
    assert table.notes[-1].endswith("no pattern of discordant pairs can pass it.")


def test_the_same_statistics_give_the_same_bytes(scripted: Path, tmp_path: Path) -> None:
    assert make(scripted, tmp_path / "a") == make(scripted, tmp_path / "b")


def test_what_cannot_be_made_is_named(scripted: Path, real: Source, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="table 5 is not made here"):
        make(scripted, tmp_path, numbers=(5,))
    with pytest.raises(DataError, match="cannot be read"):
        make(tmp_path, tmp_path)
    bare = paper_scores.heldout().model_copy(update={"families": ()})
    with pytest.raises(SettingsError, match="declares no family for table 2"):
        BUILDERS[2](source(real.statistics, dict(real.models), plan=bare))
    fewer = real.statistics.model_copy(update={"cells": real.statistics.cells[1:]})
    with pytest.raises(DataError, match="lack mistral"):
        BUILDERS[3](source(fewer, dict(real.models)))
