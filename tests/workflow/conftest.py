"""Projects for tests of the whole workflow: fresh, finished, copied, cloned."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from workflow_project import Project


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Project:
    """This checkout, with results in a fresh folder and two patients."""
    return Project(root, tmp_path / "results", {"patients": "2"})


@pytest.fixture(scope="session")
def finished(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A held-out run of two patients that has finished. Tests read it, or copy it first."""
    made = Project(root, tmp_path_factory.mktemp("finished") / "it's [é] results", {"patients": "2"})
    done = made.snakemake("heldout")
    assert done.returncode == 0, done.stdout
    return made


@pytest.fixture
def copied(finished: Project, tmp_path: Path) -> Project:
    """The finished run, in a folder of its own."""
    shutil.copytree(finished.results, tmp_path / "copy", symlinks=True)
    return Project(finished.root, tmp_path / "copy", dict(finished.settings))


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Project:
    """A fresh clone: the files git would give, nothing made."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True
    )
    target = tmp_path / "clone"
    for name in filter(None, listed.stdout.decode().split("\0")):
        source = root / name
        if source.is_symlink() or source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
    return Project(target, target / "results")


@pytest.fixture
def started() -> Iterator[Callable[[list[str], Project], subprocess.Popen[bytes]]]:
    """Start processes that a test may kill; whatever is left of them is ended, by pid, afterwards."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(command: list[str], project: Project) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            cwd=project.root,
            env=project.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()
