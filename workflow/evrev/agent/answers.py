"""From the reply of a summary or a use to its text or its items; whatever a model returns, nothing raises."""

from __future__ import annotations

from typing import Any

from evrev.formats.canonical import clean_text
from evrev.formats.trajectory import Parse
from evrev.replies import ParsedReply, parse_reply


def read_summary(text: str, finish_reason: str = "stop") -> tuple[str, Parse]:
    """Read `{"summary": str}`. A reply of any other shape is kept as raw text, and labelled so."""
    reply = parse_reply(text, finish_reason)
    summary = _field(reply, "summary")
    if isinstance(summary, str):
        return clean_text(summary), _parse(reply)
    return text.strip(), _parse(reply, "no_summary", "raw_text")


def read_items(text: str, finish_reason: str = "stop") -> tuple[tuple[str, ...] | None, Parse]:
    """Read `{"items": [str]}`, the answer to a use; none is a format failure.

    A repaired reply that stopped by itself counts. One that ended at the output cap, or in the middle of an
    element, does not, whatever could be read of it: its list may lack items.
    """
    reply = parse_reply(text, finish_reason)
    items = _field(reply, "items")
    if not isinstance(items, list):
        return None, _parse(reply, "no_items_list")
    if not all(isinstance(item, str) for item in items):
        return None, _parse(reply, "item_not_text")
    cut = reply.capped or "dropped_incomplete" in reply.repairs
    return (None if cut else tuple(clean_text(item) for item in items)), _parse(reply)


def _field(reply: ParsedReply, name: str) -> Any:
    return reply.value.get(name) if isinstance(reply.value, dict) else None


def _parse(reply: ParsedReply, *faults: str) -> Parse:
    """How a reply was read; with `faults` it has failed, even where it was JSON."""
    if reply.status == "failed":
        # The shape of what is not JSON is no fault of its own.
        faults = faults[1:]
    status = "failed" if faults else reply.status
    return Parse(status=status, repairs=(*reply.repairs, *faults), capped=reply.capped)
