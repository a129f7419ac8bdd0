"""One line that says how far a shard is, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

_EVERY = 0.2  # seconds between two refreshes


class Progress:
    """Counts trajectories, calls and tokens and keeps one line current; silent where nobody looks.

    `resumed` of the calls came from the journal: they are counted, but say nothing about speed.
    """

    def __init__(
        self,
        total: int,
        *,
        shown: bool = True,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream or sys.stderr
        self._shown = shown and self._stream.isatty()
        self._clock, self._began, self._next = clock, clock(), 0.0
        self._total, self._done, self._done_now = total, 0, 0
        self._calls, self._tokens = 0, 0

    def call(self, tokens: int, *, resumed: bool) -> None:
        """One call is done."""
        self._calls += 1
        self._tokens += 0 if resumed else tokens
        self._refresh()

    def trajectory(self, *, resumed: bool) -> None:
        """One trajectory is done; `resumed` if every call of it came from the journal."""
        self._done += 1
        self._done_now += not resumed
        self._refresh()

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def line(self) -> str:
        """Trajectories, calls, tokens per second and the time left, as far as it can be told."""
        seconds = self._clock() - self._began
        rate = self._tokens / seconds if seconds > 0 else 0.0
        left = self._total - self._done
        eta = _clock_time(seconds * left / self._done_now) if self._done_now else "?"
        done = f"{self._done}/{self._total} trajectories, {self._calls:,} calls"
        return f"{done}, {rate:,.0f} tokens/s, {eta} left"

    def _refresh(self) -> None:
        if self._shown and self._clock() >= self._next:
            self._next = self._clock() + _EVERY
            self._stream.write(f"\r\033[K{self.line()}")
            self._stream.flush()


def _clock_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
