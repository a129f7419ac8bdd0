"""The Makefile: what a user types first, and what must not be lost."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from workflow_project import Project


def _make(project: Project, *arguments: str) -> str:
    done = subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=project.root,
        env=project.environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=True,
    )
    return done.stdout


def _study(results: Path, name: str, kinds: str) -> Path:
    manifest = results / name / "frozen" / "heldout" / "0123456789ab" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(f'{{"parameters":{{"models":{{{kinds}}}}}}}')
    return results / name


def test_make_alone_lists_every_target_with_what_it_does(clone: Project) -> None:
    listed = re.findall(r"^  make (\w+) +\w", _make(clone), re.MULTILINE)
    assert {"heldout", "test", "check", "bench", "engines", "clean"} <= set(listed)


def test_clean_keeps_a_study_in_which_a_real_model_took_part(clone: Project) -> None:
    scripted = _study(clone.results, "synthetic-scripted", '"scripted-qwen":{"kind":"scripted"}')
    mixed = _study(
        clone.results,
        "synthetic-qwen2.5-7b+scripted-qwen",
        '"qwen2.5-7b":{"kind":"real"},"scripted-qwen":{"kind":"scripted"}',
    )
    assert "keeping results/synthetic-qwen2.5-7b+scripted-qwen" in _make(clone, "clean")
    assert mixed.is_dir()
    assert not scripted.exists()


def test_settings_with_blanks_and_quotes_reach_snakemake_whole(clone: Project) -> None:
    shown = _make(clone, "-n", "heldout", "DATA=it's here", "LAB=lab part.csv", "PATIENTS=2")
    assert r"--config source=eicu_demo 'data=it'\''s here' 'lab=lab part.csv' 'patients=2'" in re.sub(
        " +", " ", shown
    )
