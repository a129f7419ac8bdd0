"""From a model's reply to a JSON value: strict reading first, then a labelled repair that only takes away.

A reply that is one JSON text (RFC 8259) is read as it is. Otherwise the value is looked for behind leading
text or a code fence, what was cut off at its end is dropped, and missing closers are added. Nothing kept is
ever altered: a string counts only with its closing quote, a number only if something follows it, and what
cannot be read without a guess fails. Work is linear in the length of the reply and never recurses deeply.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from evrev._closer import MAX_DEPTH, QUOTED, WORDS, WS, Fault, Malformed, close

_CUT_WORD = "|".join(word[:n] for word in WORDS.split("|") for n in range(1, len(word)))
_OPENING = (
    rf'(?:\{{{WS}(?:["}}]|\Z)'
    rf'|\[{WS}(?:["\[{{\]0-9-]|(?:{WORDS})(?!\w)|(?:{_CUT_WORD})?\Z))'
)
# A value starts the reply, stands behind a code fence, or is the first opening in the text; [3] alone is a
# citation in prose.
_START = re.compile(rf"(?:\A|(?<!`)`{{3,}}+[\w-]*+\s*+|(?!\[\d++\]))(?={_OPENING})")
_QUOTED = re.compile(QUOTED, re.DOTALL)
_FENCE_BEFORE = re.compile(r"(?<!`)`{3,}+[\w-]*+\s*+\Z")


@dataclass(frozen=True)
class ParsedReply:
    """A reply as read. `repairs` names what was done in reading order, or for "failed" the one fault.

    `value` is None when failed (and for the reply `null`, which is strict). `capped` says that the reply
    ended at the output cap, whatever its status: parseable is not complete.
    """

    status: Literal["strict", "repaired", "failed"]
    repairs: list[str]
    value: Any
    capped: bool = False


def parse_reply(text: str, finish_reason: str = "stop") -> ParsedReply:
    """Read the JSON value of a model's reply; never raises, whatever the text (paper, App. A).

    Repairs, which may combine:
      leading_text        prose before the value was left out
      code_fence          Markdown fence marks around the value were left out
      dropped_incomplete  a cut element or field at the end was dropped
      closed_braces       missing closing braces or brackets were added
      trailing_text       what follows the value, a second value included, was left out
    Faults ("failed"):
      empty               no text
      not_json            no JSON value in the text
      malformed           a value starts but breaks the grammar before its end
      too_deep            more than MAX_DEPTH containers inside each other
      duplicate_key       an object repeats a key: either choice would lose a field, and often two records
                          have run together, so that keeping one would join fields the model kept apart
      number_out_of_range a number no double can hold
      dropped_incomplete  a lone number at the output cap, which may have gone on

    Any JSON value is accepted, a list or scalar included: the shape is the caller's to check. The output
    cap (`finish_reason` "length") sets `capped` and rejects a lone number, nothing else.
    """
    capped = finish_reason == "length"
    try:
        value, repairs = _read(text.strip(" \t\n\r"))
        if capped and isinstance(value, int | float) and not isinstance(value, bool):
            raise Fault("dropped_incomplete")
    except Fault as fault:
        return ParsedReply("failed", [str(fault)], None, capped)
    return ParsedReply("repaired" if repairs else "strict", repairs, value, capped)


def _read(body: str) -> tuple[Any, list[str]]:
    if not body:
        raise Fault("empty")
    if body[0] not in "[{" or body.count("[") + body.count("{") <= MAX_DEPTH:
        try:
            return _loads(body), []
        except Malformed:
            pass
    quoted = _QUOTED.match(body)
    found = _START.search(body, quoted.end() if quoted else 0)
    if found is None:
        raise Fault("not_json")
    before = body[: found.end()]
    if before.count("{") != before.count("}") or before.count("[") != before.count("]"):
        # What opens inside an unreadable value is a part of it, not the reply.
        raise Malformed
    closed, end, repairs = close(body, found.end())
    leading, trailing = _around(before, body[end:])
    return _loads(closed), [*leading, *repairs, *trailing]


def _around(before: str, after: str) -> tuple[list[str], list[str]]:
    """The labels of what stands before and after the value."""
    fence = _FENCE_BEFORE.search(before)
    after = after.strip()
    fenced = fence is not None or after.startswith("```")
    leading = ["leading_text"] if (before[: fence.start()] if fence else before).strip() else []
    trailing = ["trailing_text"] if (after.lstrip("`") if fenced else after) else []
    return [*leading, *(["code_fence"] if fenced else [])], trailing


def _loads(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise Malformed from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise Fault("duplicate_key")
    return fields


def _float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise Fault("number_out_of_range")
    return number


def _int(digits: str) -> int:
    _float(digits)
    return int(digits)


def _constant(_: str) -> Any:
    raise Malformed


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant
)
