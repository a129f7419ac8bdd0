"""How the scripted reader words its summaries: plain sentences over the recorded wording."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evrev.agent.models.scripted.prompt import Entry

_OPENINGS = {
    "med": "Medications recorded in {document}",
    "problem": "Problems recorded in {document}",
    "lab": "Laboratory results recorded in {document}",
}
# A bar between fields has blanks around it; a bar of a path has none.
_BAR = re.compile(r" \|(?= |$)")
_OTHER = "Also recorded in {document}"


def summary_of(document: str, facts: Sequence[Entry]) -> str:
    """One sentence for each type of fact, in the order in which the types come up."""
    if not facts:
        return f"No facts are recorded in {document}."
    by_type: dict[str, list[str]] = {}
    for fact in facts:
        by_type.setdefault(fact.type, []).append(_phrase(fact))
    return " ".join(
        f"{_OPENINGS.get(kind, _OTHER).format(document=document)}: {'; '.join(phrases)}."
        for kind, phrases in by_type.items()
    )


def combined(summaries: Sequence[str]) -> str:
    """The document summaries as one text, each wording once."""
    return " ".join(dict.fromkeys(summaries)) or "Nothing is recorded for this patient."


def _phrase(fact: Entry) -> str:
    """A fact in running text: a problem by its last segment with its chain, fields joined by commas."""
    if fact.type == "problem":
        *chain, leaf = fact.content.split("|")
        return f"{leaf} ({', '.join(chain)})" if chain else leaf
    fields = (field.strip() for field in _BAR.split(fact.content))
    return ", ".join(field for field in fields if field)
