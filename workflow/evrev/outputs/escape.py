"""Text as data: what LaTeX and Markdown would act on is written so that it only shows."""

from __future__ import annotations

import re
import unicodedata

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    # After a line break a bracket would be read as its length.
    "[": "{[}",
    "]": "{]}",
    "–": "--",
    "—": "---",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "→": r"$\rightarrow$",
}
DASHES = frozenset("-–—")
MARKDOWN = re.compile(r"([\\`*_~|<>&\[\]#!])")


def latex(text: object) -> str:
    """`text` for LaTeX running text, a table cell or an argument."""
    plain = one_line(text)
    return "".join(
        LATEX.get(char, char) + ("{}" if _joins(char, plain[i + 1 : i + 2]) else "")
        for i, char in enumerate(plain)
    )


def latex_heading(text: object) -> str:
    """`text` for a column heading, over two lines where a blank allows it: the column stays narrow."""
    plain = one_line(text)
    blanks = [i for i, char in enumerate(plain) if char == " "]
    if not blanks:
        return latex(plain)
    middle = min(blanks, key=lambda i: abs(2 * i - len(plain)))
    return rf"\shortstack{{{latex(plain[:middle])}\\{latex(plain[middle + 1 :])}}}"


def markdown(text: object) -> str:
    """`text` for inline Markdown with tables: a cell, a heading, a list item."""
    return MARKDOWN.sub(_escaped, one_line(text))


def one_line(text: object) -> str:
    """`text` without control characters and with every run of white space as one blank."""
    kept = "".join(" " if unicodedata.category(char) in {"Cc", "Cs"} else char for char in str(text))
    return " ".join(kept.split())


def _joins(char: str, following: str) -> bool:
    """Whether a LaTeX font would make one sign of two."""
    return following in DASHES if char in DASHES else char in ",'" and following == char


def _escaped(match: re.Match[str]) -> str:
    # A bracket acts only before a target; escaping every one would make intervals hard to read.
    before_target = match.string[match.end() : match.end() + 1] in {"(", "[", ":"}
    if match[0] == "[" or (match[0] == "]" and not before_target):
        return match[0]
    return "\\" + match[0]
