"""A sheet per scenario, for reading by eye: its record, its event, and what an answer must hold."""

from __future__ import annotations

from collections.abc import Iterable

from evrev.formats.scenario import Document, Scenario
from evrev.scenarios.audit.report import Report


def sheet(scenario: Scenario, report: Report) -> str:
    """The scenario as Markdown, with what the audit says about it."""
    findings = [str(finding) for finding in report.findings if finding.scenario == scenario.id]
    aliased = [one for one in report.alias_keys if one.scenario == scenario.id]
    length = scenario.level or (f"growth {scenario.growth}" if scenario.growth else "")
    kind = ", ".join(filter(None, (scenario.event, scenario.size, length)))
    return "\n".join(
        [
            f"# {scenario.id}",
            "",
            f"{kind}; patient {scenario.patient} ({scenario.partition}); {_event(scenario)}",
            *(line for document in scenario.documents for line in _document(document)),
            "",
            "## Support of medication keys",
            "",
            "| key | drug | class | before | after |",
            "|---|---|---|---|---|",
            *(
                f"| {s.key} | {s.resolved} | {s.support_class.replace('_', ' ')}{_value(s.value)} "
                f"| {', '.join(s.before) or '-'} | {', '.join(s.after) or '-'} |"
                for s in scenario.support
            ),
            "",
            "## Expected",
            "",
            f"- medication at use0: {', '.join(scenario.expected.medication_before) or 'nothing'}",
            f"- medication from use1: {', '.join(scenario.expected.medication_after) or 'nothing'}",
            *(f"- problem: {path}" for path in scenario.expected.problem_paths),
            "",
            "## Audit",
            "",
            *_listed(findings or ["no disagreement"]),
            *_listed(f"{o.key}: {o.with_aliases}; without the alias table {o.without}" for o in aliased),
            "",
        ]
    )


def _event(scenario: Scenario) -> str:
    revision = scenario.revision
    if scenario.event_document is None:
        return "no event document"
    action = f"{revision.action} {revision.document} after use0" if revision else "nothing is revised"
    return f"event document {scenario.event_document}, drug {scenario.event_key}; {action}"


def _document(document: Document) -> list[str]:
    lines = ["", f"## {document.id}: {document.title} ({document.source})"]
    for version in document.versions:
        if len(document.versions) > 1:
            lines += ["", f"Version {version.version}:"]
        lines += ["", *(f"    {line}" for line in version.lines)]
    return lines


def _value(value: str | None) -> str:
    return f" (then {value})" if value else ""


def _listed(texts: Iterable[str]) -> list[str]:
    return [f"- {text}" for text in texts]
