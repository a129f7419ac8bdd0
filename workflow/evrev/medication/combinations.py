"""Dividing a name at the joints between its ingredients (docs/choices.md, medication keys)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evrev.medication.names import AMOUNT, UNIT
from evrev.medication.parts import Words
from evrev.medication.vocabulary import (
    ABBREVIATIONS,
    BARE_CARRIERS,
    FLUID_HEADS,
    NOISE,
    SINGLE_HYPHENATED,
)

_IN_CARRIER = re.compile(
    rf"(?:\bin|\bw/)\s(?:{AMOUNT}\s)?(?=(?:sterile\s)?(?:d5w|d10w|d5|d5ns|nss?|nacl|sod(?:ium)?\schl(?:oride)?"
    r"|sw|swfi|swi|water|dext(?:rose)?|lr|lactated\sringers?|(?:normal\s)?saline)(?![\w]))"
)
_TOKEN = re.compile(
    rf"(?P<chemical>(?<![\w./])[0-9][0-9.,]*-(?!{UNIT})[^\W\d_][\w-]*)"
    rf"|(?P<amount>{AMOUNT})"
    r"|(?P<joint>[/+&]|-(?=\s?[^\W\d_]{3})|\band\b|\bw/)"
    r"|(?P<loose>\bwith\b)"
    r"|(?P<word>[^\W_](?:[\w.-]*[\w])?)"
)
_FREQUENCY = re.compile(r"q\.?[0-9]{1,2}(?:h|hr|hrs|hours|min|d|w)?|x[0-9]+|[0-9].*")
_PREFIX = re.compile(r"[0-9]{1,2}-")


def divide(text: str) -> list[Words]:
    """The words of each part of a prepared name, in the order written; a part ends at its first amount."""
    return _Divider().divide(text)


class _Divider:
    """One pass over a name: a part ends at its first amount, a joint begins the next part."""

    def __init__(self) -> None:
        self.parts: list[Words] = [[]]
        self.closed = False
        self.after_amount = False
        self.begun_after_amount = False

    def divide(self, text: str) -> list[Words]:
        for match in _TOKEN.finditer(_IN_CARRIER.sub("/", text)):
            kind, token = match.lastgroup, match[0]
            after, self.after_amount = self.after_amount, False
            if kind == "amount":
                self._amount()
            elif kind == "joint" or (kind == "loose" and not after):
                self._joint(after)
            elif kind == "chemical":
                self._chemical(token)
            elif kind == "word" and not self.closed:
                self._word(token)
        return [part for part in self.parts if part]

    def _amount(self) -> None:
        self.after_amount = True
        # An amount before any word of the name belongs to the container; one after a joint closes the part.
        self.closed = bool(self.parts[-1]) or len(self.parts) > 1

    def _joint(self, after: bool) -> None:
        if (after or not self.closed) and self.parts[-1]:
            self.parts.append([])
            self.closed = False
            self.begun_after_amount = after

    def _chemical(self, token: str) -> None:
        number, _, rest = token.partition("-")
        if not self.closed and not self.parts[-1] and _PREFIX.match(token):
            self.parts[-1].append(token)
            return
        if number and not self.closed:
            self._amount()
            self._joint(after=True)
            self._word(rest)

    def _word(self, token: str) -> None:
        if self.begun_after_amount and not self.parts[-1] and len(token) < 3 and token not in BARE_CARRIERS:
            # A unit that was cut off (`5 mg/m`) begins no ingredient.
            self.closed = True
            return
        for index, piece in enumerate(_pieces(token)):
            if index:
                self._joint(after=False)
            if not self._says_nothing(piece):
                self.parts[-1].extend(ABBREVIATIONS.get(piece, piece).split())

    def _says_nothing(self, word: str) -> bool:
        if word in NOISE or _FREQUENCY.fullmatch(word):
            return True
        part = self.parts[-1]
        return word in BARE_CARRIERS and bool(part) and part[0] not in FLUID_HEADS


def _pieces(token: str) -> Iterator[str]:
    if "-" not in token or token in NOISE or _is_single(token):
        yield token
        return
    piece, *rest = token.split("-")
    for following in rest:
        last = piece.rpartition("-")[2]
        if _is_word(last) and _is_word(following):
            yield piece
            piece = following
        else:
            piece = f"{piece}-{following}" if piece else following
    yield piece.strip("-")


def _is_word(text: str) -> bool:
    return len(text) >= 3 and text.isalpha()


def _is_single(token: str) -> bool:
    return "-".join(token.split("-", 2)[:2]) in SINGLE_HYPHENATED
