"""What a drug name or a treatment path names, looked up once per distinct text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from evrev.medication import AliasTable, medication_class, medication_key, treatment_drug


class Drug(NamedTuple):
    """A medication identity: its lexical key, the key after aliases, and whether it stands for one drug."""

    key: str
    resolved: str
    ambiguous: bool
    components: tuple[str, ...]
    names: frozenset[str]
    """Every key this name brings into a document: both keys, its components and what they resolve to."""


class Formulary:
    """Drug identities under one alias table (or none)."""

    def __init__(self, aliases: AliasTable | None, names: Iterable[str] = ()) -> None:
        """`names`: every renderable order name of the records; a treatment can only name their drugs."""
        self._aliases = aliases
        self._names = tuple(names)
        self._drugs: dict[str, Drug] = {}
        self._treatments: dict[str, str | None] = {}

    @cached_property
    def known(self) -> frozenset[str]:
        """The distinct, unambiguous resolved keys of all names."""
        drugs = (self.drug(name) for name in self._names)
        return frozenset(drug.resolved for drug in drugs if not drug.ambiguous)

    def drug(self, name: str) -> Drug:
        """The drug an order name stands for."""
        found = self._drugs.get(name)
        if found is None:
            found = self._drugs[name] = self._look_up(name)
        return found

    def _look_up(self, name: str) -> Drug:
        lexical, resolved = medication_key(name), medication_class(name, self._aliases)
        components = tuple(resolved.components)
        inside = {medication_class(component, self._aliases).key for component in components}
        names = frozenset({lexical.key, resolved.key, *lexical.components, *components, *inside})
        ambiguous = resolved.ambiguous or not resolved.key  # a name of which nothing is left is no drug
        return Drug(lexical.key, resolved.key, ambiguous, components, names)

    def treatment(self, path: str) -> str | None:
        """The resolved key of the drug a treatment path names, or none."""
        if path not in self._treatments:
            self._treatments[path] = treatment_drug(path, self.known, self._aliases)
        return self._treatments[path]
