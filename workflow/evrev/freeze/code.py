"""Code digests: what a stage's code does, without how it is written or explained.

The digest is over syntax trees without docstrings, so a comment, a docstring or reformatting changes nothing
and every other edit does. It is the same on every Python version: a field that is empty counts as absent.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

SHARED = ("formats", "medication", "errors.py", "replies.py", "_closer.py", "tokenizers.py")
# Each room with the rooms whose work it builds on; the settings decide what runs, not what a run does.
UPSTREAM: dict[str, tuple[str, ...]] = {
    "records": (*SHARED, "records"),
    # Length levels are measured as the prompt shows a document.
    "scenarios": (*SHARED, "records", "scenarios", "prompts/document.j2"),
    "agent": (*SHARED, "records", "scenarios", "agent", "prompts"),
    "scoring": (*SHARED, "scoring"),
    "statistics": (*SHARED, "scoring", "statistics"),
    "outputs": (*SHARED, "scoring", "statistics", "outputs"),
}
NOT_PART = ("formats/settings.py", "formats/endpoint.py", "scenarios/audit/")
"""Files and folders that decide no stage's output: settings choose what runs, the audit only reads."""


def _walk(node: object, into: hashlib._Hash) -> None:
    if isinstance(node, ast.AST):
        into.update(f"({type(node).__name__}".encode())
        body = getattr(node, "body", None)
        for name, value in ast.iter_fields(node):
            if value is None or value == [] or name in {"ctx", "type_comment", "kind"}:
                continue
            if name == "body" and _has_docstring(node, body):
                value = value[1:]
            into.update(f" {name}".encode())
            _walk(value, into)
        into.update(b")")
    elif isinstance(node, list):
        for item in node:
            _walk(item, into)
        into.update(b";")
    else:
        into.update(f"={type(node).__name__}:{node!r}".encode())


def _has_docstring(node: ast.AST, body: object) -> bool:
    if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    first = body[0] if isinstance(body, list) and body else None
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def source_digest(text: str) -> str:
    """SHA-256 of a module's syntax tree without docstrings, comments and layout."""
    into = hashlib.sha256()
    _walk(ast.parse(text), into)
    return into.hexdigest()


def _files(part: str) -> list[Path]:
    path = PACKAGE / part
    if path.is_file():
        return [path]
    return sorted(p for p in path.rglob("*") if p.suffix in {".py", ".j2", ".csv", ".yaml"} and p.is_file())


def _digest_of(path: Path) -> str:
    data = path.read_bytes()
    return source_digest(data.decode()) if path.suffix == ".py" else hashlib.sha256(data).hexdigest()


@cache
def code_items(room: str) -> dict[str, str]:
    """File (relative to the package) -> digest, for a room and everything upstream of it."""
    items = {}
    for part in UPSTREAM[room]:
        for path in _files(part):
            name = path.relative_to(PACKAGE).as_posix()
            if not name.startswith(NOT_PART):
                items[name] = _digest_of(path)
    return items


@cache
def code_digest(room: str) -> str:
    """One digest for `code_items(room)`."""
    into = hashlib.sha256()
    for name, value in sorted(code_items(room).items()):
        into.update(f"{name}={value}\n".encode())
    return into.hexdigest()
