"""Tables too large for memory, brought together by stay: sorted runs on disk, read by ranges of stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

RUN_BYTES = 64 << 20
"""Rows gathered before they are put down as one run; a table that never gets there stays in memory."""
PIECE_BYTES = 32 << 20
"""Rows of one piece, as far as whole stays allow."""
_STAY = "patientunitstayid"
_GROUP = 1 << 14


class _Run(NamedTuple):
    """A sorted file and its first and last stay: most tables are kept by stay, so that few runs overlap."""

    path: Path
    first: int
    last: int


class Runs:
    """The rows of one table, whatever their order in the file; `weight` is what a row grows by later."""

    def __init__(self, folder: Path, run_bytes: int = RUN_BYTES, weight: int = 1) -> None:
        self._folder, self._limit, self._weight = folder, run_bytes, weight
        self._frames: list[pl.DataFrame] = []
        self._gathered = 0
        self._runs: list[_Run] = []
        self._counts: list[pl.DataFrame] = []
        self.rows = 0
        self.bytes = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Take up some rows."""
        # The estimate of polars leaves out the 16 bytes by which a column refers to each of its texts.
        size = int(frame.estimated_size()) + 16 * frame.height * frame.width
        self._frames.append(frame)
        self._gathered += size
        self.rows += frame.height
        self.bytes += size
        if self._gathered > self._limit:
            self._put_down()

    @property
    def weighted(self) -> int:
        """The bytes of all rows times the weight."""
        return self._weight * self.bytes

    def sizes(self) -> pl.DataFrame:
        """Stay and `size`: the weighted bytes of its rows, estimated from the mean of the table."""
        mean = self._weight * self.bytes / max(self.rows, 1)
        return self._counted().select(pl.col(_STAY), size=pl.col("len") * mean)

    def between(self, low: int | None, high: int | None) -> pl.DataFrame:
        """The rows of stays from `low` up to, not including, `high` (None: no limit)."""
        inside = pl.lit(True)
        if low is not None:
            inside &= pl.col(_STAY) >= low
        if high is not None:
            inside &= pl.col(_STAY) < high
        frames = [frame.filter(inside) for frame in self._frames]
        paths = [
            run.path
            for run in self._runs
            if (low is None or run.last >= low) and (high is None or run.first < high)
        ]
        if paths:
            frames.append(pl.scan_parquet(paths, glob=False).filter(inside).collect())
        return pl.concat(frames, rechunk=True)

    def _counted(self) -> pl.DataFrame:
        counts = [*self._counts, *(frame.group_by(_STAY).len() for frame in self._frames)]
        return pl.concat(counts).group_by(_STAY).sum()

    def _put_down(self) -> None:
        self._counts = [self._counted()]
        path = self._folder / f"run{len(self._runs):05d}.parquet"
        rows = pl.concat(self._frames, rechunk=True).sort(_STAY)
        rows.write_parquet(path, compression="lz4", row_group_size=_GROUP)
        self._runs.append(_Run(path, rows[_STAY][0], rows[_STAY][-1]))
        self._frames, self._gathered = [rows.clear()], 0


def pieces(tables: Mapping[str, Runs], piece_bytes: int = PIECE_BYTES) -> Iterator[dict[str, pl.DataFrame]]:
    """The rows of several tables, whole stays together, in ascending ranges of stays of about `piece_bytes`.

    One piece where that is all of them.
    """
    edges: list[int | None] = [None]
    if sum(runs.weighted for runs in tables.values()) > piece_bytes:
        sizes = pl.concat([runs.sizes() for runs in tables.values()]).group_by(_STAY).sum().sort(_STAY)
        part = (pl.col("size").cum_sum() // piece_bytes).alias("part")
        edges += sizes.group_by(part).agg(pl.col(_STAY).min()).sort("part")[_STAY].to_list()[1:]
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        yield {name: runs.between(low, high) for name, runs in tables.items()}
