"""Rendered tables: Markdown and LaTeX show every text as it is and act on none of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion

from evrev.outputs.escape import latex, markdown, one_line
from evrev.outputs.render import to_csv, to_latex, to_markdown
from evrev.outputs.table import Cell, Column, Row, Shown, Table

SPECIAL = r"""\&%$#_{}~^<>|"`'[]()*-–—×≤→,;:!?./ aB0é""" + "\n\t\0"
TEXT = st.text(alphabet=st.sampled_from(SPECIAL), max_size=30) | st.text(max_size=20)


def table(*texts: str, title: str = "A title", note: str = "A note") -> Table:
    """One row whose cells are `texts`."""
    names = [f"c{i}" for i in range(len(texts))]
    return Table(
        number=7,
        flag="[scripted reader, not a model result]",
        title=title,
        caption="A caption.",
        role="confirm.",
        run="r",
        planned=20,
        columns=tuple(Column(name=name) for name in names),
        layout=tuple(Shown(heading=f"h {name}", form=f"{{{name}}}") for name in names),
        rows=(Row(cells={n: Cell(value=t, text=t) for n, t in zip(names, texts, strict=True)}),),
        notes=(note,),
        provenance="study s",
    )


def parsed(text: str) -> list[str]:
    """The plain text of every cell of the first table row, as a Markdown reader shows it."""
    tokens = MarkdownIt().enable("table").parse(text)
    start = next(i for i, token in enumerate(tokens) if token.type == "tbody_open")
    end = next(i for i, token in enumerate(tokens) if token.type == "tbody_close")
    cells = [token for token in tokens[start:end] if token.type == "inline"]
    for cell in cells:
        assert {child.type for child in cell.children or ()} <= {"text", "text_special"}
    return ["".join(child.content for child in cell.children or ()) for cell in cells]


@settings(deadline=None)
@given(st.lists(TEXT, min_size=2, max_size=4))
def test_markdown_cells_show_their_text_and_nothing_else(texts: list[str]) -> None:
    # Outside white space, a cell of Markdown cannot keep.
    assert parsed(to_markdown(table(*texts))) == [one_line(text) for text in texts]


@settings(deadline=None)
@given(TEXT)
def test_a_markdown_title_and_note_stay_what_they_are(text: str) -> None:
    made = table("a", "b", title=f"T {text} T", note=f"N {text} N")
    inline = [t for t in MarkdownIt().enable("table").parse(to_markdown(made)) if t.type == "inline"]
    shown = ["".join(child.content for child in token.children or ()) for token in inline]
    assert shown[0] == f"[scripted reader, not a model result] Table 7: {one_line(f'T {text} T')}"
    assert one_line(f"N {text} N") in shown


LATEX_BACK = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\char34{}": '"',
    r"\textasciigrave{}": "`",
    r"$\times$": "×",
    r"$\leq$": "≤",
    r"$\rightarrow$": "→",
    "{[}": "[",
    "{]}": "]",
    "---": "—",
    "--": "–",
    "{}": "",
    **{rf"\{char}": char for char in "&%$#_{}"},
}
LATEX_TOKEN = re.compile(
    "|".join(map(re.escape, sorted(LATEX_BACK, key=len, reverse=True))) + r"|[^\\&%$#_{}~^]"
)


@settings(deadline=None)
@given(TEXT)
def test_latex_shows_the_text_and_runs_none_of_it(text: str) -> None:
    written, position, shown = latex(text), 0, ""
    while position < len(written):
        token = LATEX_TOKEN.match(written, position)
        assert token, f"LaTeX would act on {written[position:]!r}"
        shown += LATEX_BACK.get(token[0], token[0])
        position = token.end()
    assert shown == one_line(text)


@settings(deadline=None)
@given(st.lists(TEXT, min_size=2, max_size=4))
def test_latex_keeps_its_braces_and_columns(texts: list[str]) -> None:
    check_latex(to_latex(table(*texts)), len(texts))


def check_latex(text: str, columns: int) -> None:
    """Braces balance, and every row between the rules has one cell per column."""
    body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    bare = re.sub(r"\\[&%$#_{}\\]", "", body)
    depth = 0
    for char in bare:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    rows = body.split(r"\midrule" + "\n")[1].split(r"\bottomrule")[0].strip("\n").split("\n")
    for row in rows:
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == columns - 1
    aligns = re.search(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", body)
    assert aligns
    assert len(aligns[1]) == columns


def test_latex_compiles_with_booktabs_alone(tmp_path: Path) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("no LaTeX engine on this machine")
    signs = 'a\\b ~^ <|> "q" `t\' --- ?` × ≤ → é'
    text = to_latex(table("50 % & more_{x}", "[0.68–0.99]", signs, title="T & {T}"))
    (tmp_path / "table.tex").write_text(text, "utf-8")
    (tmp_path / "all.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}"
        r"\begin{document}\listoftables\input{table.tex}\end{document}"
    )
    command = [compiler, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_a_bracket_after_a_row_break_is_no_length() -> None:
    assert r"{[}0.1{]} & b \\" in to_latex(table("[0.1]", "b"))


def test_intervals_stay_readable_in_markdown_and_links_do_not_form() -> None:
    assert markdown("18 [0.68–0.99]") == "18 [0.68–0.99]"
    assert markdown("[a](http://x) [b]: c") == r"[a\](http://x) [b\]: c"


@pytest.mark.parametrize("value", [None, True, False, 3, 0.1, "a,b"])
def test_csv_values(value: bool | int | float | str | None) -> None:
    made = table("x").model_copy(update={"rows": (Row(cells={"c0": Cell(value=value, text="t")}),)})
    field = {None: "", True: "true", False: "false", 3: "3", 0.1: "0.1", "a,b": '"a,b"'}[value]
    assert to_csv(made).split("\n")[1].startswith(f"{field},20,confirm.,r,study s,")


def test_a_whole_table_in_markdown(snapshot: SnapshotAssertion) -> None:
    assert to_markdown(table("18 [0.68–0.99]", "—", "not run", note="n = 18.")) == snapshot


def test_a_whole_table_in_latex(snapshot: SnapshotAssertion) -> None:
    assert to_latex(table("18 [0.68–0.99]", "—", "not run", note="n = 18.")) == snapshot


def test_importing_the_tables_loads_no_heavy_library() -> None:
    heavy = "{'scipy', 'duckdb', 'polars', 'matplotlib'}"
    code = f"import sys, evrev.outputs.make; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
