"""The documents of a scenario as a re-reading prompt shows them, and what they cost in tokens (App. O).

A body is counted document by document. That is exact: every piece ends with the line breaks behind it, and
the tokenizer never joins a line break to the character that starts the next line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evrev.formats.scenario import Document, Revision, Version
from evrev.scenarios.documents import EVENT_DOCUMENT
from evrev.scenarios.support import version_after
from evrev.tokenizers import counter

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = Path(__file__).resolve().parents[1] / "prompts" / "document.j2"
BETWEEN = "\n\n"
"""What stands between two documents of a prompt."""


class Tokens(NamedTuple):
    """Tokens of a document, or of its lines alone, with another document behind it and without."""

    followed: int
    last: int


def show_document(patient: str, document: Document, version: Version) -> str:
    """A document with its header, as every prompt shows it, without a line break at the end."""
    return _render(patient, document, version.version, version.payload)


def after_revision(
    documents: Iterable[Document], revision: Revision | None
) -> list[tuple[Document, Version]]:
    """The documents that re-reading shows from use1 on, in prompt order: the event document comes last."""
    current = [(d, v) for d in documents if (v := version_after(d, revision)) is not None]
    return sorted(current, key=lambda shown: shown[0].id == EVENT_DOCUMENT)


def reading_body(patient: str, shown: Iterable[tuple[Document, Version]]) -> str:
    """All of it as one text: what stands in a re-reading prompt between its first line and the task."""
    return BETWEEN.join(show_document(patient, *one) for one in shown)


def payload_tokens(lines: Sequence[str]) -> Tokens:
    """Qwen2.5 tokens of a document's lines."""
    count = counter("qwen2.5").count
    last = count("\n".join(lines))
    return Tokens(last + count(lines[-1] + BETWEEN) - count(lines[-1]), last)


def document_tokens(
    patient: str, document: Document, version: Version, payload: Tokens | None = None
) -> Tokens:
    """Qwen2.5 tokens of one document; `payload` is that of its lines, where it is known."""
    inside = payload or payload_tokens(version.lines)
    header = counter("qwen2.5").count(_render(patient, document, version.version, "") + "\n")
    return Tokens(header + inside.followed, header + inside.last)


def body_parts(
    patient: str, documents: Iterable[Document], revision: Revision | None
) -> tuple[tuple[Tokens, ...], tuple[Tokens, ...]]:
    """The body after the revision in two parts: the event document, if it is still there, is the second."""
    shown = after_revision(documents, revision)
    counts = [(d.id == EVENT_DOCUMENT, document_tokens(patient, d, v)) for d, v in shown]
    return tuple(one for last, one in counts if not last), tuple(one for last, one in counts if last)


def body_tokens(documents: Sequence[Tokens]) -> int:
    """Qwen2.5 tokens of the body that these documents make in this order."""
    return sum(one.followed for one in documents[:-1]) + documents[-1].last if documents else 0


def _render(patient: str, document: Document, version: int, payload: str) -> str:
    fields = {"id": document.id, "source": document.source, "title": document.title, "version": version}
    return _template().render(patient=patient, document=fields | {"payload": payload}).rstrip("\n")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    text = TEMPLATE.read_text("utf-8")
    return Environment(undefined=StrictUndefined, autoescape=False).from_string(text)
