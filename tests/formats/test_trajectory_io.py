"""Trajectory files: equal records give equal bytes, and a damaged file is named and never read in part."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from evrev.errors import DataError
from evrev.formats.trajectory import Decoding, Failure, Trajectory
from evrev.formats.trajectory_io import NAME, read_trajectories, write_trajectories


def _trajectory(number: int, text: str = "") -> Trajectory:
    return Trajectory(
        id=f"s{number}.reread.m",
        batch="hand",
        scenario=f"s{number}",
        scenario_digest="0" * 64,
        patient="p",
        partition="sealed",
        event="E0",
        size="small",
        pipeline="reread",
        model="m",
        decoding=Decoding(),
        status="failed",
        failure=Failure(kind="pipeline_error", message=text),
        calls=(),
        uses=(),
    )


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    assert write_trajectories(path, [_trajectory(n, "x" * n) for n in range(50)]) == 50
    return path


def test_what_is_written_is_read_back_in_order(tmp_path: Path) -> None:
    records = [_trajectory(n, text) for n, text in enumerate(["é\n|", "\x00 \u2028", "z" * 300_000])]
    write_trajectories(tmp_path / NAME, records)
    assert list(read_trajectories(tmp_path / NAME)) == records


def test_a_list_and_a_stream_of_the_same_trajectories_give_the_same_bytes(
    tmp_path: Path, written: Path
) -> None:
    again = tmp_path / "again.jsonl.zst"
    write_trajectories(again, (_trajectory(n, "x" * n) for n in range(50)))
    assert again.read_bytes() == written.read_bytes()


def test_lone_surrogates_are_made_valid_text_when_written(tmp_path: Path) -> None:
    write_trajectories(tmp_path / NAME, [_trajectory(1, "a\ud800b")])
    (read,) = read_trajectories(tmp_path / NAME)
    assert read.failure is not None
    assert read.failure.message == "a\ufffdb"


def test_an_empty_file_of_trajectories_holds_none(tmp_path: Path) -> None:
    write_trajectories(tmp_path / NAME, [])
    assert list(read_trajectories(tmp_path / NAME)) == []


def test_a_failure_while_writing_leaves_no_file_behind(tmp_path: Path) -> None:
    def broken() -> object:
        yield _trajectory(1)
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_trajectories(tmp_path / NAME, broken())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kept", [0, 3, 40, -1])
def test_a_file_cut_anywhere_is_an_error_that_names_it(written: Path, kept: int) -> None:
    written.write_bytes(written.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"trajectories\.jsonl\.zst: .*cut|cannot be read"):
        list(read_trajectories(written))


def test_a_cut_last_line_inside_a_whole_frame_is_an_error(written: Path) -> None:
    text = zstandard.ZstdDecompressor().stream_reader(written.read_bytes()).read()
    written.write_bytes(zstandard.compress(text[:-20]))
    with pytest.raises(DataError, match="last line is cut"):
        list(read_trajectories(written))


def test_data_after_the_frame_is_an_error(written: Path) -> None:
    written.write_bytes(written.read_bytes() * 2)
    with pytest.raises(DataError, match="other data follows"):
        list(read_trajectories(written))


def test_a_flipped_byte_is_an_error(written: Path) -> None:
    data = bytearray(written.read_bytes())
    data[-1] ^= 1
    written.write_bytes(data)
    with pytest.raises(DataError, match="cannot be read"):
        list(read_trajectories(written))


@pytest.mark.parametrize(("content", "what"), [(b"plain text\n", "cannot be read"), (None, "cannot be read")])
def test_an_absent_file_and_one_that_is_not_zstd_are_errors(
    tmp_path: Path, content: bytes | None, what: str
) -> None:
    path = tmp_path / NAME
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=what):
        list(read_trajectories(path))


def test_a_line_that_is_no_trajectory_is_named_by_its_number(written: Path) -> None:
    text = zstandard.ZstdDecompressor().stream_reader(written.read_bytes()).read()
    lines = text.split(b"\n")
    lines[2] = b'{"id": 7}'
    written.write_bytes(zstandard.compress(b"\n".join(lines)))
    with pytest.raises(DataError, match="line 3: not a trajectory: id: "):
        list(read_trajectories(written))
