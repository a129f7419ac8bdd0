"""The parts every table is put together from: cells, the columns all share, and the names of pipelines."""

from __future__ import annotations

from collections.abc import Sequence

from evrev.outputs.source import Reader
from evrev.outputs.table import NOT_RUN, UNDEFINED, Cell, Column
from evrev.statistics.result import CellResult
from evrev.statistics.rounding import print_p, round_half_even

MISSING = Cell(value=None, text=NOT_RUN)
NONE = Cell(value=None, text=UNDEFINED)

KEYS = (Column(name="model", kind="key"), Column(name="pipeline", kind="key"))
KEYS_BY_CONDITION = (KEYS[0], Column(name="condition", kind="key"), KEYS[1])
# What every CSV row carries after the paper's columns.
OURS = tuple(
    Column(name=name, kind="word", ours=True)
    for name in ("reader", "reader_kind", "execution_failures", "format_failures")
)


def word(text: str, shown: str | None = None) -> Cell:
    """A name: `text` in the CSV, `shown` in print."""
    return Cell(value=text, text=text if shown is None else shown)


def whole(value: int | None) -> Cell:
    """A whole number; not run when there is none."""
    return MISSING if value is None else Cell(value=value, text=str(value))


def number(value: float | None, digits: int) -> Cell:
    """A number printed with `digits` decimals, half to even; undefined when there is none."""
    return NONE if value is None else Cell(value=value, text=round_half_even(value, digits))


def p_value(value: float) -> Cell:
    """A p value or threshold with up to four decimals."""
    return Cell(value=value, text=print_p(value))


def keys(reader: Reader, pipeline: str, condition: str | None = None) -> dict[str, Cell]:
    """The cells that name a row."""
    named = {"model": word(reader.label, reader.shown), "pipeline": word(pipeline, pipeline_name(pipeline))}
    return named if condition is None else {**named, "condition": word(condition)}


def keys_shown(named: dict[str, str]) -> list[str]:
    """The keys of a row of the paper in print."""
    return [pipeline_name(text) if name == "pipeline" else text for name, text in named.items()]


def pipeline_name(pipeline: str) -> str:
    """A pipeline in print."""
    return "re-read" if pipeline == "reread" else pipeline.replace("_", " ")


def count(cell: CellResult | None, endpoint: str) -> Cell:
    """How many show an endpoint, with the number of missing answers beside it."""
    if cell is None:
        return MISSING
    found = cell.counts.get(endpoint)
    if found is None:
        return NONE
    beside = f" ({found.unset} unread)" if found.unset else ""
    return Cell(value=found.k, text=str(found.k), beside=beside)


def limits(cell: CellResult | None, endpoint: str, name: str) -> dict[str, Cell]:
    """The exact 95 % limits of an endpoint's proportion, as `name`_ci_lo and `name`_ci_hi."""
    if cell is None:
        return {f"{name}_ci_lo": MISSING, f"{name}_ci_hi": MISSING}
    found = cell.counts.get(endpoint)
    lo, hi = (found.lo, found.hi) if found else (None, None)
    return {f"{name}_ci_lo": number(lo, 2), f"{name}_ci_hi": number(hi, 2)}


def denominator(cell: CellResult | None, endpoint: str) -> Cell:
    """What an endpoint's count is out of; undefined where the endpoint is."""
    if cell is None:
        return MISSING
    found = cell.counts.get(endpoint)
    return whole(found.n) if found else NONE


def mean(cell: CellResult | None, tokens: str) -> Cell:
    """A mean number of tokens, printed whole."""
    return MISSING if cell is None else number(getattr(cell.tokens, tokens), 0)


def ratio(cell: CellResult | None, name: str) -> Cell:
    """A ratio of unrounded means, printed with two decimals."""
    return MISSING if cell is None else number(getattr(cell, name), 2)


def row_end(reader: Reader, cells: Sequence[CellResult | None]) -> dict[str, Cell]:
    """n, the reader and the failures of a row, over the cells it is made from."""
    there = [cell for cell in cells if cell is not None]
    sizes = sorted({cell.n for cell in there})
    failed = sum(cell.execution_failures for cell in there)
    unread = sum(sum(cell.format_failures.values()) for cell in there)
    several = Cell(value=None, text=", ".join(map(str, sizes)) or NOT_RUN)
    return {
        "n": whole(sizes[0]) if len(sizes) == 1 else several,
        "reader": word(reader.name or ""),
        "reader_kind": word(reader.kind),
        "execution_failures": whole(failed if there else None),
        "format_failures": whole(unread if there else None),
    }
