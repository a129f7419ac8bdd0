"""A pipeline of another package decides what a run does, as our own code does: its code is frozen with it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from evrev.formats.canonical import digest, digest_file
from evrev.freeze.code import source_digest

GROUP = "evrev.pipelines"


def plugin_items(names: Iterable[str]) -> dict[str, str]:
    """`pipeline NAME` -> digest of the package it comes from, for each of `names` that is not evrev's own."""
    found = {point.name: point for point in _installed() if _package(point) != "evrev"}
    return {f"pipeline {name}": _digest(found[name]) for name in names if name in found}


@cache
def _installed() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _package(point: EntryPoint) -> str:
    return point.module.partition(".")[0]


@cache
def _digest(point: EntryPoint) -> str:
    """Over the package's version and the code of each of its modules, as far as there are any to read."""
    package = _package(point)
    spec = find_spec(package)
    files: dict[str, Path] = {}
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
        files |= {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}
    if spec and not files and spec.origin and spec.origin.endswith(".py"):
        files = {package: Path(spec.origin)}
    code = {name: _code(path) for name, path in sorted(files.items())}
    return digest([package, point.value, point.dist.version if point.dist else None, code])


def _code(path: Path) -> str:
    try:
        return source_digest(path.read_text("utf-8"))
    except (SyntaxError, ValueError):
        return digest_file(path)  # a template, or a module that will not load anyway
