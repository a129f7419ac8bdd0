"""The one manifest form: digests of inputs, parameters and outputs; written last, so it means done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from evrev.errors import DigestError
from evrev.formats.base import Record, explain


class Manifest(Record):
    """What made a stage folder. `key` names the folder and depends on inputs, parameters and code alone."""

    stage: str
    key: str
    code: str = Field(description="digest of the syntax trees of the stage's room and the rooms upstream")
    parameters: dict[str, Any] = Field(default_factory=dict)
    inputs: dict[str, str] = Field(default_factory=dict, description="name -> SHA-256")
    outputs: dict[str, str] = Field(default_factory=dict, description="path in the folder -> SHA-256")
    partial: dict[str, str] = Field(
        default_factory=dict, description="tables that are not whole -> the file used"
    )
    notes: dict[str, Any] = Field(
        default_factory=dict, description="counts and exclusions worth carrying along"
    )


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a finished stage folder, or none if unfinished; DigestError for a damaged one."""
    path = folder / "manifest.json"
    if not path.is_file():
        return None
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise DigestError(
            f"is no manifest: {explain(error)}",
            where=path,
            remedy="restore the file, or remove its folder to have everything in it made again",
        ) from error
