"""The paper's own figures, as transcribed in resources/paper."""

from __future__ import annotations

import csv

from evrev.errors import DataError
from evrev.formats.settings import ROOT

FOLDER = ROOT / "resources" / "paper"


def paper_table(number: int) -> list[dict[str, str]]:
    """The rows of a table of the paper, printed digits kept; DataError when the file is not there."""
    path = FOLDER / f"table{number:02}.csv"
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))
    except OSError as error:
        raise DataError(
            f"cannot be read: {error.strerror}", where=path, remedy="restore it from the repository"
        ) from error


def paper_models(number: int) -> list[str]:
    """The models of a table of the paper, in its order."""
    return list(dict.fromkeys(row["model"] for row in paper_table(number)))
