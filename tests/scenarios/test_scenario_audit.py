"""The gold audit: it agrees with the builder on every record, shares no code with it, and can disagree."""

from __future__ import annotations

import ast
import gzip
import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from plan_world import Everything, plan_named
from scenario_world import ROOT, contract

from evrev.errors import DataError
from evrev.formats.canonical import write_json
from evrev.formats.scenario import Document, Revision, Scenario, Version
from evrev.formats.scenario_io import load_scenarios
from evrev.medication import load_aliases
from evrev.scenarios.audit import Batch, Report, Source, audit_batch
from evrev.scenarios.audit.sheet import sheet
from evrev.scenarios.build import build_scenarios

ROOM = ROOT / "workflow" / "evrev" / "scenarios"
FILES = (("orders", "orders"), ("problems", "problems"), ("labs", "results"), ("treatments", "treatments"))


@pytest.fixture
def synthetic(synthetic_batches: Everything) -> Everything:
    return synthetic_batches


@pytest.fixture
def source(synthetic_source: Source) -> Source:
    return synthetic_source


def audited(source: Source, folder: Path) -> Report:
    report = Report()
    audit_batch(source, Batch(folder.name, folder), contract(), report)
    return report


# Agreement ----------------------------------------------------------------------------------------


def test_every_synthetic_scenario_agrees(synthetic: Everything, source: Source) -> None:
    report = Report()
    for batch, folder in synthetic.folders.items():
        assert len(audit_batch(source, Batch(batch, folder), contract(), report)) == len(
            synthetic.found[batch]
        )
    assert report.findings == []
    assert report.compared["support"] == len(synthetic.all())


def test_every_real_scenario_agrees(real_batches: Everything, real_source: Source) -> None:
    report = Report()
    for batch, folder in real_batches.folders.items():
        audit_batch(real_source, Batch(batch, folder), contract(), report)
    assert report.findings == []
    assert report.compared["support"] == len(real_batches.all()) > 300


def test_the_lines_of_all_real_records_are_the_same_when_derived_by_sql(
    real_batches: Everything, real_source: Source
) -> None:
    for file, table in FILES:
        record = pl.read_parquet(real_batches.records / f"{file}.parquet").select("stay", "line").rows()
        query = f"SELECT stay, line FROM {table} ORDER BY stay, position"
        assert real_source.db.execute(query).fetchall() == record
    assert real_source.db.execute("SELECT count(*) FROM stays").fetchall() == [(2520,)]


def test_the_charted_lines_are_the_same_when_derived_by_sql(synthetic: Everything, source: Source) -> None:
    record = pl.read_parquet(synthetic.records / "charting.parquet")
    for table in record["table"].unique():
        query = f"SELECT stay, day, line FROM {table}_lines ORDER BY stay, position"
        lines = record.filter(pl.col("table") == table).select("stay", "day", "line").rows()
        assert source.db.execute(query).fetchall() == lines


def test_with_the_alias_table_off_no_key_depends_on_it(synthetic: Everything, tmp_path: Path) -> None:
    build_scenarios(
        records=synthetic.records, plan=plan_named("heldout"), contract=contract(), aliases=None,
        limit=5, out=tmp_path,
    )  # fmt: skip
    report = audited(Source(synthetic.tables, None), tmp_path)
    assert (report.findings, report.alias_keys) == ([], [])


def test_keys_whose_class_depends_on_an_alias_are_listed(synthetic: Everything, source: Source) -> None:
    report = audited(source, synthetic.folders["heldout"])
    assert report.alias_keys
    for one in report.alias_keys:
        made = synthetic.found["heldout"][one.scenario]
        (entry,) = [entry for entry in made.support if entry.key == one.key]
        assert one.with_aliases == f"{entry.support_class} as {entry.resolved}"
        assert one.without != one.with_aliases
        assert f"  {one.key}: {one.with_aliases}" in str(report)


# Disagreement -------------------------------------------------------------------------------------


def first_line(document: Document, line: str) -> Document:
    first = document.versions[0]
    return document.model_copy(
        update={"versions": (Version(version=1, lines=(line, *first.lines[1:])), *document.versions[1:])}
    )


def with_document(made: Scenario, name: str, change: Callable[[Document], Document]) -> Scenario:
    documents = tuple(change(d) if d.id == name else d for d in made.documents)
    return made.model_copy(update={"documents": documents})


def swap_problems(made: Scenario) -> Scenario:
    return with_document(made, "D2", lambda d: first_line(d, "PROBLEM | somebody|else"))


def foreign_order(made: Scenario) -> Scenario:
    return with_document(made, "D4", lambda d: first_line(d, "MEDICATION | nobody's drug | | |"))


def other_class(made: Scenario) -> Scenario:
    changed = made.support[0].model_copy(update={"support_class": "irrelevant"})
    return made.model_copy(update={"support": (changed, *made.support[1:])})


def other_documents(made: Scenario) -> Scenario:
    changed = made.support[0].model_copy(update={"after": ()})
    return made.model_copy(update={"support": (changed, *made.support[1:])})


def fewer_expected(made: Scenario) -> Scenario:
    fewer = made.expected.model_copy(update={"medication_after": made.expected.medication_after[1:]})
    return made.model_copy(update={"expected": fewer})


def more_before(made: Scenario) -> Scenario:
    more = (*made.expected.medication_before, "zzz")
    return made.model_copy(update={"expected": made.expected.model_copy(update={"medication_before": more})})


def fewer_problems(made: Scenario) -> Scenario:
    fewer = made.expected.model_copy(update={"problem_paths": ()})
    return made.model_copy(update={"expected": fewer})


def dropped_result(made: Scenario) -> Scenario:
    def drop(document: Document) -> Document:
        kept = document.versions[0].lines[:-1]
        return document.model_copy(update={"versions": (Version(version=1, lines=kept),)})

    return with_document(made, "D3", drop)


def other_partition(made: Scenario) -> Scenario:
    return made.model_copy(update={"partition": "calibration"})


def other_key(made: Scenario) -> Scenario:
    return made.model_copy(update={"event_key": "aspirin"})


def replaced_instead(made: Scenario) -> Scenario:
    return made.model_copy(update={"revision": Revision(document="D4", action="replace")})


def another_document(made: Scenario) -> Scenario:
    return made.model_copy(
        update={"documents": (*made.documents, made.documents[0].model_copy(update={"id": "D5"}))}
    )


def tripled(made: Scenario) -> Scenario:
    def change(document: Document) -> Document:
        second = document.versions[1].lines[0] + " 3"
        return document.model_copy(
            update={"versions": (document.versions[0], Version(version=2, lines=(second,)))}
        )

    return with_document(made, "D4", change)


def other_value(made: Scenario) -> Scenario:
    entries = (entry.model_copy(update={"value": "1 mg"}) if entry.value else entry for entry in made.support)
    return made.model_copy(update={"support": tuple(entries)})


def allowed_treatment(made: Scenario) -> Scenario:
    return with_document(made, "D4", lambda d: d.model_copy(update={"source": "pharmacy"}))


def shorter_added(made: Scenario) -> Scenario:
    return made.model_copy(update={"documents": made.documents[:-1]})


@pytest.mark.parametrize(
    ("batch", "kind", "change", "about"),
    [
        ("heldout", "-E1-small", swap_problems, "D2 lines"),
        ("heldout", "-E1-small", dropped_result, "D3 lines"),
        ("heldout", "-E1-small", foreign_order, "D4 lines"),
        ("heldout", "-E1b-small", foreign_order, "D4 lines"),
        ("heldout", "-E0-small", other_class, "support"),
        ("heldout", "-E0-small", other_documents, "support"),
        ("heldout", "-E0-small", fewer_expected, "expected after"),
        ("heldout", "-E0-small", more_before, "expected before"),
        ("heldout", "-E0-small", fewer_problems, "expected problems"),
        ("heldout", "-E0-small", other_partition, "partition"),
        ("heldout", "-E0-small", another_document, "added documents"),
        ("heldout", "-E1-small", other_key, "event key"),
        ("heldout", "-E1-small", replaced_instead, "revision"),
        ("heldout", "-E4-small", allowed_treatment, "D4 source"),
        ("batch_c", "-E2-small", tripled, "replaced fields"),
        ("batch_c", "-E2-small", other_value, "replaced value"),
        ("screening", "-E0-large", shorter_added, "added documents"),
        ("screening", "-E0-large", dropped_result, "D3 lines"),
        ("length", "-E1-small-L", lambda made: with_document(
            made, "D5", lambda d: first_line(d, "LAB | nothing | 1")), "added documents"),
        ("growth", "-E1-small-G500", lambda made: with_document(
            made, "D5", lambda d: first_line(d, "MEDICATION | nothing | | |")), "added documents"),
    ],
)  # fmt: skip
def test_a_changed_scenario_is_found(
    synthetic: Everything,
    source: Source,
    tmp_path: Path,
    batch: str,
    kind: str,
    change: Callable[[Scenario], Scenario],
    about: str,
) -> None:
    folder = tmp_path / batch
    shutil.copytree(synthetic.folders[batch], folder)
    name = next(name for name in synthetic.found[batch] if name.endswith(kind))
    write_json(folder / f"{name}.json", change(synthetic.found[batch][name]))
    report = audited(source, folder)
    assert {finding.scenario for finding in report.findings} == {name}
    assert about in {finding.about for finding in report.findings}
    assert f"{name}: {about}: states " in str(report)


def test_a_donor_of_whom_the_line_is_not_is_found(
    synthetic: Everything, source: Source, tmp_path: Path
) -> None:
    folder = tmp_path / "heldout"
    shutil.copytree(synthetic.folders["heldout"], folder)
    report = json.loads((folder / "patients.json").read_bytes())
    name = next(name for name in report["donors"] if name.endswith("-E1-small"))
    report["donors"][name] = report["patients"][0]["patient"]
    write_json(folder / "patients.json", report)
    assert {finding.scenario for finding in audited(source, folder).findings} == {name}


def test_tables_in_which_a_row_changed_since_disagree(synthetic: Everything, tmp_path: Path) -> None:
    path = synthetic.tables["diagnosis"]
    header, *rows = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
    changed = tmp_path / "diagnosis.csv"
    changed.write_text(header + "".join(row.replace("cardiovascular|", "heart|") for row in rows))
    report = audited(
        Source(synthetic.tables | {"diagnosis": changed}, load_aliases()), synthetic.folders["heldout"]
    )
    assert {finding.about for finding in report.findings} == {"D2 lines", "expected problems"}


def test_a_patient_that_the_tables_do_not_have_disagrees_in_everything(
    synthetic: Everything, source: Source, tmp_path: Path
) -> None:
    made = next(iter(synthetic.found["heldout"].values()))
    write_json(tmp_path / f"{made.id}.json", made)
    told = {"patients": [{"patient": made.patient, "stay_order": 9, "scenarios": [made.id]}], "donors": {}}
    write_json(tmp_path / "patients.json", told)
    assert {"partition", "D1 lines", "support"} <= {f.about for f in audited(source, tmp_path).findings}


# Bad input ----------------------------------------------------------------------------------------


def test_a_table_that_is_none_is_named(synthetic: Everything, tmp_path: Path) -> None:
    bad = tmp_path / "lab.csv.gz"
    bad.write_bytes(b"no gzip")
    with pytest.raises(DataError, match="cannot be read") as caught:
        Source(synthetic.tables | {"lab": bad}, load_aliases())
    assert caught.value.where == bad


def test_an_offset_that_is_no_number_is_said(synthetic: Everything, tmp_path: Path) -> None:
    header = gzip.decompress(synthetic.tables["lab"].read_bytes()).decode().splitlines()[0]
    bad = tmp_path / "lab.csv"
    bad.write_text(f"{header}\n{','.join('x' for _ in header.split(','))}\n")
    with pytest.raises(DataError, match="whole numbers"):
        Source(synthetic.tables | {"lab": bad}, load_aliases())


def test_a_folder_whose_report_tells_no_patients_is_named(
    synthetic: Everything, source: Source, tmp_path: Path
) -> None:
    made = next(iter(synthetic.found["heldout"].values()))
    write_json(tmp_path / f"{made.id}.json", made)
    with pytest.raises(DataError, match=r"does not tell the patients") as caught:
        audited(source, tmp_path)
    assert caught.value.where == tmp_path / "patients.json"


# A sheet ------------------------------------------------------------------------------------------


def test_a_sheet_holds_the_record_the_answers_and_what_the_audit_found(
    synthetic: Everything, source: Source
) -> None:
    report = audited(source, synthetic.folders["batch_c"])
    made = load_scenarios(synthetic.folders["batch_c"])[0]
    text = sheet(made, report)
    for document in made.documents:
        for version in document.versions:
            assert all(f"    {line}\n" in text for line in version.lines)
    assert "replace D4 after use0" in text
    assert f"conflict (then {next(s.value for s in made.support if s.value)})" in text
    assert f"- medication from use1: {', '.join(made.expected.medication_after)}" in text
    assert "- no disagreement" in text
    report.check(made.id, "support", (), ("x",))
    assert f"- {made.id}: support: states nothing, the tables give x" in sheet(made, report)


# Independence -------------------------------------------------------------------------------------


def test_the_audit_imports_nothing_of_the_builder() -> None:
    allowed = ("evrev.scenarios.audit", "evrev.medication", "evrev.formats", "evrev.errors")
    for path in (ROOM / "audit").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert not name.startswith("evrev") or name.startswith(allowed), f"{path.name} imports {name}"


def test_the_import_contract_names_every_module_of_the_builder() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (found,) = [one for one in contracts if one.get("source_modules") == ["evrev.scenarios.audit"]]
    modules = {
        path.stem for path in ROOM.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    builder = modules - {"__init__", "audit"}
    assert set(found["forbidden_modules"]) == {"evrev.records", *(f"evrev.scenarios.{m}" for m in builder)}
