"""A patient as the events see them: one stay, its documents, and everything the stay names anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from evrev.formats.canonical import derive_seed
from evrev.formats.scenario import Document
from evrev.scenarios.cohort import Person, Row, Stay
from evrev.scenarios.formulary import Drug, Formulary

_WORD = re.compile(r"[^\W_]+")


def words(*texts: str) -> frozenset[str]:
    """The casefolded words of some texts; punctuation parts words."""
    return frozenset(word for text in texts for word in _WORD.findall(text.casefold()))


@dataclass(frozen=True)
class Target:
    """One stay of a person with the documents D1-D3 made from it.

    The properties look at the whole stay and not only at its documents, so that what they rule out stays
    ruled out at every size and level.
    """

    person: Person
    stay: Stay
    documents: tuple[Document, ...]
    formulary: Formulary

    @cached_property
    def on_d1(self) -> tuple[Drug, ...]:
        """The drugs on the lines of D1, in order."""
        shown = len(self.documents[0].versions[0].lines)
        return tuple(self.formulary.drug(row.name) for row in self.stay.orders[:shown])

    @cached_property
    def ordered(self) -> frozenset[str]:
        """Every key, component included, of any renderable order of the stay."""
        return frozenset().union(*(self.formulary.drug(row.name).names for row in self.stay.orders))

    @cached_property
    def treated(self) -> frozenset[str]:
        """The drugs the stay's treatments name."""
        found = (self.formulary.treatment(row.name) for row in self.stay.treatments)
        return frozenset(drug for drug in found if drug)

    @cached_property
    def record_words(self) -> frozenset[str]:
        """The words of the stay's orders, problems and laboratory results."""
        return _line_words((*self.stay.orders, *self.stay.problems, *self.stay.results))

    @cached_property
    def treatment_words(self) -> frozenset[str]:
        """The words of the stay's treatments, which may mention a drug that no rule reads out of them."""
        return _line_words(self.stay.treatments)


def _line_words(rows: Iterable[Row]) -> frozenset[str]:
    return words(*{row.line for row in rows})


@dataclass(frozen=True)
class Pool:
    """The persons of the target's partition, from which donors are drawn, and the seed of the drawing.

    `drawn` holds the event keys of earlier draws of the same patient and event, which are not drawn again.
    """

    persons: tuple[Person, ...]
    contract: str
    drawn: tuple[str | None, ...] = ()

    def another(self, key: str | None) -> Pool:
        """The pool for one more draw, after one that took `key`."""
        return replace(self, drawn=(*self.drawn, key))

    def seed(self, target: Target, event: str) -> int:
        """The seed of a patient's event: the task contract, the patient, the event and the draw decide it."""
        draw = (len(self.drawn) + 1,) if self.drawn else ()
        return derive_seed("scenario", self.contract, target.person.pseudonym, event, *draw)

    def random(self, target: Target, event: str) -> Random:
        """A generator with that seed."""
        return Random(self.seed(target, event))

    def donors(self, target: Target, random: Random) -> list[Person]:
        """All other persons of the partition in a random order, whether or not the batch takes them."""
        others = [person for person in self.persons if person.person != target.person.person]
        random.shuffle(others)
        return others
