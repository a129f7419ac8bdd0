"""A code digest changes with what code does, not with how it is written or explained."""

from __future__ import annotations

import ast
import textwrap

import pytest

from evrev.freeze.code import NOT_PART, PACKAGE, UPSTREAM, code_digest, code_items, source_digest

SOURCE = textwrap.dedent('''
    """A module."""

    def dose(x: int) -> int:
        """Twice x."""
        return x * 2  # doubled


    class Order:
        """One line."""

        name: str = "heparin"
''')


@pytest.mark.parametrize(
    "same",
    [
        SOURCE.replace("Twice x.", "The double of x, in mg."),
        SOURCE.replace("  # doubled", ""),
        SOURCE.replace("A module.", ""),
        SOURCE.replace("return x * 2", "return (\n        x * 2\n    )"),
        SOURCE.replace('"heparin"', "'heparin'"),
    ],
    ids=["docstring", "comment", "module docstring", "layout", "quotes"],
)
def test_explaining_or_reformatting_code_changes_nothing(same: str) -> None:
    assert source_digest(same) == source_digest(SOURCE)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("x * 2", "x * 3"),
        SOURCE.replace("x * 2", "2 * x"),
        SOURCE.replace('"heparin"', '"Heparin"'),
        SOURCE.replace("def dose", "def doses"),
        SOURCE.replace("x * 2", "x + 2"),
        SOURCE.replace("(x: int)", "(x: int = 1)"),
    ],
    ids=["constant", "order", "string", "name", "operator", "default"],
)
def test_every_other_edit_changes_the_digest(other: str) -> None:
    assert source_digest(other) != source_digest(SOURCE)


def test_a_string_that_is_not_a_docstring_counts() -> None:
    assert source_digest("x = 1\n'a'") != source_digest("x = 1\n'b'")


@pytest.mark.parametrize("room", UPSTREAM)
def test_a_digest_covers_every_module_that_its_code_imports(room: str) -> None:
    """Save those of `freeze`, which takes digests and shapes no result."""
    covered = set(code_items(room)) | set(NOT_PART)
    for name in filter(lambda name: name.endswith(".py"), set(code_items(room))):
        for node in ast.walk(ast.parse((PACKAGE / name).read_text("utf-8"))):
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            if module.startswith("evrev.") and not module.startswith("evrev.freeze"):
                path = module.removeprefix("evrev.").replace(".", "/")
                assert {f"{path}.py", f"{path}/__init__.py"} & covered, f"{name} imports {module}"


def test_each_room_covers_itself_and_what_is_upstream_and_nothing_downstream() -> None:
    assert any(name.startswith("prompts/") for name in code_items("agent"))
    assert not any(name.startswith(("scoring/", "outputs/")) for name in code_items("agent"))
    assert not any(name.startswith("agent/") for name in code_items("scoring"))
    assert len({code_digest(room) for room in UPSTREAM}) == len(UPSTREAM)
