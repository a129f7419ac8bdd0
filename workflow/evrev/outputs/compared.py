"""One cell on both sides: the paper's figure, ours, and what lies between them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from evrev.outputs.parts import MISSING
from evrev.outputs.table import NOT_RUN, UNDEFINED, Cell, Column

ABSENT = "not in the paper"
EQUAL, DIFFERS, NEITHER = "equal", "differs", "undefined"


class Compared(NamedTuple):
    """One cell on both sides; texts as printed, n where it is a count."""

    quantity: str
    paper: str
    paper_n: str
    here: str
    here_n: str
    difference: str
    proportion_difference: str
    status: str

    @property
    def printed(self) -> str:
        """Both figures and the difference in one text."""
        if self.status == NEITHER:
            return UNDEFINED
        if self.status in {NOT_RUN, ABSENT}:
            return f"{self.paper or UNDEFINED} → {self.here or NOT_RUN}"
        if self.proportion_difference and self.paper_n != self.here_n:
            return f"{self.paper}/{self.paper_n} → {self.here}/{self.here_n} ({self.proportion_difference})"
        return f"{self.paper} → {self.here} ({self.difference or self.status})"


def compare(column: Column, theirs: Mapping[str, str] | None, ours: Mapping[str, Cell] | None) -> Compared:
    """One column of a row on both sides; none where a side has no such row.

    Figures are compared as printed. A count's difference is given only where both sides count out of the same
    n; the difference of the proportions always is.
    """
    mine = ours[column.name] if ours else MISSING
    paper, here = theirs[column.name] if theirs else "", mine.plain
    paper_n = theirs[column.of] if theirs and column.of else ""
    here_n = ours[column.of].plain if ours and column.of else ""
    same_n = paper_n == here_n
    return Compared(
        quantity=column.name,
        paper=paper,
        paper_n=paper_n,
        here=here,
        here_n=here_n,
        difference=_difference(paper, here) if same_n else "",
        proportion_difference=_proportions(paper, paper_n, here, here_n),
        status=_status(theirs, paper, mine, same_n),
    )


def _status(theirs: Mapping[str, str] | None, paper: str, mine: Cell, same_n: bool) -> str:
    if mine.text == NOT_RUN:
        return NOT_RUN
    if theirs is None:
        return ABSENT
    if not paper and not mine.plain:
        return NEITHER
    return EQUAL if same_n and paper == mine.plain else DIFFERS


def _difference(paper: str, here: str) -> str:
    """`here` minus `paper` in the digits they are printed with; nothing unless both are numbers."""
    try:
        difference = Decimal(here) - Decimal(paper)
    except InvalidOperation:
        return ""
    return f"{difference:+f}" if difference else "0"


def _proportions(paper: str, paper_n: str, here: str, here_n: str) -> str:
    if not (paper and paper_n and here and here_n):
        return ""
    difference = int(here) / int(here_n) - int(paper) / int(paper_n)
    return f"{difference:+.3f}" if round(difference, 3) else "0"
