"""Finished trajectories wait on disk, so that memory stays flat however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType

from evrev.formats.trajectory import Trajectory


class Spool:
    """Takes trajectories in the order they end and gives them back in plan order.

    The file, on the disk of `folder`, has no name: it vanishes with the process, and the journal makes it
    again.
    """

    def __init__(self, folder: Path) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115
        self._places: dict[int, tuple[int, int]] = {}
        self._end = 0

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def put(self, position: int, trajectory: Trajectory) -> None:
        """Keep the trajectory at `position` of the plan."""
        data = trajectory.model_dump_json().encode()
        self._file.seek(self._end)
        self._file.write(data)
        self._places[position] = (self._end, len(data))
        self._end += len(data)

    def in_order(self) -> Iterator[Trajectory]:
        """Every trajectory kept, by position."""
        for position in sorted(self._places):
            start, size = self._places[position]
            self._file.seek(start)
            yield Trajectory.model_validate_json(self._file.read(size))
