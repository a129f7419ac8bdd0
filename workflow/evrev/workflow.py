"""What the Snakefile needs: the study, the run of each batch, and the settings of command lines."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, NoReturn

from evrev.errors import EvrevError
from evrev.formats.settings import Settings, parse_settings
from evrev.freeze.runs import Run, resolve_run
from evrev.freeze.study import Study


class Workflow:
    """One study as Snakemake sees it. A user error ends the parse with a readable message and exit code 2."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        try:
            self.study = Study(parse_settings(dict(config)))
            _ = self.study.records_key
        except EvrevError as error:
            _stop(error)
        self.run = cache(self._run)

    def command(self, _wildcards: object) -> str:
        """How every shell line starts: this interpreter, the package, and what differs from the defaults.

        A function of wildcards, since Snakemake would expand braces in a plain text.
        """
        return shlex.join([sys.executable, "-m", "evrev", *arguments(self.study.settings)])

    def _run(self, batch: str) -> Run:
        try:
            run = resolve_run(self.study, batch)
        except EvrevError as error:
            _stop(error)
        if run.warning:
            print(f"evrev: {run.warning}", file=sys.stderr)
        return run


def arguments(settings: Settings) -> list[str]:
    """`--set` options for every setting that is not the default."""
    default = Settings.model_construct()
    options = []
    for name in Settings.model_fields:
        value = getattr(settings, name)
        if value != getattr(default, name):
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            options += ["--set", f"{name}={text}"]
    return options


def _stop(error: EvrevError) -> NoReturn:
    print(f"evrev: {error}", file=sys.stderr)
    sys.exit(2)
