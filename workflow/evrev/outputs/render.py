"""A table as CSV, Markdown and LaTeX. The same table always gives the same bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evrev.outputs import escape
from evrev.outputs.table import Table

TEMPLATES = Path(__file__).parent / "templates"
# What every CSV row ends with, since a CSV file has no place above or below its rows.
CONSTANT = ("n_planned", "role", "run", "provenance", "title")
_RULE = {"l": ":---", "r": "---:"}


def to_csv(table: Table) -> str:
    """Raw values, unrounded: the paper's columns first, then ours, then where the row came from."""
    end: list[Any] = [table.planned, table.role, table.run, table.provenance, table.heading]
    names = [column.name for column in table.columns]
    rows = ([*(row.cells[name].value for name in names), *end] for row in table.rows)
    return csv_text([*names, *CONSTANT], rows)


def to_markdown(table: Table) -> str:
    """The printed layout as a GitHub-flavoured table with its notes."""
    return _environment("md").get_template("table.md.j2").render(**_fields(table))


def to_latex(table: Table) -> str:
    """The printed layout as a booktabs float, to be \\input into a document."""
    aligns = "".join(shown.align for shown in table.layout)
    return _environment("tex").get_template("table.tex.j2").render(**_fields(table), aligns=aligns)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV with LF line ends; nothing where a value is none, booleans as true and false."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([str(v).lower() if isinstance(v, bool) else v for v in row])
    return out.getvalue()


def _fields(table: Table) -> dict[str, Any]:
    return {
        "table": table,
        "headings": [shown.heading for shown in table.layout],
        "rules": [_RULE[shown.align] for shown in table.layout],
        "rows": [table.printed(row) for row in table.rows],
    }


@cache
def _environment(form: Literal["md", "tex"]) -> Environment:
    # Braces are LaTeX's own, so its template marks its fields otherwise.
    tex = form == "tex"
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        block_start_string="<%" if tex else "{%",
        block_end_string="%>" if tex else "%}",
        variable_start_string="<<" if tex else "{{",
        variable_end_string=">>" if tex else "}}",
        comment_start_string="<#" if tex else "{#",
        comment_end_string="#>" if tex else "#}",
    )
    environment.filters["md"] = escape.markdown
    environment.filters["tex"] = escape.latex
    environment.filters["stacked"] = escape.latex_heading
    return environment
