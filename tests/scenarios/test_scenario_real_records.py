"""On the real tables (with a laboratory extract) and on the embedded ones the held-out run can be built.

The figures of the paper are bounds of plausibility here: its own persons are not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import polars as pl
import pytest
from jinja2 import Environment, FileSystemLoader
from scenario_world import ROOT, World

from evrev.formats.plan import Plan, load_plan
from evrev.formats.scenario import Scenario
from evrev.medication import medication_class
from evrev.records.build import build_records
from evrev.scenarios.cohort import read_cohort
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.support import order_name, version_after
from evrev.tokenizers import counter


@dataclass
class Built:
    """The held-out batch of one source."""

    world: World
    plan: Plan
    found: dict[str, Scenario] = field(default_factory=dict)


def _built(folder: Path, source: str, data: Path | None = None, lab: str | None = None) -> Built:
    records = folder / "records"
    records.mkdir()
    build_records(source=source, data=data, lab=lab, out=records)
    made = Built(World(records), load_plan(ROOT / "config" / "batches", "heldout"))
    made.found = made.world.build(made.plan)
    return made


@pytest.fixture(scope="module")
def real(eicu_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return _built(tmp_path_factory.mktemp("real"), "eicu_demo", eicu_demo, "lab.subset.csv.gz")


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return _built(tmp_path_factory.mktemp("synthetic"), "synthetic")


@pytest.fixture(params=["real", "synthetic"])
def built(request: pytest.FixtureRequest) -> Built:
    made = request.getfixturevalue(request.param)
    assert isinstance(made, Built)
    return made


def test_the_laboratory_extract_leaves_about_eighteen_sealed_persons(real: Built) -> None:
    report = real.world.report
    assert report["considered"] == 818
    assert 12 <= report["eligible"] <= 26


def test_the_embedded_records_hold_the_twenty_patients_of_the_held_out_run(synthetic: Built) -> None:
    assert synthetic.world.report["taken"] == 20
    assert len(synthetic.found) == 80


def test_the_build_is_the_same_twice(built: Built) -> None:
    def files(world: World) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in world.out.iterdir()}

    first = files(built.world)
    again = World(built.world.folder)
    again.build(built.plan)
    assert files(again) == first


def test_two_patients_get_the_scenarios_they_have_among_twenty(built: Built) -> None:
    few = World(built.world.folder).build(built.plan, limit=2)
    assert len(few) == 8
    assert few.items() <= built.found.items()


def test_every_cell_has_the_same_patients_with_the_same_documents(built: Built) -> None:
    cells: dict[str, dict[str, tuple[str, ...]]] = {}
    for made in built.found.values():
        same = tuple(document.model_dump_json() for document in made.documents[:3])
        cells.setdefault(made.event, {})[made.patient] = same
    assert list(cells) == ["E0", "E1", "E1b", "E4"]
    assert all(cell == cells["E0"] for cell in cells.values())


def test_the_drug_of_e1_and_e4_is_in_no_other_document(built: Built) -> None:
    for made in built.found.values():
        if made.event in ("E1", "E4"):
            text = "\n".join(line for document in made.documents[:3] for line in document.versions[0].lines)
            assert re.search(rf"\b{re.escape(str(made.event_key))}\b", text, re.IGNORECASE) is None


def test_an_event_document_is_one_real_line_of_its_donor_or_of_the_patient(built: Built) -> None:
    cohort = read_cohort(built.world.folder, built.plan.patients.partition)
    of = {person.pseudonym: person for person in cohort.persons}
    for made in built.found.values():
        if made.event_document:
            person = of[built.world.report["donors"].get(made.id, made.patient)]
            rows = person.treatments if made.event == "E4" else person.orders
            (line,) = made.documents[-1].versions[0].lines
            assert line in {row.line for row in rows}
            assert made.event == "E4" or person.pseudonym != made.patient


def test_expected_lists_are_the_unambiguous_keys_of_the_lines(built: Built) -> None:
    aliases = built.world.aliases
    for made in built.found.values():
        names = [order_name(line) or "" for line in made.documents[0].versions[0].lines]
        keys = {key.key for key in (medication_class(name, aliases) for name in names) if not key.ambiguous}
        assert made.expected.medication_after == tuple(sorted(keys))
        assert len(keys) >= 3
        added = {str(made.event_key)} if made.event == "E1" else set()
        assert made.expected.medication_before == tuple(sorted(keys | added))


def test_the_name_of_every_order_can_be_read_back_from_its_line(real: Built) -> None:
    orders = pl.read_parquet(real.world.folder / "orders.parquet", columns=["name", "line"])
    assert orders["name"].to_list() == [order_name(line) for line in orders["line"]]


def test_a_treatment_can_only_name_an_unambiguous_drug_of_an_order(real: Built) -> None:
    cohort = read_cohort(real.world.folder, "sealed")
    formulary = Formulary(real.world.aliases, cohort.order_names)
    named = {formulary.treatment(row.name) for person in cohort.persons for row in person.treatments} - {None}
    assert len(named) > 20
    assert named <= formulary.known


def test_payloads_and_reading_bodies_are_of_the_papers_size(real: Built) -> None:
    payloads = [1.3 * payload_words(made) for made in real.found.values() if made.event == "E0"]
    assert 65 <= median(payloads) <= 155
    bodies = [body_tokens(made) for made in real.found.values() if made.event == "E1"]
    assert 251 <= median(bodies) <= 373


def payload_words(made: Scenario) -> int:
    """Words of the documents' lines at ingest; a bare `|` only parts fields."""
    texts = (line for document in made.documents for line in document.versions[0].lines)
    return sum(word != "|" for text in texts for word in text.split())


def body_tokens(made: Scenario) -> int:
    """Qwen2.5 tokens of the documents as re-reading shows them from use1 on, headers included."""
    folder = ROOT / "workflow" / "evrev" / "prompts"
    template = Environment(loader=FileSystemLoader(folder), autoescape=False).get_template("document.j2")
    current = [(d, v) for d in made.documents if (v := version_after(d, made.revision)) is not None]
    shown = [
        template.render(
            patient=made.patient,
            document={
                "id": d.id, "source": d.source, "title": d.title, "version": v.version, "payload": v.payload
            },
        )
        for d, v in current
    ]  # fmt: skip
    return counter("qwen2.5").count("\n".join(shown))
