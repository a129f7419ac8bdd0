"""Snakemake and evrev as a user runs them: real processes in a checkout, with results of the test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Project:
    """A checkout and a results folder; `snakemake` and `evrev` run as processes in it."""

    root: Path
    results: Path
    settings: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The surroundings of a user, with the package of this checkout first."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "EVREV", "SNAKEMAKE"))}
        return kept | {"PYTHONPATH": str(self.root / "workflow"), "PYTHONWARNINGS": "default"}

    def command(self, *arguments: str, **config: str) -> list[str]:
        """A Snakemake command line with this project's results and settings."""
        settings = {"results": str(self.results)} | self.settings | config
        pairs = [f"{key}={value}" for key, value in settings.items()]
        return [sys.executable, "-m", "snakemake", *arguments, "--config", *pairs]

    def snakemake(self, *arguments: str, **config: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake to its end; stdout and stderr come together in `stdout`."""
        return self._run(self.command(*arguments, **config))

    def typed(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with exactly these arguments, as typed."""
        return self._run([sys.executable, "-m", "snakemake", *arguments])

    def evrev(self, *arguments: str, **config: str) -> subprocess.CompletedProcess[str]:
        """Run one evrev command to its end."""
        settings = {"results": str(self.results)} | self.settings | config
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        return self._run([sys.executable, "-m", "evrev", *options, *arguments])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.root,
            env=self.environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=300,
            check=False,
        )

    def files(self, pattern: str) -> list[Path]:
        """Files under results that match, not counting those seen again through `latest`."""
        found = (path for path in self.results.glob(pattern) if path.is_file())
        return sorted(path for path in found if path.relative_to(self.results).parts[0] != "latest")


def digests(folder: Path, pattern: str = "**/*") -> dict[str, bytes]:
    """Path -> bytes of everything that has one byte form.

    Left out are logs, timings, run records, Snakemake's marks, and the score database with its digest in the
    manifest, as DuckDB writes an identifier of its own into it. The manifest's digest over its rows stays in.
    """
    skipped = {"run.json", "timing.jsonl.zst", "scores.duckdb", ".lock", ".made"}
    found = {}
    for path in sorted(folder.glob(pattern)):
        parts = set(path.relative_to(folder).parts)
        if path.is_file() and path.name not in skipped and not {"logs", "latest"} & parts:
            data = path.read_bytes()
            if "scores" in parts:
                data = json.dumps(json.loads(data) | {"outputs": {}}).encode()
            found[path.relative_to(folder).as_posix()] = data
    return found
