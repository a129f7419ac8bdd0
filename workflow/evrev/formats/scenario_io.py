"""Reading the scenarios of a batch back from their folder."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from evrev.errors import DataError
from evrev.formats.base import explain
from evrev.formats.scenario import Scenario

REMEDY = "restore the file, or build the batch's scenarios again"
PATIENTS = "patients.json"
MANIFEST = "manifest.json"


def load_scenarios(folder: Path) -> list[Scenario]:
    """The scenarios of a folder, in the order of its patients.json, or by name where there is none.

    DataError names the file, and the key in it, of whatever is absent, not JSON or not a scenario.
    """
    return [load_scenario(folder / f"{name}.json") for name in _names(folder)]


def load_scenario(path: Path) -> Scenario:
    """One scenario file; DataError as for `load_scenarios`."""
    try:
        scenario = Scenario.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=path, remedy=REMEDY) from error
    except ValidationError as error:
        raise DataError(explain(error), where=path, remedy=REMEDY) from error
    fault = _fault(scenario, path)
    if fault:
        raise DataError(fault, where=path, remedy=REMEDY)
    return scenario


def _names(folder: Path) -> list[str]:
    listed = folder / PATIENTS
    if listed.is_file():
        return _listed(listed)
    found = sorted(path.stem for path in folder.glob("*.json") if path.name not in (PATIENTS, MANIFEST))
    if not found:
        raise DataError("holds no scenario", where=folder, remedy=REMEDY)
    return found


def _listed(path: Path) -> list[str]:
    try:
        report = json.loads(path.read_bytes())
        return [str(name) for patient in report["patients"] for name in patient["scenarios"]]
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=path, remedy=REMEDY) from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataError("does not list patients with their scenarios", where=path, remedy=REMEDY) from error


def _fault(scenario: Scenario, path: Path) -> str | None:
    """What the schema cannot say: names that must point at something in the file."""
    ids = [document.id for document in scenario.documents]
    if scenario.id != path.stem:
        return f"id: states {scenario.id!r}, the file is named {path.stem!r}"
    if len(set(ids)) != len(ids):
        return f"documents: an id stands twice in {ids}"
    if scenario.event_document not in (None, *ids):
        return f"event_document: no document {scenario.event_document!r}"
    if scenario.revision is not None and scenario.revision.document not in ids:
        return f"revision.document: no document {scenario.revision.document!r}"
    return None
