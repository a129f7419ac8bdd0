"""What a scenario says of a medication list at one use: keys expected, forbidden and ignored (section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evrev.formats.scenario import Document, Scenario, Support, SupportClass
from evrev.formats.task import TaskContract
from evrev.medication import AliasTable, MedicationKey, medication_class
from evrev.scoring.names import item_fields, phrase


@dataclass(frozen=True)
class Elsewhere:
    """An active document that may not support a medication: its folded text and the keys of its fields."""

    document: str
    source: str
    text: str
    keys: frozenset[str]


@dataclass(frozen=True)
class AnswerKey:
    """One scenario at one use, under one reading of names (aliases on or off).

    `expected` and `stale` map a key to the documents it rests on, or rested on. The endpoints `stale`,
    `retained` and `unsupported_event_key` are defined only where `has_...` holds.
    """

    expected: dict[str, tuple[str, ...]]
    stale: dict[str, tuple[str, ...]]
    ambiguous: frozenset[str]
    irrelevant: frozenset[str]
    elsewhere: tuple[Elsewhere, ...]
    event_keys: frozenset[str]
    has_stale: bool
    has_retained: bool
    has_event_listing: bool

    @cached_property
    def known(self) -> frozenset[str]:
        """Every key the scenario says something of."""
        return frozenset().union(self.expected, self.stale, self.ambiguous, self.irrelevant)


# Far longer than any name; what a model writes may be of any length.
_LONGEST = 500


class Reading:
    """How a name becomes a key: after the alias table, or lexically when `aliases` is none."""

    def __init__(self, aliases: AliasTable | None) -> None:
        self.aliases = aliases
        self._seen: dict[str, MedicationKey] = {}

    def __call__(self, name: str) -> MedicationKey:
        """The key of one name."""
        name = name[:_LONGEST]
        found = self._seen.get(name)
        if found is None:
            if len(self._seen) >= 100_000:
                self._seen.clear()
            found = medication_class(name, self.aliases)
            self._seen[name] = found
        return found

    def of(self, support: Support) -> str:
        """The key of a support row under this reading."""
        return support.resolved if self.aliases else support.key


def active_documents(scenario: Scenario, use: int) -> list[tuple[Document, tuple[str, ...]]]:
    """The documents active at a use with the lines they then have; use 0 stands before the revision."""
    revision = scenario.revision if use >= 1 else None
    active = []
    for document in scenario.documents:
        changed = revision is not None and revision.document == document.id
        if changed and revision is not None and revision.action == "revoke":
            continue
        active.append((document, document.versions[-1 if changed else 0].lines))
    return active


def answer_key(scenario: Scenario, use: int, contract: TaskContract, reading: Reading) -> AnswerKey:
    """The answer key of the medication list of `scenario` at `use` under `reading`."""
    after = use >= 1
    active = active_documents(scenario, use)
    allowed = [(d, lines) for d, lines in active if contract.medication.allows(d)]
    elsewhere = [(d, lines) for d, lines in active if not contract.medication.allows(d)]
    expected = _expected(scenario, after, reading)
    stale = _of_class(scenario, "unique_support_revoked", reading) if after else {}
    ambiguous = {*_of_class(scenario, "ambiguous", reading), *_combined(allowed, reading)} - expected.keys()
    event = {reading.of(s) for s in scenario.support if scenario.event_key in (s.resolved, s.key)}
    return AnswerKey(
        expected=expected,
        stale={key: documents for key, documents in stale.items() if key not in expected},
        ambiguous=frozenset(ambiguous),
        irrelevant=frozenset(_of_class(scenario, "irrelevant", reading)),
        elsewhere=tuple(_elsewhere(d, lines, reading) for d, lines in elsewhere),
        event_keys=frozenset(event or {scenario.event_key or ""}) - {""},
        has_stale=bool(stale),
        has_retained=after and scenario.event == "E1b",
        has_event_listing=scenario.event == "E4",
    )


def _expected(scenario: Scenario, after: bool, reading: Reading) -> dict[str, tuple[str, ...]]:
    wanted = set(scenario.expected.medication_after if after else scenario.expected.medication_before)
    found: dict[str, tuple[str, ...]] = {}
    for row in scenario.support:
        documents = row.after if after else row.before
        counts = documents and row.support_class != "ambiguous"
        if counts and wanted & {row.resolved, row.key}:
            key = reading.of(row)
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *documents)))
    return found


def _of_class(scenario: Scenario, name: SupportClass, reading: Reading) -> dict[str, tuple[str, ...]]:
    return {reading.of(row): row.before for row in scenario.support if row.support_class == name}


def _combined(allowed: list[tuple[Document, tuple[str, ...]]], reading: Reading) -> set[str]:
    keys: set[str] = set()
    for _, lines in allowed:
        for line in lines:
            read = reading(next(iter(item_fields(line)), ""))
            if read.ambiguous:
                keys |= {read.key, *(reading(component).key for component in read.components)}
    return keys - {""}


def _elsewhere(document: Document, lines: tuple[str, ...], reading: Reading) -> Elsewhere:
    fields = {field for line in lines for field in line.split("|")} if reading.aliases else set()
    keys = {reading(field.strip()).key for field in fields}
    return Elsewhere(document.id, document.source, phrase("\n".join(lines)), frozenset(keys - {""}))
