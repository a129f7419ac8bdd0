"""The mess of the tables, real and synthetic alike, and what becomes of it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from records_world import Built

PLACEHOLDERS = {"pyxis", ".stk-med", "misc", ".route", "device", "see admin notes"}


def collapsed(text: str) -> str:
    return " ".join(text.split())


def test_unnamed_orders_are_counted_and_never_rendered(records: Built) -> None:
    raw = records.raw("medication")
    unnamed = [row for row in raw if not row["drugname"].strip()]
    coded = [row for row in unnamed if row["drughiclseqno"].strip()]
    assert 0.37 < len(unnamed) / len(raw) < 0.43
    assert len(coded) / len(unnamed) > 0.9
    report = records.report.tables["medication"]
    assert report.excluded["unnamed"] == len(unnamed)
    assert report.notes["unnamed with a HICL code"] == len(coded)
    assert "" not in records.frame("orders")["name"].to_list()


def test_names_keep_their_case_and_lose_their_double_blanks(records: Built) -> None:
    raw = records.raw_by_id("medication")
    orders = records.frame("orders")
    assert any("  " in raw[number]["drugname"] for number in orders["medication_id"])
    for number, name in orders.select("medication_id", "name").iter_rows():
        assert name == collapsed(raw[number]["drugname"])
    assert any("fentaNYL" in name for name in orders["name"])


def test_every_rendered_line_is_one_clean_line(records: Built) -> None:
    for file, start in (
        ("orders", "MEDICATION | "),
        ("problems", "PROBLEM | "),
        ("labs", "LAB | "),
        ("treatments", "TREATMENT | "),
    ):
        for line in records.frame(file)["line"]:
            assert line.startswith(start)
            assert line == collapsed(line)
            assert len(line.splitlines()) == 1


def test_cancelled_orders_are_never_rendered(records: Built) -> None:
    cancelled = {
        number
        for number, row in records.raw_by_id("medication").items()
        if row["drugordercancelled"] == "Yes"
    }
    assert cancelled
    assert not cancelled & set(records.frame("orders")["medication_id"])


def test_a_dose_is_shown_with_a_digit_and_a_unit_or_not_at_all(records: Built) -> None:
    raw = records.raw_by_id("medication")
    shown: dict[str, str] = {}
    for number, dose in records.frame("orders").select("medication_id", "dose").iter_rows():
        shown[collapsed(raw[number]["dosage"])] = dose
    for recorded, dose in shown.items():
        readable = re.search(r"[0-9]", recorded) and re.search(r"[A-Za-z%]", recorded)
        assert dose == (recorded if readable else "")
    assert shown["40 3"] == shown["1 5002"] == shown["PYXIS"] == shown["40"] == ""
    assert not shown.get("ML")
    assert not shown.get("Manual Charge")
    assert shown["40 mg"] == "40 mg"
    assert any(re.match(r"[0-9]+-[0-9]+ ", dose) for dose in shown.values())


def test_routes_and_frequencies_are_verbatim_but_for_placeholders(records: Built) -> None:
    raw = records.raw_by_id("medication")
    seen = set()
    for row in records.frame("orders").iter_rows(named=True):
        source = raw[row["medication_id"]]
        for field, column in (("route", "routeadmin"), ("frequency", "frequency")):
            recorded = collapsed(source[column])
            hidden = recorded.casefold() in PLACEHOLDERS
            seen |= {recorded.casefold()} if hidden else set()
            assert row[field] == ("" if hidden else recorded)
    assert seen >= {"pyxis", ".stk-med", "misc", ".route", "device"}
    assert any(len(row["frequency"]) > 70 for row in raw.values())


def test_the_window_looks_at_the_start_only(records: Built) -> None:
    ends = dict(records.frame("stays").select("stay", "unit_discharge_offset").iter_rows())
    raw = records.raw_by_id("medication")
    orders = records.frame("orders")
    for stay, start in orders.select("stay", "start").iter_rows():
        assert -1440 <= start <= ends[stay]
    kept = [raw[number] for number in orders["medication_id"]]
    assert any(int(row["drugstartoffset"]) < 0 for row in kept)
    assert any(int(row["drugstopoffset"]) < int(row["drugstartoffset"]) for row in kept)
    assert any(int(row["drugstopoffset"]) == 0 for row in kept)
    assert any(not -1440 <= int(row["drugstartoffset"]) <= 100_000 for row in raw.values())


@pytest.mark.parametrize(
    ("file", "table", "number", "offset"),
    [
        ("labs", "lab", "lab_id", "labresultoffset"),
        ("treatments", "treatment", "treatment_id", "treatmentoffset"),
    ],
)
def test_the_same_window_holds_for_every_table(
    records: Built, file: str, table: str, number: str, offset: str
) -> None:
    ends = dict(records.frame("stays").select("stay", "unit_discharge_offset").iter_rows())
    rows = records.raw_by_id(table)
    inside = {
        n for n, row in rows.items() if -1440 <= int(row[offset]) <= ends[int(row["patientunitstayid"])]
    }
    assert 0 < len(inside) < len(rows)
    assert set(records.frame(file)[number]) == inside


def test_an_icu_day_is_24_hours_and_day_0_holds_what_came_before(records: Built) -> None:
    for file, offset in (("orders", "start"), ("labs", "offset"), ("treatments", "offset")):
        for at, day in records.frame(file).select(offset, "day").iter_rows():
            assert day == max(0, at // 1440)


def test_a_person_has_up_to_24_stays_in_order_of_year_visit_and_id(records: Built) -> None:
    stays = records.frame("stays")
    assert max(Counter(stays["person"]).values()) == 24
    raw = records.raw_by_id("patient")
    columns = ("hospitaldischargeyear", "unitvisitnumber", "patientunitstayid")
    for _, theirs in stays.group_by("person", maintain_order=True):
        keys = [tuple(int(raw[stay][column]) for column in columns) for stay in theirs["stay"]]
        assert keys == sorted(keys)
        assert theirs["stay_order"].to_list() == list(range(theirs.height))
        assert theirs["partition"].n_unique() == 1
    assert any(row["age"] == "> 89" for row in raw.values())
    assert set(stays["age"]) >= {"> 89"}


def test_problems_are_the_distinct_paths_in_first_seen_order(records: Built) -> None:
    ends = dict(records.frame("stays").select("stay", "unit_discharge_offset").iter_rows())
    expected: dict[int, list[str]] = {}
    raw = records.raw("diagnosis")
    for row in sorted(raw, key=lambda row: (int(row["diagnosisoffset"]), int(row["diagnosisid"]))):
        stay = int(row["patientunitstayid"])
        if -1440 <= int(row["diagnosisoffset"]) <= ends[stay]:
            paths = expected.setdefault(stay, [])
            path = collapsed(row["diagnosisstring"])
            if path not in paths:
                paths.append(path)
    found: dict[int, list[str]] = {}
    for stay, position, path in records.frame("problems").select("stay", "position", "path").iter_rows():
        assert position == len(found.setdefault(stay, []))
        found[stay].append(path)
    assert found == expected
    assert sum(map(len, found.values())) < 0.6 * len(raw)


def test_laboratory_values_are_the_recorded_text_whatever_the_number_says(records: Built) -> None:
    raw = records.raw_by_id("lab")
    censored = wrong = unitless = 0
    for row in records.frame("labs").iter_rows(named=True):
        source = raw[row["lab_id"]]
        text, number = collapsed(source["labresulttext"]), source["labresult"]
        assert row["text"] == text
        assert row["unit"] == source["labmeasurenamesystem"]
        assert row["line"] == collapsed(f"LAB | {source['labname']} | {text} {row['unit']}")
        censored += text[0] in "<>" and number == ""
        wrong += source["labname"] == "FiO2" and number != "" and float(number) == 100 * float(text) > 100
        unitless += row["unit"] == ""
    assert censored > 5
    assert wrong
    assert unitless


def test_repeats_of_a_line_are_dropped_without_regard_to_case_and_the_first_stays(records: Built) -> None:
    orders = records.frame("orders")
    assert records.report.tables["medication"].excluded["repeated line"] > 0
    seen = Counter((stay, line.casefold()) for stay, line in orders.select("stay", "line").iter_rows())
    assert max(seen.values()) == 1
    keys = list(orders.select("stay", "start", "order_offset", "medication_id").iter_rows())
    assert keys == sorted(keys)


def test_fluids_and_other_non_drugs_are_left_out(records: Built) -> None:
    from evrev.medication import is_not_a_drug

    report = records.report.tables["medication"]
    candidates = report.kept + report.excluded["not a drug"] + report.excluded["repeated line"]
    assert 0.10 < report.excluded["not a drug"] / candidates < 0.22
    assert not any(is_not_a_drug(name) for name in set(records.frame("orders")["name"]))


def test_every_row_is_accounted_for_once(records: Built) -> None:
    for name, table in records.report.tables.items():
        assert table.rows == table.kept + sum(table.excluded.values()), name
        assert table.rows == len(records.raw(name))
