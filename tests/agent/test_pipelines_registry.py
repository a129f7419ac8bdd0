"""Pipelines are found by entry point, one's own among them; one that cannot be used is named."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest
from agent_fakes import make_scenario, play

from evrev.agent import pipelines as registry
from evrev.agent.pipelines import MemoryView, Pipeline, Snapshot, pipelines
from evrev.agent.pipelines.cache import Cache
from evrev.errors import SettingsError
from evrev.formats.scenario import Task


class MedicationFacts(Cache):
    """Somebody's own pipeline: only facts typed as medication."""

    name = "own"

    def show(self, snapshot: Snapshot, task: Task) -> MemoryView:  # noqa: ARG002
        return MemoryView(tuple(n for n in snapshot.nodes if any(f.type == "med" for f in n.facts)))


class Nameless(Cache):
    name = "another"


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("invented_plugin")
    module.MedicationFacts, module.Nameless, module.NotOne = MedicationFacts, Nameless, int
    monkeypatch.setitem(sys.modules, "invented_plugin", module)


def install(monkeypatch: pytest.MonkeyPatch, *points: tuple[str, str]) -> None:
    """Let these entry points and the one of `cache`, twice, be all there are."""
    cache = ("cache", "evrev.agent.pipelines.cache:Cache")
    found = [EntryPoint(name, value, registry.GROUP) for name, value in (*points, cache, cache)]
    monkeypatch.setattr(registry, "entry_points", lambda group: [p for p in found if p.group == group])


def test_the_pipelines_of_the_paper_are_installed() -> None:
    found = pipelines()
    assert {"reread", "cache", "rebuild", "local_repair"} <= set(found)
    for name, pipeline in found.items():
        assert issubclass(pipeline, Pipeline)
        assert pipeline.name == name


@pytest.mark.usefixtures("plugin")
def test_a_pipeline_of_ones_own_is_one_class_and_one_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, ("own", "invented_plugin:MedicationFacts"))
    found = pipelines()
    assert list(found) == ["cache", "own"]
    trajectory = play(make_scenario("E1"), found["own"]())
    assert trajectory.pipeline == "own"
    assert {read.row for read in trajectory.uses[1].read_set} == {"node:c:D1", "evidence:D1"}


def test_an_installed_package_of_anothers_brings_its_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "installed_plugin.py").write_text(
        "from evrev.agent.pipelines.cache import Cache\n\n\nclass Own(Cache):\n    name = 'own'\n"
    )
    about = tmp_path / "installed_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: installed-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{registry.GROUP}]\nown = installed_plugin:Own\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = pipelines()
    assert {"own", "cache", "local_repair"} <= set(found)
    assert len(play(make_scenario("E1"), found["own"]()).calls) == 7


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("own", "no_such_module_anywhere:Own", "cannot be loaded: ModuleNotFoundError"),
        ("own", "invented_plugin:Missing", "cannot be loaded: AttributeError"),
        ("own", "invented_plugin:NotOne", "is not a subclass"),
        ("own", "invented_plugin:Nameless", "registered as 'own' but its class states another name"),
        ("cache", "invented_plugin:MedicationFacts", "another package has registered this name"),
        ("cache", "a_plugin_named_before:MedicationFacts", "another package has registered this name"),
    ],
)
def test_an_entry_point_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    install(monkeypatch, (name, value))
    with pytest.raises(SettingsError) as caught:
        pipelines()
    assert message in str(caught.value)
    assert f"pipeline {name} " in str(caught.value)
    assert "uninstall" in str(caught.value)


def test_without_any_entry_point_the_remedy_is_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda **_: [])
    with pytest.raises(SettingsError, match="no pipeline is installed"):
        pipelines()
