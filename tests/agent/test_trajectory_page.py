"""The worked example of docs/trajectory.md is what the agent writes, to the last digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_fakes import Scripted, make_plan, make_scenario, play

from evrev.formats.trajectory import Trajectory


def example() -> dict[str, Any]:
    """One document, one use, the cache pipeline: two calls."""
    trajectory = play(make_scenario("E0", n=1), "cache", Scripted(), plan=make_plan(("medication",)))
    return trajectory.model_dump(mode="json")


def test_the_page_shows_a_real_trajectory(root: Path) -> None:
    page = (root / "docs" / "trajectory.md").read_text("utf-8")
    block = page.split("```json\n")[1].split("```")[0]
    remedy = "the block is json.dumps(example(), indent=2, ensure_ascii=False)"
    assert json.loads(block) == example(), remedy
    assert Trajectory.model_validate_json(block).status == "complete"


def test_the_page_names_every_field(root: Path) -> None:
    page = (root / "docs" / "trajectory.md").read_text("utf-8")
    for name in Trajectory.model_fields:
        assert f"`{name}`" in page
