"""The alias table against what a run's own records say: codes are evidence to look at, not the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evrev.errors import DataError
from evrev.medication import AliasTable, MedicationKey, medication_class, medication_key

_SHOWN = 8


@dataclass(frozen=True)
class AliasAudit:
    """What the orders of a run say about an alias table; names and codes in order, nothing judged.

    `unseen`: aliases that no order name holds. `unlike`: alias -> (codes under it, codes of its ingredient
    under other spellings) where both are known and none is shared. `by_class`: class -> its codes, where it
    has several. `by_code`: code -> its classes, where it holds several; both most frequent first with the
    number of distinct order names. `dependent`: class -> the order names that reach it only by an alias.
    """

    names: int
    aliases: int
    unseen: tuple[str, ...]
    unlike: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    by_class: Mapping[str, tuple[tuple[str, int], ...]]
    by_code: Mapping[str, tuple[tuple[str, int], ...]]
    dependent: Mapping[str, tuple[str, ...]]


def audit_aliases(orders: Path, aliases: AliasTable) -> AliasAudit:
    """Compare `aliases` with the names and HICL codes of the renderable orders (an orders.parquet).

    DataError when the file cannot be read.
    """
    try:
        frame = pl.read_parquet(orders, columns=["name", "hicl"], glob=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        cause = str(error).splitlines()[0]
        raise DataError(
            f"cannot be read: {cause}", where=orders, remedy="build the records again: evrev records build"
        ) from error
    codes: dict[str, set[str]] = {}
    for name, code in frame.unique().sort("name", "hicl").iter_rows():
        codes.setdefault(name, set()).update([code] if code else [])
    keys = {name: medication_key(name) for name in codes}
    classes = {name: medication_class(name, aliases) for name in codes}
    components = {part for key in keys.values() for part in key.components}
    pairs = [
        (name, classes[name], code)
        for name in codes
        if _single(classes[name])
        for code in sorted(codes[name])
    ]
    return AliasAudit(
        names=len(codes),
        aliases=len(aliases.rows),
        unseen=tuple(sorted(row.alias for row in aliases.rows if row.alias not in components)),
        unlike=_unlike(aliases, keys, codes),
        by_class=_several((found.key, code) for _, found, code in pairs),
        by_code=_several((code, found.key) for _, found, code in pairs),
        dependent=_dependent(keys, classes),
    )


def _single(key: MedicationKey) -> bool:
    return bool(key.key) and not key.ambiguous


def _several(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[tuple[str, int], ...]]:
    counts: dict[str, Counter[str]] = {}
    for first, second in pairs:
        counts.setdefault(first, Counter())[second] += 1
    return {
        first: tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))
        for first, found in sorted(counts.items())
        if len(found) > 1
    }


def _unlike(
    aliases: AliasTable, keys: Mapping[str, MedicationKey], codes: Mapping[str, set[str]]
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    of_key: dict[str, set[str]] = {}
    for name, key in keys.items():
        of_key.setdefault(key.key, set()).update(codes[name])
    spelled: dict[str, set[str]] = {}
    for lexical in of_key:
        spelled.setdefault("+".join(aliases.final.get(lexical, (lexical,))), set()).add(lexical)
    found = {}
    for alias, ingredients in sorted(aliases.final.items()):
        own = of_key.get(alias, set())
        others = spelled.get("+".join(ingredients), set()) - {alias}
        elsewhere = set[str]().union(*(of_key[lexical] for lexical in others))
        if own and elsewhere and not own & elsewhere:
            found[alias] = (tuple(sorted(own)), tuple(sorted(elsewhere)))
    return found


def _dependent(
    keys: Mapping[str, MedicationKey], classes: Mapping[str, MedicationKey]
) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name in sorted(keys):
        if keys[name].key != classes[name].key:
            found.setdefault(classes[name].key, []).append(name)
    return {key: tuple(names) for key, names in sorted(found.items())}


def render_audit(audit: AliasAudit) -> str:
    """The audit as text to read: what may be wrong first, what is merely so afterwards."""
    seen = audit.aliases - len(audit.unseen)
    spellings = sum(map(len, audit.dependent.values()))
    lines = [
        f"{audit.names:,} order names; {seen:,} of {audit.aliases:,} alias rows occur in them",
        "Codes are evidence, not truth: one drug may have several, and some codes are junk.",
    ]
    lines += _section(
        "aliases whose codes are none of their ingredient's under other spellings: look at these rows",
        (
            f"{alias}: {', '.join(own)}; ingredient: {', '.join(other)}"
            for alias, (own, other) in audit.unlike.items()
        ),
    )
    lines += _section("codes that hold several classes (order names)", _counted(audit.by_code))
    lines += _section("classes with several codes (order names)", _counted(audit.by_class))
    lines += _section(
        f"classes that {spellings:,} order names reach only by an alias",
        (f"{key}: {_some(names)}" for key, names in audit.dependent.items()),
    )
    lines += _section("alias rows that no order name holds", _wrapped(audit.unseen))
    return "\n".join(lines) + "\n"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return ["", f"{title}: {len(found) or 'none'}", *(f"  {line}" for line in found)]


def _counted(found: Mapping[str, tuple[tuple[str, int], ...]]) -> Iterable[str]:
    for first, others in found.items():
        yield f"{first}: {_some([f'{name} ({count})' for name, count in others])}"


def _some(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _wrapped(names: tuple[str, ...]) -> Iterable[str]:
    return (", ".join(names[start : start + 6]) for start in range(0, len(names), 6))
