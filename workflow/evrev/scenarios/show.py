"""One scenario as text a person can read."""

from __future__ import annotations

from collections.abc import Iterable

from evrev.formats.scenario import Document, Scenario, Support
from evrev.scenarios.events import EVENTS


def show(scenario: Scenario) -> str:
    """The documents with their versions, the event, the support classes and the expected answers."""
    return "\n".join(
        [
            f"{scenario.id}: patient {scenario.patient} ({scenario.partition}), {_size(scenario)}",
            _title(scenario),
            *_event(scenario),
            *(line for document in scenario.documents for line in ("", *_document(document))),
            "",
            "support of medication keys (before -> after the revision)",
            *_indented(_support(entry) for entry in scenario.support),
            "",
            "expected medication list",
            *_indented(
                (
                    f"use0: {', '.join(scenario.expected.medication_before) or 'nothing'}",
                    f"from use1: {', '.join(scenario.expected.medication_after) or 'nothing'}",
                )
            ),
            "expected problem list",
            *_indented(scenario.expected.problem_paths),
            "",
            f"task contract {scenario.task_contract[:12]}, builder {scenario.builder}, seed {scenario.seed}",
        ]
    )


def _title(scenario: Scenario) -> str:
    rule = EVENTS.get(scenario.event)
    return f"event {scenario.event}: {rule.title}" if rule else f"event {scenario.event}"


def _size(scenario: Scenario) -> str:
    return f"{scenario.size} size" + (f", level {scenario.level}" if scenario.level else "")


def _event(scenario: Scenario) -> list[str]:
    if scenario.event_document is None:
        return []
    revision = scenario.revision
    action = f"{revision.action} {revision.document} after use0" if revision else "none"
    return _indented(
        (
            f"event document: {scenario.event_document}, key: {scenario.event_key}",
            f"revision: {action}",
        )
    )


def _document(document: Document) -> list[str]:
    lines = [f"{document.id} {document.title} (source {document.source})"]
    for version in document.versions:
        lines += _indented((f"version {version.version}, digest {version.payload_digest[:12]}",))
        lines += _indented(version.lines, "    ")
    return lines


def _support(entry: Support) -> str:
    name = entry.key if entry.key == entry.resolved else f"{entry.key} (= {entry.resolved})"
    value = f", expected value {entry.value}" if entry.value else ""
    return f"{name}: {entry.support_class}, {_set(entry.before)} -> {_set(entry.after)}{value}"


def _set(documents: tuple[str, ...]) -> str:
    return "{" + ", ".join(documents) + "}"


def _indented(lines: Iterable[str], by: str = "  ") -> list[str]:
    return [by + line for line in lines]
