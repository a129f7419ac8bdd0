"""The JSON schemas under workflow/schemas say what the models say; the files of the repository fit them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from evrev.formats.schemas import MODELS, schema_text, write


def schema(root: Path, name: str) -> dict[str, Any]:
    return json.loads((root / "workflow" / "schemas" / f"{name}.schema.json").read_text())


def test_no_schema_has_drifted_from_its_model(root: Path, tmp_path: Path) -> None:
    written = {path.name: path.read_bytes() for path in write(tmp_path)}
    kept = {path.name: path.read_bytes() for path in (root / "workflow" / "schemas").glob("*.json")}
    remedy = "evrev.formats.schemas.write(Path('workflow/schemas')) writes them again"
    assert kept == written, remedy


@pytest.mark.parametrize("name", MODELS)
def test_each_schema_is_one_and_lets_no_unknown_key_through(root: Path, name: str) -> None:
    found = schema(root, name)
    Draft202012Validator.check_schema(found)
    assert found["additionalProperties"] is False
    assert schema_text(name).endswith("}\n")


def test_every_plan_fits_the_schema_of_plans(root: Path) -> None:
    validator = Draft202012Validator(schema(root, "plan"))
    plans = sorted((root / "config" / "batches").glob("*.yaml"))
    assert plans
    for path in plans:
        validator.validate(yaml.safe_load(path.read_text("utf-8")))
    assert not validator.is_valid({"batch": "x"})


def test_the_example_of_the_trajectory_page_fits_the_schema_of_trajectories(root: Path) -> None:
    page = (root / "docs" / "trajectory.md").read_text("utf-8")
    example = json.loads(page.split("```json\n")[1].split("```")[0])
    validator = Draft202012Validator(schema(root, "trajectory"))
    validator.validate(example)
    assert not validator.is_valid(example | {"unknown": 1})
