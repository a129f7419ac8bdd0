"""The declared error model: which slips a reply has, drawn from the prompt's own digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

from evrev.errors import SettingsError, nearest
from evrev.formats.canonical import derive_seed

T = TypeVar("T")
KINDS = ("omission", "extra", "missing_brace", "truncation")


def check_rates(rates: Mapping[str, float], *, where: str) -> dict[str, float]:
    """Every kind with its rate, 0 where none is given; SettingsError: unknown kind, or no probability."""
    for kind, rate in rates.items():
        if kind not in KINDS:
            raise SettingsError(
                f"no error kind {kind!r}{nearest(kind, KINDS)}",
                where=where,
                remedy=f"kinds: {', '.join(KINDS)}",
            )
        if not 0 <= rate <= 1:
            raise SettingsError(f"{kind}: {rate} is not a probability", where=where)
    return {kind: rates.get(kind, 0.0) for kind in KINDS}


class Slips:
    """The slips of one reply. The same reader and prompt give the same ones, in any run and order.

    omission: an entry is left out of claims, a summary or a list, each with this probability. extra: a list
    takes in an entry of the wanted type that may not support an item, if one is shown. missing_brace: the
    reply lacks its last brace. truncation: the reply repeats itself up to the output cap.
    """

    def __init__(self, rates: Mapping[str, float], *seed: object) -> None:
        self._rates = rates
        self._random = Random(derive_seed("scripted reader", *seed))

    def keep(self, entries: Sequence[T]) -> list[T]:
        """`entries` without those omitted."""
        return [entry for entry in entries if not self._happens("omission")]

    def extra(self, candidates: Sequence[T]) -> list[T]:
        """One of `candidates`, or none."""
        happens = self._happens("extra")
        return [self._random.choice(candidates)] if happens and candidates else []

    def lacks_brace(self) -> bool:
        """Whether the last brace is missing."""
        return self._happens("missing_brace")

    def runs_on(self) -> bool:
        """Whether the reply never ends by itself."""
        return self._happens("truncation")

    def _happens(self, kind: str) -> bool:
        return self._random.random() < self._rates[kind]
