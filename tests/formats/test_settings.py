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
        ({"patients": True}, "patients: must be a number"),
        ({"patients": 10**20}, "patients: "),
        ({"timeout": float("inf")}, "timeout: "),
        ({"models": "scripted-quen"}, r"no model 'scripted-quen' \(did you mean 'scripted-qwen'\?\)"),
        ({"models": "scripted-qwen, scripted-qwen"}, "models: 'scripted-qwen' stands twice"),
        ({"thaw": "heldut"}, r"no batch 'heldut' \(did you mean 'heldout'\?\)"),
        ({"study": "latest"}, "study: results/latest is the link"),
        ({"results": "a{b}"}, "results: must be a path without braces"),
        ({"results": __file__}, "config: results: .*test_settings.py: is not a folder"),
        ({"results": f"{__file__}/below"}, "config: results: .*test_settings.py: is not a folder"),
        ({"data": "tables"}, "source synthetic takes no data folder"),
        ({"lab": "lab.csv"}, "source synthetic takes no data folder and no lab file"),
        (
            {"source": "eicu_demo", "data": "d", "lab": "/d/lab.csv"},
            "lab: names a file inside the data folder",
        ),
        (
            {"endpoint": "http://127.0.0.1:8000/v1"},
            "an endpoint is given, but scripted-qwen, scripted-mistral",
        ),
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


@pytest.mark.parametrize("folder", ["2024", "a: b", "[x", "~x", "yes", "{a", "*b", "#c", "it's", "null"])
def test_an_override_is_taken_as_it_stands(folder: str) -> None:
    assert load_settings(("source=eicu_demo", f"data={folder}")).data == folder


def test_a_key_without_a_value_has_its_default() -> None:
    assert load_settings(("models=", "patients=")) == load_settings()


def test_a_number_may_name_a_folder_and_a_tilde_is_the_home_folder() -> None:
    assert parse_settings({"source": "eicu_demo", "data": 2024}).data == "2024"
    assert parse_settings({"results": "~/results"}).results == str(Path.home() / "results")


@pytest.mark.parametrize("content", [b"- a\n", b"text", b"\xff", b"a: [1"])
def test_a_file_that_holds_no_settings_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    for read in (lambda: load_settings((), path), lambda: load_models(path)):
        with pytest.raises(SettingsError, match=r"config\.yaml: (not YAML|holds no keys)"):
            read()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("a/b: {}", "model name 'a/b' must be letters"),
        ("a: {label: A}", r"a: kind: Field required"),
        ("a: 3", "a: "),
    ],
)
def test_a_wrong_model_entry_is_named(tmp_path: Path, entry: str, says: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(entry)
    with pytest.raises(SettingsError, match=says):
        load_models(path)


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
        ("patients: {partition: sealed, n: 20}", "patients: {partition: sealed, n: 0}"),
        ("events: [E0, E1, E1b, E4]", "events: [E0, E1, E1, E1b, E4]"),
        ("endpoint: unsupported", "endpoint: retainde"),
        ("role: confirmatory", "role: ["),
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
