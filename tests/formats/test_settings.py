"""A wrong setting is named, with the allowed values and the nearest spelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from evrev.errors import SettingsError
from evrev.formats.plan import load_plan
from evrev.formats.settings import load_models, load_settings, parse_settings


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({"modles": "x"}, r"unknown key 'modles' \(did you mean 'models'\?\)"),
        ({"patients": 0}, "patients: Input should be greater than or equal to 1, not 0"),
        ({"patients": "many"}, "patients: Input should be a valid integer"),
        ({"source": "mimic"}, "source: Input should be 'synthetic' or 'eicu_demo', not 'mimic'"),
        ({"models": "scripted-quen"}, r"no model 'scripted-quen' \(did you mean 'scripted-qwen'\?\)"),
        ({"models": ""}, "models: "),
        ({"source": "eicu_demo"}, "source eicu_demo needs a folder"),
        ({"study": "../elsewhere"}, "study: String should match pattern"),
        ({"concurrency": 0}, "concurrency: "),
    ],
)
def test_a_wrong_setting_is_named(raw: dict[str, object], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        parse_settings(raw)


def test_the_shipped_settings_are_valid_and_state_every_key() -> None:
    assert load_settings() == parse_settings({})


def test_an_override_wins_over_the_file() -> None:
    assert load_settings(("patients=3", "models=scripted-qwen")).patients == 3


def test_an_override_without_a_value_is_an_error() -> None:
    with pytest.raises(SettingsError, match="'patients' is not KEY=VALUE"):
        load_settings(("patients",))


def test_every_shipped_model_is_valid() -> None:
    assert {entry.kind for entry in load_models().values()} >= {"real", "scripted"}


def test_every_shipped_plan_is_valid(root: Path) -> None:
    for path in (root / "config" / "batches").glob("*.yaml"):
        assert load_plan(path.parent, path.stem).batch == path.stem


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("batch: heldout", "batch: other\n"),
        ("alternative: greater", "alternative: less\n"),
        ("reference: reread", "reference: stateless\n"),
        ("patients: {partition: sealed, n: 20}", "patients: {partition: sealed}\n"),
        ("title: Held-out run, small size", "titel: x\n"),
    ],
)
def test_a_wrong_plan_is_named(root: Path, tmp_path: Path, change: str, says: str) -> None:
    text = (root / "config" / "batches" / "heldout.yaml").read_text()
    assert change in text
    (tmp_path / "heldout.yaml").write_text(text.replace(change, says.strip()))
    with pytest.raises(SettingsError, match=r"heldout\.yaml: "):
        load_plan(tmp_path, "heldout")


def test_an_unknown_batch_lists_the_batches_there_are(root: Path) -> None:
    with pytest.raises(SettingsError, match=r"no batch 'heldut' \(did you mean 'heldout'\?\)"):
        load_plan(root / "config" / "batches", "heldut")
