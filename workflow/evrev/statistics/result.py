"""What `statistics.json` holds: counts with intervals, mean costs, and the declared families of tests."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from evrev.errors import DataError
from evrev.formats.base import Record, explain

FILE = "statistics.json"


class Count(Record):
    """`k` of `n` attempted trajectories, with exact 95 % limits of the proportion."""

    k: int
    n: int
    unset: int = Field(description="trajectories among the n without a readable answer; never among the k")
    lo: float
    hi: float


class Tokens(Record):
    """Unrounded means per attempted trajectory; prompt and completion together unless named."""

    ingest: float
    use0: float
    revise: float
    later_uses: float
    use_prompt: float
    use_completion: float
    total: float
    calls: float


class CellResult(Record):
    """One model x event x size x level x stratum x pipeline. Cells are never pooled."""

    model: str
    event: str
    size: str
    level: str | None = None
    stratum: str | None = None
    pipeline: str
    n: int
    executed: int
    execution_failures: int
    format_failures: dict[str, int] = Field(description="by task, in the use whose answer is scored")
    unscored_format_failures: int = Field(description="in the remaining uses")
    finish_reasons: dict[str, int] = Field(description="over all model calls")
    counts: dict[str, Count | None] = Field(description="none: not defined in this condition")
    tokens: Tokens
    ratio_total: float | None = Field(default=None, description="to re-reading, of unrounded means")
    ratio_use_prompt: float | None = None


class McNemar(Record):
    """One exact McNemar test: `b` pairs show the endpoint under the pipeline only, `c` under the other."""

    n: int
    k: int
    k_reference: int
    b: int
    c: int
    p: float
    holm_threshold: float
    holm_adjusted: float
    rejected: bool


class Power(Record):
    """The smallest all-one-direction discordant count that passes the family's first step, if any does."""

    threshold: float
    pairs: int | None
    p: float | None


class PairedTest(McNemar):
    """A pipeline against the reference in one model (size, level, stratum), corrected within its family."""

    family: str
    model: str
    event: str
    size: str
    level: str | None = None
    stratum: str | None = None
    endpoint: str
    pipeline: str
    reference: str
    alternative: str
    alpha: float
    unset: int
    unset_reference: int
    power: Power
    worst_case: McNemar | None = Field(
        default=None, description="every missing answer counted against the pipeline"
    )


class Statistics(Record):
    """A batch's whole `statistics.json`."""

    batch: str
    role: str
    models: tuple[str, ...]
    cells: tuple[CellResult, ...]
    tests: tuple[PairedTest, ...]


def read_statistics(folder: Path) -> Statistics:
    """The statistics in `folder`; DataError when they are absent or not what they claim to be."""
    path = folder / FILE
    try:
        return Statistics.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=path) from error
    except ValidationError as error:
        raise DataError(explain(error), where=path) from error
