"""A fault of somebody else's pipeline is a result about that pipeline; one of our own surfaces."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evrev.agent.models import ContextOverflow
from evrev.errors import EvrevError
from evrev.formats.canonical import clean_text

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_LONGEST = 500  # characters


class PipelineError(Exception):
    """What a pipeline raises when it cannot go on: the trajectory fails and stays in every denominator."""


@contextmanager
def step_of(pipeline: object) -> Iterator[None]:
    """Run a step for which `pipeline` answers.

    What a pipeline of another package raises, or what comes of what it returns, becomes a PipelineError.
    EvrevError and ContextOverflow pass: they are about the input and the call. So does everything under a
    pipeline of this package: that is a fault of evrev, and no data row may hide it.
    """
    package = _package(type(pipeline).__module__)
    try:
        yield
    except Exception as error:
        first = _first(error)
        if isinstance(first, EvrevError | ContextOverflow | PipelineError):
            raise first from None
        if package == "evrev":
            raise
        raise PipelineError(_told(first, package)) from error


def one_message(text: str) -> str:
    """A message as a record holds it: one line of bounded length, the same in every process."""
    return clean_text(_ADDRESS.sub("0x...", " ".join(text.split())))[:_LONGEST]


def _first(error: Exception) -> Exception:
    """What a task group of the pipeline's own hides."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _told(error: Exception, package: str) -> str:
    """The last line of the pipeline's own package on the way to the error, if any, and the error."""
    own = [
        f"{Path(frame.f_code.co_filename).name}, line {line}: "
        for frame, line in traceback.walk_tb(error.__traceback__)
        if _package(str(frame.f_globals.get("__name__"))) == package
    ]
    return "".join([*own[-1:], *traceback.format_exception_only(error)])


def _package(module: str) -> str:
    return module.partition(".")[0]
