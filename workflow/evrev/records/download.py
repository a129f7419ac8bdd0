"""Getting the tables of the eICU demo from its publisher: resumed, verified, and never half there."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from evrev.errors import DataError, SettingsError, nearest
from evrev.formats.canonical import digest_file
from evrev.formats.tables import DOWNLOADS, files_at_hand, published_digests
from evrev.records.tables import TABLES
from evrev.records.transfer import Cut, Missing, check_address, transfer

BASE_URL = "https://physionet.org/files/eicu-crd-demo/2.0.1/"
"""Where release 2.0.1 of the demo is published (open access, Open Database License)."""
ATTEMPTS = 4
TIMEOUT = 60.0
_LONGEST_PAUSE = 30.0

Fetch = Callable[[Path, tuple[str, ...]], None]
"""Brings tables into a folder if they are not there."""


def download(
    tables: Collection[str],
    into: Path,
    *,
    base_url: str = BASE_URL,
    digests: dict[str, str] | None = None,
    attempts: int = ATTEMPTS,
    timeout: float = TIMEOUT,
    pause: float = 1.0,
    say: Callable[[str], None] | None = None,
) -> tuple[Path, ...]:
    """Bring the files of `tables` that `into` lacks from `base_url`, and return the paths brought.

    A file gets its name only when its SHA-256 is the published one (`digests`: table -> SHA-256, by default
    those of the release); until then it is NAME.part, and a later call takes it up where it ended. Transport
    faults, stalls of more than `timeout` seconds, cut bodies and wrong bytes are tried `attempts` times with
    pauses that double from `pause` seconds. `say` is told of each file, if given. SettingsError for
    an unknown table or an address that is not https; DataError when a file cannot be had or is not what was
    published, one line and the remedy.
    """
    check_address(base_url)
    given = published_digests() if digests is None else digests
    known = {name.lower(): value for name, value in given.items()}
    for name in tables:
        if name not in TABLES or name.lower() not in known:
            raise SettingsError(
                f"no published table {name!r}{nearest(name, TABLES)}", remedy=f"tables: {', '.join(TABLES)}"
            )
    wanted = [name for name in TABLES if name in tables]
    there = files_at_hand(into, tables=wanted) if into.is_dir() else {}
    brought = []
    for name in (name for name in wanted if not there.get(name)):
        into.mkdir(parents=True, exist_ok=True)
        path = into / f"{name}.csv.gz"
        if say is not None:
            say(f"downloading {base_url}{path.name}")
        with _part(path) as part:
            _bring(f"{base_url}{path.name}", part, known[name.lower()], attempts, timeout, pause)
            os.fsync(part.fileno())
            Path(part.name).replace(path)
        brought.append(path)
    return tuple(brought)


def fetcher(data: str | Path | None) -> Fetch | None:
    """What brings absent tables into evrev's own folder for them; nothing for a folder of the user's."""
    if data is None or Path(data).resolve() != DOWNLOADS.resolve():
        return None

    def fetch(folder: Path, tables: tuple[str, ...]) -> None:
        download(tables, folder)

    return fetch


@contextmanager
def _part(path: Path) -> Iterator[IO[bytes]]:
    part = path.with_name(f"{path.name}.part")
    with part.open("a+b") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataError("another download is writing it", where=part, remedy="wait for it") from error
        yield handle


def _bring(url: str, part: IO[bytes], expected: str, attempts: int, timeout: float, pause: float) -> None:
    for attempt in range(1, attempts + 1):
        try:
            transfer(url, part, timeout)
            found = digest_file(Path(part.name))
            if found == expected:
                return
            # Nothing tells which of the bytes are wrong, so none is kept.
            part.truncate(0)
            cause = f"the bytes are not the published ones: SHA-256 {found[:12]}, published {expected[:12]}"
        except Missing as error:
            Path(part.name).unlink(missing_ok=True)
            raise DataError(str(error), where=url, remedy=_remedy(part)) from error
        except Cut as error:
            cause = str(error)
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}", where=part.name) from error
        if attempt < attempts:
            time.sleep(min(_LONGEST_PAUSE, pause * 2 ** (attempt - 1)))
    if not Path(part.name).stat().st_size:
        Path(part.name).unlink()
    tries = f"{attempts} attempts" if attempts > 1 else "1 attempt"
    raise DataError(f"{cause} ({tries})", where=url, remedy=_remedy(part))


def _remedy(part: IO[bytes]) -> str:
    name = Path(part.name)
    return f"try again later, or put {name.name.removesuffix('.part')} into {name.parent} yourself"
