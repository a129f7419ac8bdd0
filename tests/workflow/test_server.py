"""The held-out batch against a server: kills, resumes, outages, and the freeze of a run that is under way."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import psutil
import pytest
from reader_server import ReaderServer
from workflow_project import Project, digests

Start = Callable[[list[str], Project], "Popen[bytes]"]
TRAJECTORIES = "*/trajectories/heldout/*/*/*/trajectories.jsonl.zst"


@pytest.fixture
def served(project: Project) -> Project:
    """Two patients with a model behind a server."""
    project.settings |= {"models": "qwen2.5-7b", "concurrency": "4"}
    return project


@dataclass(frozen=True)
class Undisturbed:
    """What the batch gives when nothing goes wrong: its files, and how often each prompt is sent."""

    files: dict[str, bytes]
    prompts: Counter[str]


@pytest.fixture(scope="session")
def undisturbed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The batch, run once against a server without a fault."""
    results = tmp_path_factory.mktemp("undisturbed") / "results"
    project = Project(root, results, {"patients": "2", "models": "qwen2.5-7b"})
    with ReaderServer().running() as server:
        done = project.snakemake("heldout", endpoint=server.endpoint)
    assert done.returncode == 0, done.stdout
    return Undisturbed(digests(results), Counter(prompt for prompt, _ in server.answered))


def _jobs(project: Project) -> list[psutil.Process]:
    """The generation jobs that work for this project."""
    mine = {f"results={project.results}", "run"}
    return [p for p in psutil.process_iter(["cmdline"]) if mine <= set(p.info["cmdline"] or [])]


def _held(served: Project, started: Start, server: ReaderServer) -> Popen[bytes]:
    """The driver of a run that has come as far as the server lets it: every call in flight is held."""
    driver = started(served.command("heldout", endpoint=server.endpoint), served)
    assert server.holding.wait(60)
    return driver


def _wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    pause = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if condition():
            return
        pause.wait(0.05)
    raise AssertionError("it never came true")


def test_the_batch_against_a_server_makes_every_table_and_calls_as_often_as_the_paper_says(
    undisturbed: Undisturbed,
) -> None:
    tables = "synthetic-qwen2.5-7b-n2/tables/table"
    assert len([name for name in undisturbed.files if name.startswith(tables)]) == 12
    # Per patient: E0 3+6+10+10, E1 and E1b 3+7+19+13 each, E4 3+7+12+12.
    assert sum(undisturbed.prompts.values()) == 2 * (29 + 42 + 42 + 34)


def test_after_kill_9_of_the_job_no_answered_call_is_asked_again(
    served: Project, started: Start, undisturbed: Undisturbed
) -> None:
    with ReaderServer(hold_from=60).running() as server:
        driver = _held(served, started, server)
        (job,) = _jobs(served)
        job.kill()
        assert driver.wait(60) != 0
        assert served.files(TRAJECTORIES) == []
        server.release()
        done = served.snakemake("heldout", endpoint=server.endpoint)
        assert done.returncode == 0, done.stdout
    reached = Counter(prompt for prompt, held in server.answered if not held)
    assert reached == undisturbed.prompts
    assert digests(served.results) == undisturbed.files


def test_after_kill_9_of_the_driver_no_second_job_runs_beside_the_orphan(
    served: Project, started: Start, undisturbed: Undisturbed
) -> None:
    with ReaderServer(hold_from=60).running() as server:
        driver = _held(served, started, server)
        driver.kill()
        driver.wait()
        second = started(served.command("heldout", endpoint=server.endpoint), served)
        _wait_for(lambda: len(_jobs(served)) == 2)
        server.release()
        assert second.wait(120) == 0
    assert Counter(prompt for prompt, _ in server.answered) == undisturbed.prompts
    assert digests(served.results) == undisturbed.files


def test_after_kill_9_of_the_driver_a_job_that_finished_by_itself_is_not_run_again(
    served: Project, started: Start, undisturbed: Undisturbed
) -> None:
    with ReaderServer(hold_from=60).running() as server:
        driver = _held(served, started, server)
        driver.kill()
        driver.wait()
        server.release()
        _wait_for(lambda: _jobs(served) == [])
        done = served.snakemake("heldout", endpoint=server.endpoint)
        assert done.returncode == 0, done.stdout
    assert Counter(prompt for prompt, _ in server.answered) == undisturbed.prompts
    assert digests(served.results) == undisturbed.files


def test_a_server_that_is_down_stops_the_job_with_one_message_and_no_row(served: Project) -> None:
    done = served.snakemake("heldout", endpoint="http://127.0.0.1:9/v1", attempts="1")
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    assert "127.0.0.1:9" in done.stdout
    assert served.files(TRAJECTORIES) == []


def test_a_real_model_without_an_endpoint_says_what_is_missing(served: Project) -> None:
    for stage in (("records", "build"), ("scenarios", "build", "heldout")):
        assert served.evrev(*stage).returncode == 0
    done = served.evrev("run", "heldout", "--model", "qwen2.5-7b")
    assert done.returncode == 2
    assert "ENDPOINT" in done.stdout
    assert "Traceback" not in done.stdout


def test_an_incomplete_run_of_a_real_model_refuses_to_go_on_under_other_inputs(
    served: Project, started: Start
) -> None:
    with ReaderServer(hold_from=30).running() as server:
        driver = _held(served, started, server)
        for job in _jobs(served):
            job.kill()
        driver.wait(60)
        done = served.snakemake("heldout", endpoint=server.endpoint, aliases="false")
        assert done.returncode == 2
        assert "is incomplete and was frozen under other inputs: scenarios: frozen " in done.stdout
        assert "--config thaw=heldout" in done.stdout
        status = served.evrev("status", endpoint=server.endpoint, aliases="false")
        assert status.returncode == 0
        assert "qwen2.5-7b all: stopped, resumable" in status.stdout
        assert "was frozen under other inputs" in status.stdout
        server.release()
        done = served.snakemake("heldout", endpoint=server.endpoint, aliases="false", thaw="heldout")
        assert done.returncode == 0, done.stdout
    assert len(served.files("*/frozen/heldout/*/manifest.json")) == 2


def test_a_complete_run_of_a_real_model_is_used_as_frozen_whatever_changed_upstream(served: Project) -> None:
    with ReaderServer().running() as server:
        assert served.snakemake("heldout", endpoint=server.endpoint).returncode == 0
        asked = len(server.answered)
        done = served.snakemake("heldout", endpoint=server.endpoint, aliases="false")
        assert done.returncode == 0, done.stdout
        assert "is used as frozen, though scenarios: frozen " in done.stdout
        assert len(server.answered) == asked
    run = served.files("*/frozen/heldout/*/manifest.json")[0].parent.name
    assert f"run {run}" in served.files("*/tables/table3.md")[0].read_text()
