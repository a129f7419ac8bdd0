"""Stage folders: filled beside their place, given a manifest, then renamed into it; existing means done."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evrev.errors import DigestError
from evrev.formats.canonical import digest_file, write_json
from evrev.formats.manifest import Manifest, read_manifest


def output_digests(folder: Path, names: list[str] | None = None) -> dict[str, str]:
    """Path in `folder` -> SHA-256, for the named files or for every file."""
    found = names or sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return {name: digest_file(folder / name) for name in found}


def build_stage(folder: Path, fill: Callable[[Path], Mapping[str, Any]], manifest: Manifest) -> Manifest:
    """Make a stage folder whole or not at all; a folder that is done, or done meanwhile, is left as it is.

    `fill` writes the files into an empty folder and returns manifest fields to add (`notes`, `partial`).
    """
    done = read_manifest(folder)
    if done is not None:
        return done
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"))
    part.chmod(0o755)
    try:
        added = fill(part)
        made = manifest.model_copy(update={**added, "outputs": output_digests(part)})
        write_json(part / "manifest.json", made)
        return _placed(part, folder) or made
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _placed(part: Path, folder: Path) -> Manifest | None:
    """Give `part` its name, or return the manifest of another process that was faster."""
    try:
        part.replace(folder)
    except OSError:
        done = read_manifest(folder)
        if done is not None:
            return done
        if not folder.is_dir():
            raise
        shutil.rmtree(folder)
        part.replace(folder)
    return None


def verify_stage(folder: Path, *, remedy: str) -> Manifest:
    """The manifest of a finished folder; DigestError names a file that no longer has its digest."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise DigestError("is not finished: no manifest.json", where=folder, remedy=remedy)
    for name, expected in manifest.outputs.items():
        path = folder / name
        if not path.is_file():
            raise DigestError("is gone", where=path, remedy=remedy)
        actual = digest_file(path)
        if actual != expected:
            raise DigestError(
                f"was changed by hand: digest {actual[:12]}, its manifest states {expected[:12]}",
                where=path,
                remedy=remedy,
            )
    return manifest
