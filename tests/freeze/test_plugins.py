"""The code of another package's pipeline is frozen with the run, as our own is."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from evrev.formats.settings import Settings
from evrev.freeze import plugins
from evrev.freeze.study import Study

PLAN = ("reread", "own", "cache")


def item(monkeypatch: pytest.MonkeyPatch) -> str:
    """The digest as a process that starts now would see it."""
    found = tuple(
        EntryPoint(name, value, plugins.GROUP)
        for name, value in (
            ("cache", "evrev.agent.pipelines.cache:Cache"),
            ("own", "freshly_written.own:Own"),
        )
    )
    monkeypatch.setattr(plugins, "_installed", lambda: found)
    plugins._digest.cache_clear()
    (only,) = plugins.plugin_items(PLAN).items()
    assert only[0] == "pipeline own"
    return only[1]


def test_the_digest_changes_with_any_module_of_the_package_but_not_with_its_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "freshly_written"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    (package / "__init__.py").write_text("")
    (package / "own.py").write_text("from freshly_written.rule import LIMIT\n")
    (package / "rule.py").write_text("LIMIT = 1\n")
    first = item(monkeypatch)
    (package / "rule.py").write_text("LIMIT = 1  # one\n")
    assert item(monkeypatch) == first
    (package / "rule.py").write_text("LIMIT = 2\n")
    assert item(monkeypatch) != first
    (package / "rule.py").write_text("not Python\n")
    assert item(monkeypatch) != first


def test_a_package_that_is_gone_is_no_crash_before_the_run_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(item(monkeypatch)) == 64


def test_a_run_of_our_own_pipelines_has_no_such_item() -> None:
    items = Study(Settings.model_validate({})).items("heldout")
    assert not [name for name in items if name.startswith("pipeline ")]
    assert {"code", "plan", "decoding"} <= items.keys()
