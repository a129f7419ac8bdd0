"""A stage folder exists whole or not at all, and says when a file in it was changed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evrev.errors import DigestError
from evrev.formats.manifest import Manifest, read_manifest
from evrev.freeze.stage import build_stage, verify_stage

MANIFEST = Manifest(stage="records", key="0123456789ab", code="c")


def _fill(text: str) -> Any:
    def fill(out: Path) -> dict[str, Any]:
        (out / "orders.txt").write_text(text)
        return {"notes": {"persons": 3}}

    return fill


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def fail(out: Path) -> dict[str, Any]:
        (out / "orders.txt").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build_stage(tmp_path / "stage", fail, MANIFEST)
    assert list(tmp_path.iterdir()) == []


def test_a_finished_folder_is_not_built_again(tmp_path: Path) -> None:
    build_stage(tmp_path / "stage", _fill("a"), MANIFEST)
    build_stage(tmp_path / "stage", _fill("b"), MANIFEST)
    assert (tmp_path / "stage" / "orders.txt").read_text() == "a"


def test_a_folder_without_a_manifest_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage" / "left over").write_text("x")
    build_stage(tmp_path / "stage", _fill("a"), MANIFEST)
    assert sorted(p.name for p in (tmp_path / "stage").iterdir()) == ["manifest.json", "orders.txt"]


def test_the_manifest_states_every_output(tmp_path: Path) -> None:
    made = build_stage(tmp_path / "stage", _fill("a"), MANIFEST)
    assert made == read_manifest(tmp_path / "stage")
    assert list(made.outputs) == ["orders.txt"]
    assert made.notes == {"persons": 3}


def test_a_file_changed_by_hand_is_named_with_both_digests(tmp_path: Path) -> None:
    build_stage(tmp_path / "stage", _fill("a"), MANIFEST)
    (tmp_path / "stage" / "orders.txt").write_text("b")
    with pytest.raises(DigestError, match=r"orders\.txt: was changed by hand: digest 3e23e8160039"):
        verify_stage(tmp_path / "stage", remedy="build it again")


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    build_stage(tmp_path / "stage", _fill("a"), MANIFEST)
    (tmp_path / "stage" / "orders.txt").unlink()
    with pytest.raises(DigestError, match=r"orders\.txt: is gone"):
        verify_stage(tmp_path / "stage", remedy="build it again")


def test_of_two_processes_that_build_one_folder_the_first_wins_and_nothing_is_taken_from_it(
    tmp_path: Path,
) -> None:
    def second(out: Path) -> dict[str, Any]:
        build_stage(tmp_path / "stage", _fill("first"), MANIFEST)
        return dict(_fill("second")(out))

    made = build_stage(tmp_path / "stage", second, MANIFEST)
    assert (tmp_path / "stage" / "orders.txt").read_text() == "first"
    assert made == read_manifest(tmp_path / "stage")
    assert [path.name for path in tmp_path.iterdir()] == ["stage"]


@pytest.mark.parametrize("content", ["", "{", "null", '{"stage": 1}'])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str) -> None:
    build_stage(tmp_path / "stage", _fill("a"), MANIFEST)
    (tmp_path / "stage" / "manifest.json").write_text(content)
    for use in (
        lambda: verify_stage(tmp_path / "stage", remedy="build it"),
        lambda: build_stage(tmp_path / "stage", _fill("a"), MANIFEST),
    ):
        with pytest.raises(DigestError, match=r"manifest\.json: is no manifest: "):
            use()


def test_an_unfinished_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DigestError, match="is not finished"):
        verify_stage(tmp_path, remedy="build it")
