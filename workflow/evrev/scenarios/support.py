"""Support classes per medication key and the expected answers (section 3, "Support classes")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from evrev.formats.scenario import Document, Expected, Revision, Support, SupportClass, Version
from evrev.formats.task import TaskContract
from evrev.scenarios.formulary import Drug, Formulary
from evrev.scenarios.order_line import stated_strength

MEDICATION = "MEDICATION | "
PROBLEM = "PROBLEM | "


class _Line(NamedTuple):
    """A medication line of an allowed document, and whether it is current at use0 and from use1 on."""

    document: str
    text: str
    drug: Drug
    before: bool
    after: bool


def support_classes(
    documents: Iterable[Document],
    revision: Revision | None,
    contract: TaskContract,
    formulary: Formulary,
    declared: Mapping[str, SupportClass],
) -> tuple[Support, ...]:
    """The support of every medication key of the allowed documents, sorted by key.

    Sets are per lexical key, classes per resolved key. An order that stands for no single drug is ambiguous,
    and so is each of its components, unless a line of the component's own supports it. `declared` holds the
    classes (by resolved key) that the event gives; a declared key on no allowed line gets empty sets, and one
    in conflict has the strength that its line states from use1 on as its value.
    """
    allowed = [document for document in documents if contract.medication.allows(document)]
    lines = [line for document in allowed for line in _lines(document, revision, formulary) if line.drug.key]
    entries = {
        line.drug.key: _single(line.drug, lines, declared) for line in lines if not line.drug.ambiguous
    }
    single = {entry.resolved for entry in entries.values()}
    for line in (line for line in lines if line.drug.ambiguous):
        components = (formulary.drug(component) for component in line.drug.components)
        for drug in (line.drug, *(drug for drug in components if drug.resolved not in single)):
            entries[drug.key] = _ambiguous(drug, lines)
    for key in declared.keys() - single:
        entries[key] = Support(key=key, resolved=key, support_class=declared[key], before=(), after=())
    return tuple(entries[key] for key in sorted(entries))


def expected_answers(support: Iterable[Support], problem_list: Document) -> Expected:
    """What a correct answer lists: resolved keys that have support, and the lines of the problem list.

    Ambiguous keys are in neither medication set.
    """
    counted = [entry for entry in support if entry.support_class != "ambiguous"]
    return Expected(
        medication_before=tuple(sorted({entry.resolved for entry in counted if entry.before})),
        medication_after=tuple(sorted({entry.resolved for entry in counted if entry.after})),
        problem_paths=tuple(line.removeprefix(PROBLEM) for line in problem_list.versions[0].lines),
    )


def version_after(document: Document, revision: Revision | None) -> Version | None:
    """The version that is current from use1 on, or none when the document was revoked."""
    if revision is None or revision.document != document.id:
        return document.versions[0]
    return None if revision.action == "revoke" else document.versions[-1]


def order_name(line: str) -> str | None:
    """The drug name of a medication line (no field holds a bar), or none for another kind of line."""
    return line.removeprefix(MEDICATION).split(" |", 1)[0] if line.startswith(MEDICATION) else None


def _lines(document: Document, revision: Revision | None, formulary: Formulary) -> Iterator[_Line]:
    first, after = document.versions[0], version_after(document, revision)
    for version in document.versions:
        for text in version.lines:
            name = order_name(text)
            if name is not None:
                yield _Line(document.id, text, formulary.drug(name), version is first, version is after)


def _single(drug: Drug, lines: list[_Line], declared: Mapping[str, SupportClass]) -> Support:
    remaining = [line for line in lines if line.after and line.drug.resolved == drug.resolved]
    derived: SupportClass = "still_supported" if remaining else "unique_support_revoked"
    support_class = declared.get(drug.resolved, derived)
    return Support(
        key=drug.key,
        resolved=drug.resolved,
        support_class=support_class,
        value=_value(remaining) if support_class == "conflict" else None,
        before=_ids(line for line in lines if line.before and line.drug.key == drug.key),
        after=_ids(line for line in lines if line.after and line.drug.key == drug.key),
    )


def _value(lines: list[_Line]) -> str | None:
    """The one strength that a drug's lines state from use1 on, or none."""
    stated = {strength.written for line in lines if (strength := stated_strength(line.text).strength)}
    return stated.pop() if len(stated) == 1 else None


def _ambiguous(drug: Drug, lines: list[_Line]) -> Support:
    naming = [
        line for line in lines if line.drug.ambiguous and drug.key in (line.drug.key, *line.drug.components)
    ]
    return Support(
        key=drug.key,
        resolved=drug.resolved,
        support_class="ambiguous",
        before=_ids(line for line in naming if line.before),
        after=_ids(line for line in naming if line.after),
    )


def _ids(lines: Iterable[_Line]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.document for line in lines))
