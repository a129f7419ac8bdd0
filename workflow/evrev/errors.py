"""Errors a user can act on: what is wrong, where, and what to do. The command line exits with 2 on them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class EvrevError(Exception):
    """A fault in the input, the settings or the surroundings; never a fault in evrev itself.

    `where` names the file, row or key; `remedy` is the next thing to try.
    """

    def __init__(self, what: str, *, where: object = None, remedy: str | None = None) -> None:
        self.what, self.where, self.remedy = what, where, remedy
        super().__init__(what)

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where is not None else ""
        remedy = f"\n  {self.remedy}" if self.remedy else ""
        return f"{where}{self.what}{remedy}"


class DataError(EvrevError):
    """A source table is missing, damaged or not what it claims to be."""


class SettingsError(EvrevError):
    """A configuration key, plan or model entry is unknown or out of range."""


class DigestError(EvrevError):
    """A recorded file no longer has the digest its manifest states."""


class FrozenError(EvrevError):
    """A frozen batch and the present code, data or settings do not agree."""


class ModelError(EvrevError):
    """A model server cannot be used: down, wrong name, refused, or out of retries."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A ` (did you mean ...?)` suffix for the closest of `known`, or nothing."""
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
