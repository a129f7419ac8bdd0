"""A clean stop: the first SIGINT or SIGTERM cancels the work, a second one ends the process at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evrev.errors import EvrevError

AGAIN = "run the same command again: completed calls are kept"


@contextmanager
def stoppable(folder: Path) -> Iterator[None]:
    """Run a block of the current task; a stop raises EvrevError naming the signal and `folder`."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    stopped: list[signal.Signals] = []
    handled: list[signal.Signals] = []

    def stop(by: signal.Signals) -> None:
        stopped.append(by)
        release()
        if task is not None:
            task.cancel()

    def release() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    for one in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(one, stop, one)
        except (ValueError, RuntimeError):
            break  # only the main thread can be told of signals
        handled.append(one)
    try:
        yield
    except asyncio.CancelledError:
        if not stopped:
            raise
        raise EvrevError(f"stopped by {stopped[0].name}", where=folder, remedy=AGAIN) from None
    finally:
        release()
