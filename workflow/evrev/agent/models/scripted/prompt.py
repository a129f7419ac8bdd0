"""What a prompt shows, read from its rendered text alone: documents, facts, summaries, task and permission.

The system turn may stand in a turn of its own or in front of the user text; neither says anything the reader
needs, so only the last turn is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evrev.formats.trajectory import Message

Asked = Literal["claims", "summary", "global_summary", "items", "nothing"]

# The reader's own rule for what a recorded line is: by its label. A treatment line counts as a drug, whatever
# it names, since no label tells a drug from a procedure.
TYPES = {"MEDICATION": "med", "TREATMENT": "med", "PROBLEM": "problem", "LAB": "lab"}

_DOCUMENT = re.compile(r"Document (?P<document>\S+) \(connector source: (?P<source>[^;()]+); patient: .*\): ")
_FACTS_OF = re.compile(r"Facts recorded in document (?P<document>\S+) of source (?P<source>\S+), patient ")
_FACT = re.compile(
    r"- (?P<type>\w+) \| (?P<content>.*) \| claim=\S+(?: \| from=(?P<document>[^\s:]+):(?P<source>\S+))?"
)
_SUMMARY = re.compile(r"- (?P<document>[^\s:]+):(?P<source>\S+) \| (?P<text>.*)")
_PERMISSION = re.compile(r"Only (?P<which>[^.;]*?)\bof sources? (?P<sources>[\w, ]+?) may support an item")
_SUMMARIES_OF, _INSTRUCTION, _TASK = "Summaries of the documents of ", "State every fact ", "Task: "
_MEMORY, _FACTS = "Memory of patient ", "Facts:"
_HEADS = (_MEMORY, "Documents of patient ")


@dataclass(frozen=True)
class Entry:
    """A recorded line or a fact: its type, its wording, and the document and source it is shown under."""

    type: str
    content: str
    document: str
    source: str


@dataclass(frozen=True)
class Prompt:
    """A prompt as read. `sources` and `documents` are those that may support an item; empty means any."""

    asked: Asked
    entries: tuple[Entry, ...] = ()
    summaries: tuple[str, ...] = ()
    document: str = ""
    wanted: str = ""
    sources: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    def allows(self, entry: Entry) -> bool:
        """Whether the permission sentence lets `entry` support an item."""
        return (not self.sources or entry.source in self.sources) and (
            not self.documents or entry.document in self.documents
        )


def read_prompt(messages: Sequence[Message]) -> Prompt:
    """Read the last turn. What asks for none of the known replies is `asked="nothing"`."""
    lines = messages[-1].content.split("\n") if messages else []
    while lines and not lines[-1].strip():
        lines.pop()
    closing = lines[-1] if lines else ""
    if closing.startswith('Return {"claims"'):
        return _extraction(lines)
    if closing.startswith('Return {"items"'):
        return _use(lines)
    if closing.startswith('Return {"summary"'):
        return _summaries(lines)
    return Prompt("nothing")


def _extraction(lines: list[str]) -> Prompt:
    entries = tuple(_document_lines(lines[: _last(lines, _INSTRUCTION)]))
    headers = [found["document"] for line in lines if (found := _DOCUMENT.match(line))]
    return Prompt("claims", entries, document=headers[0] if headers else "")


def _summaries(lines: list[str]) -> Prompt:
    for position, line in enumerate(lines):
        if line.startswith(_SUMMARIES_OF):
            found = (_SUMMARY.fullmatch(shown) for shown in lines[position + 1 :])
            return Prompt("global_summary", summaries=tuple(match["text"] for match in found if match))
        if header := _FACTS_OF.match(line):
            facts = _facts(lines[position + 1 :], header["document"], header["source"])
            return Prompt("summary", tuple(facts), document=header["document"])
    return Prompt("summary")


def _use(lines: list[str]) -> Prompt:
    start = _last(lines, _TASK)
    shown, task = lines[:start], " ".join(lines[start:])
    memory = next((line.startswith(_MEMORY) for line in shown if line.startswith(_HEADS)), False)
    permission = _PERMISSION.search(task)
    return Prompt(
        "items",
        tuple(_facts(shown[_last(shown, _FACTS) :]) if memory else _document_lines(shown)),
        wanted="med" if "one item per medication" in task else "problem",
        sources=tuple(re.findall(r"(?!and\b|or\b)\w+", permission["sources"])) if permission else (),
        documents=tuple(re.findall(r"\bD[0-9]+\b", permission["which"])) if permission else (),
    )


def _document_lines(lines: Sequence[str]) -> Iterator[Entry]:
    """The labelled lines under document headers; a blank line ends a document."""
    document = source = ""
    for line in lines:
        if header := _DOCUMENT.match(line):
            document, source = header["document"], header["source"]
        elif not line.strip():
            document = source = ""
        elif document:
            label, bar, rest = line.partition(" | ")
            if bar and label.isupper():
                yield Entry(TYPES.get(label, "other"), rest, document, source)
            else:
                yield Entry("other", line, document, source)


def _facts(lines: Sequence[str], document: str = "", source: str = "") -> Iterator[Entry]:
    for line in lines:
        if fact := _FACT.fullmatch(line):
            yield Entry(fact["type"], fact["content"], fact["document"] or document, fact["source"] or source)


def _last(lines: list[str], start: str) -> int:
    """The position of the last line that begins with `start`, or the end."""
    return next((i for i in range(len(lines) - 1, -1, -1) if lines[i].startswith(start)), len(lines))
