"""JSON schemas of the records people write or read, generated from the models: the two cannot disagree."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from evrev.formats.canonical import write_bytes
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.settings import Settings
from evrev.formats.trajectory import Trajectory

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MODELS: dict[str, type[BaseModel]] = {
    "plan": Plan,
    "scenario": Scenario,
    "settings": Settings,
    "trajectory": Trajectory,
}


def schema_text(name: str) -> str:
    """The schema of one of MODELS as indented JSON, keys in the order of the model's fields."""
    schema = {"$schema": DIALECT, **MODELS[name].model_json_schema()}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> list[Path]:
    """Write NAME.schema.json for every one of MODELS into `folder`; the paths written."""
    paths = [folder / f"{name}.schema.json" for name in MODELS]
    for name, path in zip(MODELS, paths, strict=True):
        write_bytes(path, schema_text(name).encode())
    return paths
