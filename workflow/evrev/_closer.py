"""Close an unfinished JSON container by its marks alone; the strict reader judges the result.

Only strings, brackets, commas and fence marks are looked at, once each, with no recursion.
"""

from __future__ import annotations

import re

MAX_DEPTH = 100

WS = r"[ \t\n\r]*+"
WORDS = "true|false|null"
QUOTED = r'"(?:[^"\\]++|\\.?)*+"?'  # a string, or what there is of a cut one
_STRING = r'"(?:[^"\\]++|\\.)*+"'
_MARK = re.compile(rf"{QUOTED}|[\[\]{{}},]|```", re.DOTALL)
# Only a closing fence proves that a number at the end of a cut value was finished.
_SCALAR = rf"(?:{_STRING}|{WORDS}|-?\d[\d.eE+-]*+(?={WS}```))"
_WHOLE = {
    "]": re.compile(rf",?{WS}{_SCALAR}{WS}", re.DOTALL),
    "}": re.compile(rf",?{WS}{_STRING}{WS}:{WS}{_SCALAR}{WS}", re.DOTALL),
}
_CLOSER = {"[": "]", "{": "}"}


class Fault(Exception):
    """Why a reply has no value, in one word."""


class Malformed(Fault):
    """Not JSON by its grammar."""

    def __init__(self) -> None:
        super().__init__("malformed")


def close(body: str, start: int) -> tuple[str, int, list[str]]:
    """The container opening at `start` as balanced text, where it ends in `body`, and the repairs it took.

    Faults: `too_deep` past MAX_DEPTH, `malformed` where a closer ends nothing or text follows a closed
    container that is not JSON.
    """
    awaited: list[str] = []
    parts: list[str] = []
    copied = edge = start
    end = len(body)
    for found in _MARK.finditer(body, start):
        at = found.start()
        mark = body[at]
        if mark == ",":
            edge = at
        elif mark in "[{":
            awaited.append(_CLOSER[mark])
            edge = found.end()
            if len(awaited) > MAX_DEPTH:
                raise Fault("too_deep")
        elif mark in "]}":
            missing = _missing(awaited, mark)
            if missing:
                parts += [body[copied:at], missing]
                copied = at
            edge = found.end()
            if not awaited:
                return "".join([*parts, body[copied:edge]]), edge, ["closed_braces"] if parts else []
        elif mark == "`":
            end = at
            break
    cut = _cut(body, edge, end, awaited[-1])
    dropped = ["dropped_incomplete"] if body[cut:end].strip() else []
    return "".join([*parts, body[copied:cut], *reversed(awaited)]), end, [*dropped, "closed_braces"]


def _missing(awaited: list[str], closer: str) -> str:
    """Close down to the container that `closer` ends; the closers that were left out before it."""
    if closer not in awaited:
        raise Malformed
    missing = ""
    while (expected := awaited.pop()) != closer:
        missing += expected
    return missing


def _cut(body: str, edge: int, end: int, awaited: str) -> int:
    """Where to cut an unfinished container: behind its last element if that is whole, else before it."""
    if body[edge - 1] in "]}" and body[edge : edge + 1] != ",":
        if body[edge:end].strip():
            raise Malformed
        return edge
    whole = _WHOLE[awaited].match(body, edge)
    return end if whole and whole.end() == end else edge
