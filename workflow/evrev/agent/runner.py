"""Run one shard of a batch with one model: durable call by call, and the same bytes however often it stopped.

Resume is replay. A process that was killed is started again over the same journal: the deterministic code
runs from its beginning, takes what is recorded, and asks the model only for what is missing.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evrev.agent.journal import Journal, sync_folder
from evrev.agent.lock import NAME as LOCK
from evrev.agent.lock import locked
from evrev.agent.models import ModelClient
from evrev.agent.models.make import make_client
from evrev.agent.progress import Progress
from evrev.agent.recorder import Recorder
from evrev.agent.run_record import NAME as RECORD
from evrev.agent.run_record import RunSummary, read_summary, write_timing
from evrev.agent.shard import Shard
from evrev.agent.spool import Spool
from evrev.agent.stopping import AGAIN, stoppable
from evrev.errors import EvrevError
from evrev.formats.canonical import write_json
from evrev.formats.plan import Plan
from evrev.formats.scenario import Scenario
from evrev.formats.settings import ModelEntry, Settings
from evrev.formats.task import TaskContract
from evrev.formats.trajectory_io import NAME as TRAJECTORIES
from evrev.formats.trajectory_io import write_trajectories

__all__ = ["RunSummary", "run_shard"]

JOURNAL, MANIFEST = "journal.jsonl", "manifest.json"


def run_shard(
    *,
    scenarios: list[Scenario],
    plan: Plan,
    contract: TaskContract,
    model: str,
    entry: ModelEntry,
    settings: Settings,
    folder: Path,
    finish: Callable[[Path], None],
    progress: bool,
    client: ModelClient | None = None,
) -> RunSummary:
    """Run or resume every scenario x pipeline of `plan` with one model, in `folder`, and say what it took.

    Another process that works on the folder is waited for; if it has finished by then, nothing is left to do.
    `finish` writes the manifest into the folder, after all else; only then is the journal removed. `client`
    stands in for the one that `entry` names.

    ModelError: the model cannot be used. EvrevError: stopped by a signal, or the disk fails. DigestError: the
    journal is damaged. FrozenError: it records other requests. Whatever is raised, completed calls stay in
    the journal, and no shard without a manifest counts as done.
    """
    entry = entry.model_copy(update={"context_length": min(entry.context_length, plan.context_length)})
    with _disk(folder):
        if _is_done(folder) and not (folder / JOURNAL).exists():
            return read_summary(folder)
    with _disk(folder), locked(folder):
        if _is_done(folder):
            _tidy(folder)
            return read_summary(folder)
        shard = Shard(
            scenarios,
            plan=plan,
            contract=contract,
            model=model,
            entry=entry,
            concurrency=settings.concurrency,
        )
        with Spool(folder) as spool:
            client = client or make_client(entry, settings)
            summary = asyncio.run(_generate(shard, client, folder, spool, progress))
            write_trajectories(folder / TRAJECTORIES, spool.in_order())
        write_timing(folder, (time for tally in shard.tallies for time in tally.times))
        write_json(folder / RECORD, summary)
        finish(folder)
        _tidy(folder)
    return summary


async def _generate(
    shard: Shard, client: ModelClient, folder: Path, spool: Spool, progress: bool
) -> RunSummary:
    """Put the shard's trajectories into `spool`."""
    journal = Journal(folder / JOURNAL)
    if journal.dropped:
        text = f"the last line was not whole; its {journal.dropped} bytes are left out"
        print(f"evrev: {journal.path}: {text}", file=sys.stderr)
    shown = Progress(len(shard), shown=progress)
    try:
        with stoppable(folder):
            await shard.run(Recorder(client, shard.model, journal, shard.concurrency, shown), spool)
    finally:
        shown.close()
        await client.close()
        await journal.close()
    return shard.summary(earlier_sessions=journal.sessions, earlier_seconds=journal.seconds)


def _is_done(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """A fault of the file system as an error the user can act on."""
    try:
        yield
    except OSError as error:
        raise EvrevError(
            error.strerror or str(error), where=error.filename or folder, remedy=f"when mended, {AGAIN}"
        ) from error


def _tidy(folder: Path) -> None:
    """Remove what a finished shard does not need, once its files have their names on disk."""
    sync_folder(folder)
    for path in (folder / JOURNAL, folder / LOCK, *folder.glob(".*.part")):
        path.unlink(missing_ok=True)
