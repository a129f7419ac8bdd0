"""A scenario can be read by a person: documents, versions, event, support classes, expected answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario_world import DONOR, ELSEWHERE, EVENTS, TARGET, P, S, make_world, scenario

from evrev.scenarios.show import show


@pytest.mark.parametrize("event", EVENTS)
def test_everything_a_scenario_holds_is_shown(tmp_path: Path, event: str) -> None:
    made = scenario(make_world(tmp_path, TARGET, DONOR, ELSEWHERE).build(), event)
    text = show(made)
    assert made.id in text
    for document in made.documents:
        assert f"{document.id} {document.title} (source {document.source})" in text
        assert f"version 1, digest {document.versions[0].payload_digest[:12]}" in text
        for line in document.versions[0].lines:
            assert line in text
    for entry in made.support:
        assert f"{entry.key}: {entry.support_class}" in text
    for path in made.expected.problem_paths:
        assert f"\n  {path}" in text
    assert f"use0: {', '.join(made.expected.medication_before)}" in text
    assert f"from use1: {', '.join(made.expected.medication_after)}" in text


def test_a_revocation_is_told_with_its_key(tmp_path: Path) -> None:
    made = scenario(make_world(tmp_path, TARGET, DONOR, ELSEWHERE).build(), "E1")
    text = show(made)
    assert f"event document: D4, key: {made.event_key}" in text
    assert "revision: revoke D4 after use0" in text
    assert f"{made.event_key}: unique_support_revoked, {{D4}} -> {{}}" in text


def test_a_key_is_shown_with_what_it_resolves_to(tmp_path: Path) -> None:
    target = P("target", (S(orders=("LASIX 40 MG", "aspirin 81 mg", "metoprolol 25 mg")),))
    text = show(scenario(make_world(tmp_path, target, DONOR, ELSEWHERE).build(), "E0"))
    assert "lasix (= furosemide): still_supported, {D1} -> {D1}" in text
