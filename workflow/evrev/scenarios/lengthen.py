"""Filling a record up to a target length, and how far the records of a batch can be filled (App. O)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from evrev.formats.scenario import Document
from evrev.scenarios.caps import BAND, ENOUGH
from evrev.scenarios.prompt_body import Tokens, body_tokens

TOO_LONG = "the small documents alone pass the target"
TOO_LITTLE = "everything there is stays below 90 % of the target"
NO_FIT = "nothing further fits whole below the target"
REASONS = (TOO_LONG, TOO_LITTLE, NO_FIT)
"""Why a record does not reach a target."""


class Lengthened(NamedTuple):
    """A record filled towards a target: its documents in scenario order and the tokens of its body.

    `reason` says why the body is not within 90-100 % of the target; it is none when it is.
    """

    documents: tuple[Document, ...]
    target: int
    tokens: int
    reason: str | None


class Lengthening(Protocol):
    """A record that can be filled to any target."""

    def to(self, target: int) -> Lengthened:
        """The record filled to `target` tokens as far as it goes."""
        ...


def is_filled(tokens: int, target: int) -> bool:
    """Whether 90 % of the target is reached."""
    part, whole = BAND
    return whole * tokens >= part * target


def shortfall(tokens: int, target: int, *, exhausted: bool) -> str | None:
    """Why a filled record is out of the band, or none; `exhausted` when all there was has been added."""
    if tokens > target:
        return TOO_LONG
    if is_filled(tokens, target):
        return None
    return TOO_LITTLE if exhausted else NO_FIT


def fill(
    head: Sequence[Tokens], tail: Sequence[Tokens], candidates: Iterable[Callable[[int], Tokens]], target: int
) -> tuple[tuple[int, ...], int]:
    """Which candidates stand between `head` and `tail`, by number and in order, and the tokens of it all.

    Each is taken whole; one that would pass the target is skipped and the next is tried, until 90 % of the
    target is reached. A candidate is called with how many stand before it, as its header may depend on that.
    """
    kept: list[int] = []
    body, tokens = list(head), body_tokens([*head, *tail])
    for number, candidate in enumerate(candidates):
        if is_filled(tokens, target):
            break
        tried = [*body, candidate(len(kept))]
        total = body_tokens([*tried, *tail])
        if total <= target:
            kept.append(number)
            body, tokens = tried, total
    return tuple(kept), tokens


def largest_reached(
    targets: Iterable[int], records: Sequence[Lengthening], enough: int = ENOUGH
) -> int | None:
    """The first of the falling `targets` for which at least `enough` records are in the band, or none."""
    for target in targets:
        if sum(record.to(target).reason is None for record in records) >= enough:
            return target
    return None
