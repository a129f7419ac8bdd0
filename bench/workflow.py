"""What a user waits for: help, the dry run of the main job, and the main job on synthetic records.

    .venv/bin/python bench/workflow.py

Each figure is the median wall time of whole processes, with its bar, and as a ratio to a bare start of
Snakemake in the same run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = sys.executable


def seconds(command: list[str], times: int) -> float:
    """Median wall seconds of a command that must succeed."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> int:
    """Print the figures; exit status 1 if one misses its bar."""
    with tempfile.TemporaryDirectory() as folder:
        snakemake = [PYTHON, "-m", "snakemake"]
        results = ["--config", f"results={folder}"]
        bare = seconds([*snakemake, "--version"], 3)
        figures = [
            ("evrev --help", seconds([PYTHON, "-m", "evrev", "--help"], 5), 0.3),
            ("snakemake -n heldout", seconds([*snakemake, "-n", "heldout", *results], 3), 3.0),
            (
                "snakemake heldout, synthetic records, 20 patients",
                seconds([*snakemake, "heldout", *results], 1),
                60.0,
            ),
            ("snakemake heldout, nothing to do", seconds([*snakemake, "heldout", *results], 3), 4.0),
        ]
    missed = False
    for name, value, bar in figures:
        missed |= value > bar
        print(f"{name}: {value:.2f} s (bar {bar:g} s, {value / bare:.1f} x a bare start of snakemake)")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
