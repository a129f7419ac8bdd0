"""Auditing one batch: every scenario against what the tables give."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from evrev.errors import DataError
from evrev.formats.scenario import Document, Scenario
from evrev.formats.scenario_io import PATIENTS, load_scenarios
from evrev.formats.task import TaskContract
from evrev.medication.strength import explicit_strength
from evrev.scenarios.audit.gold import Gold, derive
from evrev.scenarios.audit.report import Report
from evrev.scenarios.audit.source import Source

SMALL = ("D1", "D2", "D3")
_NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+")
_DAY = re.compile(r"(.*), ICU day ([0-9]+)")
REVISED = {"E1": ("D4", "revoke"), "E1b": ("D4", "revoke"), "E2": ("D4", "replace")}


@dataclass(frozen=True)
class Batch:
    """A folder of scenarios with its patients.json."""

    name: str
    folder: Path


def audit_batch(source: Source, batch: Batch, contract: TaskContract, report: Report) -> list[Scenario]:
    """Compare every scenario of a batch with what `source` gives, into `report`; the scenarios, for sheets.

    DataError for a folder that holds no readable batch.
    """
    scenarios = load_scenarios(batch.folder)
    path = batch.folder / PATIENTS
    try:
        patients = json.loads(path.read_bytes())
        gold, aliased = derive(source, scenarios, patients, contract)
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"does not tell the patients of a batch: {error}", where=path) from error
    report.alias_keys += aliased
    for scenario in scenarios:
        _compare(report, scenario, gold.get(scenario.id, Gold()))
    return scenarios


def _compare(report: Report, scenario: Scenario, gold: Gold) -> None:
    def check(about: str, states: object, derived: object) -> None:
        report.check(scenario.id, about, states, derived)

    documents = {document.id: document for document in scenario.documents}
    check("partition", scenario.partition, gold.partition)
    for name in SMALL:
        check(f"{name} lines", documents[name].versions[0].lines, gold.small.get(name, ()))
    _compare_event(report, scenario, documents.get("D4"), gold)
    stated = tuple(
        sorted((s.key, s.resolved, str(s.support_class), s.before, s.after) for s in scenario.support)
    )
    check("support", stated, gold.support)
    check("expected before", scenario.expected.medication_before, gold.before)
    check("expected after", scenario.expected.medication_after, gold.after)
    check("expected problems", scenario.expected.problem_paths, gold.paths)
    added = [document for document in scenario.documents if document.id not in (*SMALL, "D4")]
    if scenario.size == "large":
        shown = [(str(document.kind), _day(document)[1], _lines(document)) for document in added]
        check("added documents", shown, gold.large[: 8 - len(SMALL)])
    elif scenario.growth is not None:
        lines = tuple(line for document in added for line in _lines(document))
        check("added documents", lines, gold.further[: len(lines)])
        check("added sources", {document.source for document in added} - {"pharmacy"}, set())
    elif scenario.level is not None:
        places = [_day(document) for document in added]
        derived = [gold.context.get(place) for place in places]
        check("added documents", [_lines(document) for document in added], derived)
        check("added order", places, [place for place in gold.context if place in places])
    else:
        check("added documents", added, [])


def _compare_event(report: Report, scenario: Scenario, document: Document | None, gold: Gold) -> None:
    def check(about: str, states: object, derived: object) -> None:
        report.check(scenario.id, about, states, derived)

    revision = scenario.revision
    check("revision", revision and (revision.document, revision.action), REVISED.get(scenario.event))
    check("event key", scenario.event_key, gold.event_key)
    check("event drug elsewhere in the stay", 0, gold.elsewhere)
    if scenario.event == "E1b":
        kept = [s.after for s in scenario.support if s.resolved == gold.event_key and "D1" in s.after]
        check("support beside D4", bool(kept), True)
    if document is None:
        check("event", scenario.event, "E0")
        return
    check("D4 lines", _lines(document), (gold.event_line,))
    check("D4 source", document.source, "ehr" if scenario.event == "E4" else "pharmacy")
    check("D4 versions", len(document.versions), 2 if scenario.event == "E2" else 1)
    if scenario.event == "E2":
        before, after = document.versions[0].lines[0], document.versions[-1].lines[0]
        check("replaced fields", _factors(before, after) in ([Decimal(2)], [Decimal("0.5")]), True)
        values = {s.value for s in scenario.support if s.support_class == "conflict"}
        check("replaced value", values, {_strength(after)})
    elif any(s.value for s in scenario.support):
        check("replaced value", "a value", "none")


def _factors(before: str, after: str) -> list[Decimal]:
    """By what each number that differs was multiplied; nothing when other text differs too."""
    if _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
        return []
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
    return [_value(new) / _value(old) for old, new in pairs if old != new]


def _value(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def _strength(line: str) -> str | None:
    name, dose, route = (*(part.strip() for part in line.split("|")[1:4]), "", "", "")[:3]
    found = explicit_strength(name, dose, route).strength
    return found.written if found else None


def _lines(document: Document) -> tuple[str, ...]:
    return document.versions[0].lines


def _day(document: Document) -> tuple[str, int]:
    found = _DAY.fullmatch(document.title)
    return (found[1], int(found[2])) if found else (document.title, -1)
