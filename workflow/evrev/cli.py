"""The command line: one command per stage. Exit 0 done, 1 a finding, 2 an error the user can mend."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from evrev.errors import EvrevError
    from evrev.freeze.study import Study

app = typer.Typer(
    help="Evaluate what an agent's memory costs, and what it gets wrong, when its evidence changes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
records = typer.Typer(help="eICU tables to patients.", no_args_is_help=True)
scenarios = typer.Typer(help="Patients to scenarios.", no_args_is_help=True)
app.add_typer(records, name="records")
app.add_typer(scenarios, name="scenarios")

Batch = Annotated[str, typer.Argument(help="a plan under config/batches/, as heldout")]


@dataclass
class _Options:
    """What stands before the command."""

    settings: list[str] = field(default_factory=list)
    config: Path | None = None
    log: Path | None = None
    debug: bool = False


OPTIONS = _Options()


@app.callback()
def _options(
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="a setting over the config file's")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="settings file [default: config/config.yaml]")] = None,
    log: Annotated[Path | None, typer.Option(help="also write messages to this file")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="show a traceback for errors")] = False,
) -> None:
    OPTIONS.settings, OPTIONS.config = settings or [], config
    OPTIONS.log, OPTIONS.debug = log, debug


def _study() -> Study:
    from evrev.formats.settings import load_settings
    from evrev.freeze.study import Study

    return Study(load_settings(tuple(OPTIONS.settings), OPTIONS.config))


def say(text: str) -> None:
    """A message to the user on stderr, and into the log if there is one and it can be written."""
    print(f"evrev: {text}", file=sys.stderr)
    if OPTIONS.log is None:
        return
    try:
        OPTIONS.log.parent.mkdir(parents=True, exist_ok=True)
        with OPTIONS.log.open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")
    except OSError as error:
        print(f"evrev: {OPTIONS.log}: {error.strerror}", file=sys.stderr)


@records.command("build")
def records_build(
    charting: Annotated[
        bool, typer.Option("--charting", help="also vital signs and nursing entries, for the length levels")
    ] = False,
) -> None:
    """Read the source tables and write the records of this study."""
    from evrev.stages import prepare

    say(prepare.build_records(_study(), charting=charting))


@records.command("report")
def records_report() -> None:
    """Print the data audit: rows, persons, and exclusions by reason."""
    from evrev.stages import prepare

    print(prepare.records_report(_study()))


@records.command("download")
def records_download(
    into: Annotated[Path, typer.Option(metavar="FOLDER", help="where the tables go")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE ...]", help="as lab (default: all eight)")
    ] = None,
) -> None:
    """Download the eICU demo tables that a folder lacks; each is checked against its published digest."""
    from evrev.stages import tables as stage

    say(stage.download_tables(into, tuple(names or ()), say))


@records.command("aliases")
def records_aliases() -> None:
    """Print what the codes of this study's orders say about the alias table."""
    from evrev.stages import tables as stage

    print(stage.records_aliases(_study()))


@scenarios.command("build")
def scenarios_build(
    batch: Annotated[str | None, typer.Argument(help="a plan under config/batches/, as heldout")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="every plan, and who is used in which of them")
    ] = False,
) -> None:
    """Build the scenarios of a batch, or of every batch."""
    from evrev.errors import SettingsError
    from evrev.stages import scenarios as stage

    study = _study()
    if every == (batch is not None):
        known = ", ".join(study.batches)
        raise SettingsError("name a batch, or give --all", remedy=f"batches: {known}")
    if batch is not None:
        say(stage.build_scenarios(study, batch))
    else:
        for line in stage.build_every_batch(study):
            say(line)


@scenarios.command("audit")
def scenarios_audit(
    batches: Annotated[
        list[str] | None, typer.Argument(metavar="[BATCH ...]", help="which [default: every plan]")
    ] = None,
    sheets: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="write a readable sheet per scenario there")
    ] = None,
) -> None:
    """Derive every expected set and support class again from the tables; exit 1 on a disagreement."""
    from evrev.stages import audit

    found = audit.audit(_study(), batches or [], sheets)
    print(found.text)
    if found.disagreements:
        raise typer.Exit(1)


@scenarios.command("show")
def scenarios_show(
    scenario: Annotated[str, typer.Argument(metavar="ID", help="a scenario id, or the start of one")],
    batch: Annotated[str, typer.Option(help="where to look for it")] = "heldout",
) -> None:
    """Print one scenario readably."""
    from evrev.stages import inspect

    print(inspect.scenario(_study(), batch, scenario))


@app.command("freeze")
def freeze(
    batch: Batch,
    explain: Annotated[bool, typer.Option("--explain", help="list what the freeze covers")] = False,
) -> None:
    """Fix the digests of everything that shapes a run of this batch, before it starts."""
    from evrev.stages import inspect, prepare

    if explain:
        print(inspect.freeze_items(_study(), batch))
    else:
        say(prepare.freeze(_study(), batch))


@app.command("run")
def run(
    batch: Batch,
    model: Annotated[str, typer.Option(help="a name of config/models.yaml")],
    shard: Annotated[str, typer.Option(help="the part of the batch this job runs")] = "all",
) -> None:
    """Run one generation job, or take up where a stopped one ended."""
    from evrev.stages import generate

    say(generate.run(_study(), batch, model, shard))


@app.command("score")
def score(batch: Batch) -> None:
    """Score the recorded trajectories of a batch; no model call."""
    from evrev.stages import analyse

    say(analyse.score(_study(), batch))


@app.command("statistics")
def statistics(batch: Batch) -> None:
    """Compute intervals, mean costs and the declared tests of a batch."""
    from evrev.stages import analyse

    say(analyse.statistics(_study(), batch))


@app.command("tables")
def tables(numbers: Annotated[list[int], typer.Argument(metavar="N ...", help="table numbers")]) -> None:
    """Write tables from scored runs, with the paper's figures beside them."""
    from evrev.stages import analyse

    study = _study()
    for number in numbers:
        say(analyse.table(study, number))


@app.command("latest")
def latest() -> None:
    """Point results/latest at this study, and say where its tables are."""
    from evrev.stages import analyse

    print(analyse.point_latest(_study()))


@app.command("show")
def show(
    trajectory: Annotated[str, typer.Argument(metavar="TRAJECTORY", help="a trajectory id")],
    batch: Annotated[str, typer.Option(help="where to look for it")] = "heldout",
) -> None:
    """Print one recorded trajectory: every prompt, reply, snapshot and commit."""
    from evrev.stages import inspect

    print(inspect.trajectory(_study(), batch, trajectory))


@app.command("status")
def status() -> None:
    """List the runs of this study: complete, incomplete or failed, tokens and seconds spent."""
    from evrev.stages import inspect

    print(inspect.status(_study()))


def _refuse(error: EvrevError) -> NoReturn:
    if OPTIONS.debug:
        raise error
    say(str(error))
    sys.exit(2)


def main() -> None:
    """Run a command; an EvrevError or a fault of the file system is printed and ends with exit code 2."""
    from evrev.errors import EvrevError

    try:
        app()
    except EvrevError as error:
        _refuse(error)
    except OSError as error:
        what = error.strerror or str(error)
        _refuse(EvrevError(what, where=error.filename, remedy="mend it and give the same command again"))
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(130)
