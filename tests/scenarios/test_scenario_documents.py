"""D1-D3 are the first lines of the record, each from its connector source, with nothing padded."""

from __future__ import annotations

from pathlib import Path

from scenario_world import DONOR, ELSEWHERE, P, S, lines, make_world, scenario

from evrev.scenarios.cohort import Row
from evrev.scenarios.documents import first_values

LONG = S(
    orders=("aspirin 81 mg", "metoprolol 25 mg", "furosemide 40 mg", "lisinopril 5 mg", "famotidine 20 mg"),
    problems=tuple(f"cardiovascular|problem {i}" for i in range(6)),
    labs=[
        (name, value, "mmol/L")
        for value in ("1", "2")
        for name in ("sodium", "chloride", "BUN", "pH", "Hgb", "WBC")
    ],
)


def test_a_small_patient_is_four_orders_four_problems_and_five_first_values(tmp_path: Path) -> None:
    made = scenario(make_world(tmp_path, P("target", (LONG,)), DONOR, ELSEWHERE).build(), "E0")
    assert [line.split(" | ")[1] for line in lines(made, "D1")] == [
        "aspirin 81 mg",
        "metoprolol 25 mg",
        "furosemide 40 mg",
        "lisinopril 5 mg",
    ]
    assert lines(made, "D2") == tuple(f"PROBLEM | cardiovascular|problem {i}" for i in range(4))
    assert lines(made, "D3") == tuple(
        f"LAB | {n} | 1 mmol/L" for n in ("sodium", "chloride", "BUN", "pH", "Hgb")
    )


def test_documents_come_from_the_connector_sources_of_the_paper_in_scenario_order(tmp_path: Path) -> None:
    found = make_world(tmp_path, P("target"), DONOR, ELSEWHERE).build()
    for event, added in (("E0", []), ("E1", ["pharmacy"]), ("E1b", ["pharmacy"]), ("E4", ["ehr"])):
        made = scenario(found, event)
        assert [d.id for d in made.documents] == ["D1", "D2", "D3", "D4"][: 3 + len(added)]
        assert [d.source for d in made.documents] == ["pharmacy", "ehr", "lab", *added]
        assert all(len(d.versions) == 1 and d.versions[0].version == 1 for d in made.documents)


def test_a_short_record_is_shown_short(tmp_path: Path) -> None:
    made = scenario(make_world(tmp_path, P("target"), DONOR, ELSEWHERE).build(), "E0")
    assert [len(d.versions[0].lines) for d in made.documents] == [3, 1, 1]


def test_the_misfiled_order_is_headed_like_the_patients_own_orders(tmp_path: Path) -> None:
    made = scenario(make_world(tmp_path, P("target"), DONOR, ELSEWHERE).build(), "E1")
    own, misfiled = made.documents[0], made.documents[3]
    assert (own.title, own.kind) == (misfiled.title, misfiled.kind)


def test_a_name_that_repeats_keeps_its_first_value() -> None:
    results = [Row("K", "LAB | K | 4"), Row("Na", "LAB | Na | 140"), Row("K", "LAB | K | 5")]
    assert [row.line for row in first_values(results)] == ["LAB | K | 4", "LAB | Na | 140"]
