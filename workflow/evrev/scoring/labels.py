"""A label for every item of an answered medication list, with the reason in words (section 3, endpoints)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evrev.medication import treatment_drug
from evrev.scoring.answer_key import AnswerKey, Elsewhere, Reading
from evrev.scoring.names import holds, is_placeholder, name_of, phrase

Label = Literal["expected", "ambiguous", "stale", "unsupported_source", "fabricated", "placeholder", "empty"]
# These name no drug that can be right or wrong, so they stand in neither the listed nor the expected set.
IGNORED: frozenset[Label] = frozenset({"ambiguous", "placeholder", "empty"})


@dataclass(frozen=True)
class ItemLabel:
    """One item: the key it was read as, before and after the alias table, its label and why."""

    item: str
    key: str
    resolved: str
    label: Label
    reason: str


class Labeller:
    """Labels items against one answer key. The first label that fits decides."""

    def __init__(self, answer: AnswerKey, reading: Reading, lexical: Reading) -> None:
        self._answer, self._reading, self._lexical = answer, reading, lexical

    def label(self, item: str) -> ItemLabel:
        """The label of one item, whatever stands beside it."""
        name = name_of(item, self._is_known, self._in_path)
        read = self._reading(name)
        label, reason = self._decide(name, read.key, read.ambiguous, read.components)
        return ItemLabel(item, self._lexical(name).key, read.key, label, reason)

    def label_all(self, items: Sequence[str]) -> list[ItemLabel]:
        """The labels of a list, item by item."""
        return [self.label(item) for item in items]

    def _is_known(self, field: str) -> bool:
        return self._reading(field).key in self._answer.known

    def _in_path(self, path: str) -> str | None:
        return treatment_drug(path, self._answer.known, self._reading.aliases)

    def _decide(
        self, name: str, key: str, combination: bool, components: tuple[str, ...]
    ) -> tuple[Label, str]:
        answer = self._answer
        if key in answer.expected:
            return "expected", f"supported by {_list(answer.expected[key])}"
        if is_placeholder(name):
            return "placeholder", "stands for a name without giving one"
        if combination:
            return "ambiguous", f"not one ingredient: {' + '.join(components) or key or name}"
        if not key:
            return "empty", "no drug name is left of the item"
        if key in answer.ambiguous:
            return "ambiguous", "stands only in a combination"
        if key in answer.stale:
            return "stale", f"rested only on {_list(answer.stale[key])}, since revoked"
        where = self._where(name, key)
        if where or key in answer.irrelevant:
            return (
                "unsupported_source",
                f"named only in {_list(where) or 'documents'} that may not support it",
            )
        return "fabricated", "named in no active document"

    def _where(self, name: str, key: str) -> list[str]:
        wanted = {phrase(text) for text in (name, key, self._lexical(name).key)}
        return [f"{d.document} ({d.source})" for d in self._answer.elsewhere if _names(d, key, wanted)]


def _names(document: Elsewhere, key: str, wanted: set[str]) -> bool:
    return key in document.keys or any(holds(document.text, words) for words in wanted)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
