"""The commands of the scenario stage: one batch, every batch, the audit; and the keys of linked plans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from evrev.cli import app
from evrev.errors import EvrevError, SettingsError
from evrev.formats.canonical import write_json
from evrev.formats.manifest import read_manifest
from evrev.formats.plan import TABLE_16
from evrev.formats.settings import parse_settings
from evrev.freeze import study as study_module
from evrev.freeze.code import code_items
from evrev.freeze.stage import output_digests
from evrev.freeze.study import Study
from evrev.stages import generate, prepare, scenarios
from evrev.stages.audit import audit


def make_study(results: Path, **settings: object) -> Study:
    return Study(parse_settings({"results": str(results), "models": "scripted-qwen"} | settings))


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, list[str]]:
    """A study of one patient per batch with every batch built, and what was said."""
    study = make_study(tmp_path_factory.mktemp("study"), patients=1)
    return study, list(scenarios.build_every_batch(study))


def test_every_batch_is_built_and_told(everything: tuple[Study, list[str]]) -> None:
    study, said = everything
    for batch in study.batches:
        assert read_manifest(study.scenarios(batch)) is not None
    assert [line.split(":")[0] for line in said[:13]] == list(TABLE_16)
    assert said[0].startswith("screening: 1 of 8 planned patients")
    assert "fewer than planned, limited to 1" in said[0]
    assert said[-1].startswith("reuse of patients, batch by batch")


def test_only_the_length_batch_reads_charting(everything: tuple[Study, list[str]]) -> None:
    study, _ = everything
    assert not (study.records / "charting.parquet").exists()
    assert (study.records_of("length") / "charting.parquet").is_file()
    assert {batch for batch in study.batches if study.records_of(batch) != study.records} == {"length"}


def test_reuse_is_recorded_beside_the_scenarios(everything: tuple[Study, list[str]]) -> None:
    study, _ = everything
    told = json.loads(study.reuse.read_bytes())
    (patient,) = json.loads((study.scenarios("screening") / "patients.json").read_bytes())["patients"]
    assert {"screening", "controls", "reuse", "l1", "length"} <= set(told["patients"][patient["patient"]])
    assert told["scenarios"] == {batch: study.scenarios_key(batch) for batch in study.batches}


def test_the_manifest_says_who_was_planned_considered_and_taken(everything: tuple[Study, list[str]]) -> None:
    study, _ = everything
    manifest = read_manifest(study.scenarios("l2"))
    assert manifest is not None
    assert set(manifest.parameters) == {"l2", "heldout", "batch_c2"}
    assert set(manifest.notes["strata"]) == {"A", "B"}
    assert manifest.notes["strata"]["A"]["planned"] == 6


def test_the_audit_agrees_and_writes_a_sheet_per_scenario(
    everything: tuple[Study, list[str]], tmp_path: Path
) -> None:
    study, _ = everything
    found = audit(study, ["heldout", "batch_c"], tmp_path)
    assert found.disagreements == 0
    assert found.text.splitlines()[:2] == [
        "heldout: 4 scenarios, 0 disagreements",
        "batch_c: 1 scenarios, 0 disagreements",
    ]
    assert len(list(tmp_path.glob("heldout/*.md"))) == 4


def test_a_disagreement_ends_the_command_with_1(everything: tuple[Study, list[str]]) -> None:
    study, _ = everything
    folder = study.scenarios("batch_a")
    path = next(folder.glob("p*-E0-small.json"))
    kept, manifest = path.read_bytes(), read_manifest(folder)
    assert manifest is not None
    try:
        told = json.loads(kept)
        told["expected"]["medication_after"] = ["nothing"]
        write_json(path, told)
        names = list(manifest.outputs)
        write_json(
            folder / "manifest.json", manifest.model_copy(update={"outputs": output_digests(folder, names)})
        )
        settings = study.settings
        options = ["--set", f"results={settings.results}", "--set", "patients=1"]
        done = CliRunner().invoke(
            app, [*options, "--set", "models=scripted-qwen", "scenarios", "audit", "batch_a"]
        )
        assert done.exit_code == 1, done.output
        assert f"{path.stem}: expected after: states nothing" in done.output
    finally:
        path.write_bytes(kept)
        write_json(folder / "manifest.json", manifest)


def test_what_is_not_built_cannot_be_audited(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="the scenarios of heldout are not built"):
        audit(make_study(tmp_path), ["heldout"], None)


def test_a_batch_or_all_must_be_named(tmp_path: Path) -> None:
    for arguments in ([], ["heldout", "--all"]):
        done = CliRunner().invoke(app, ["--set", f"results={tmp_path}", "scenarios", "build", *arguments])
        assert isinstance(done.exception, SettingsError)
        assert "name a batch, or give --all" in str(done.exception)


def test_a_pipeline_that_is_not_there_yet_is_refused_by_name(everything: tuple[Study, list[str]]) -> None:
    study, _ = everything
    for batch, absent in (("batch_a", "F"), ("batch_e", "selector_l0_3")):
        with pytest.raises(SettingsError, match=f"no pipeline '{absent}'"):
            generate.run(study, batch, "scripted-qwen", "all")


def test_a_batch_that_cannot_be_built_does_not_keep_the_others_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = tmp_path / "plans"
    plans.mkdir()
    for name in ("screening", "heldout"):
        (plans / f"{name}.yaml").write_text((study_module.BATCHES / f"{name}.yaml").read_text())
    nobody = yaml.safe_load((plans / "screening.yaml").read_text())
    nobody |= {"batch": "nobody", "patients": {"partition": "development", "n": 8, "same_as": "heldout"}}
    (plans / "nobody.yaml").write_text(yaml.safe_dump(nobody))
    monkeypatch.setattr(study_module, "BATCHES", plans)
    study = make_study(tmp_path / "results")
    said: list[str] = []
    with pytest.raises(EvrevError, match="not built: nobody"):
        said.extend(scenarios.build_every_batch(study))
    assert any("nobody: not built" in line and "nobody in partition development" in line for line in said)
    assert read_manifest(study.scenarios("heldout")) is not None


def test_a_length_batch_without_its_tables_is_refused_unless_the_setting_allows_it(
    eicu_demo: Path, tmp_path: Path
) -> None:
    real = {"source": "eicu_demo", "data": str(eicu_demo), "lab": "lab.subset.csv.gz"}
    with pytest.raises(EvrevError, match="vitalPeriodic"):
        prepare.build_records(make_study(tmp_path, **real), charting=True)
    study = make_study(tmp_path, absent_tables=True, **real)
    prepare.build_records(study, charting=True)
    said = scenarios.build_scenarios(study, "length")
    assert "without the tables vitalPeriodic, nurseCharting, which are absent" in said


# Keys ---------------------------------------------------------------------------------------------------


def test_the_key_of_a_linked_plan_depends_on_the_plans_it_takes_patients_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = tmp_path / "plans"
    plans.mkdir()
    for path in study_module.BATCHES.glob("*.yaml"):
        (plans / path.name).write_text(path.read_text())
    monkeypatch.setattr(study_module, "BATCHES", plans)

    def keys() -> dict[str, str]:
        study = make_study(tmp_path)
        return {batch: study.scenarios_key(batch) for batch in study.batches}

    def changed(batch: str, old: str, new: str) -> set[str]:
        before, path = keys(), plans / f"{batch}.yaml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        after = keys()
        path.write_text(text)
        return {name for name in before if before[name] != after[name]}

    linked = {"screening", "controls", "reuse", "l1", "length", "batch_e"}
    assert changed("screening", "n: 8", "n: 7") == linked
    assert changed("heldout", "n: 20", "n: 19") == {"heldout", "batch_c2", "l2", "l3"}
    assert changed("batch_c", "n: 13", "n: 12") == {"batch_c", "batch_e", "l3"}
    assert changed("length", "levels: [S, M", "levels: [M") == {"length"}
    assert changed("screening", "title: ", "title: another ") == set()


def test_the_audit_is_not_part_of_what_decides_a_scenario() -> None:
    assert not any("audit" in name for name in code_items("agent"))
    assert "scenarios/draw.py" in code_items("scenarios")
    assert "prompts/document.j2" in code_items("scenarios")
