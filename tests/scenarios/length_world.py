"""Patients made by hand for the large size, the levels and growth: rows by ICU day, and charting."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from evrev.formats.scenario import Document, Revision, Version
from evrev.medication import load_aliases
from evrev.scenarios.caps import SMALL
from evrev.scenarios.cohort import Person, Row, Stay
from evrev.scenarios.documents import EVENT_DOCUMENT, base_documents, orders_document
from evrev.scenarios.events.base import Case
from evrev.scenarios.formulary import Formulary
from evrev.scenarios.target import Target

STAY = 4711
ALIASES = load_aliases()
ORDERS = ("aspirin 81 mg", "metoprolol 25 mg", "furosemide 40 mg", "lisinopril 10 mg", "heparin 5,000 units")
LABS = ("sodium", "potassium", "glucose", "creatinine", "BUN", "WBC", "lactate")
PATHS = ("pulmonary|ventilation|oxygen therapy", "cardiovascular|medications|vancomycin")
Days = Mapping[int, Sequence[str]]


def order(name: str, day: int = 0) -> Row:
    """An order whose line holds nothing but its name and its bars."""
    return Row(name, f"MEDICATION | {name} | | |", day)


def result(name: str, day: int = 0, value: str = "5") -> Row:
    """A laboratory result."""
    return Row(name, f"LAB | {name} | {value} mmol/L", day)


def treatment(path: str, day: int = 0) -> Row:
    """A treatment."""
    return Row(path, f"TREATMENT | {path}", day)


_STAY_ORDERS = tuple(order(name) for name in ORDERS)
_STAY_RESULTS = tuple(result(name) for name in LABS)
_STAY_TREATMENTS = tuple(treatment(path) for path in PATHS)


def target(
    orders: Iterable[Row] = _STAY_ORDERS,
    results: Iterable[Row] = _STAY_RESULTS,
    treatments: Iterable[Row] = _STAY_TREATMENTS,
) -> Target:
    """A patient with one stay."""
    rows = tuple(orders)
    problem = Row("cardiovascular|chest pain", "PROBLEM | cardiovascular|chest pain")
    stay = Stay(0, rows, (problem,), tuple(results), tuple(treatments), STAY)
    known = Formulary(ALIASES, [*(row.name for row in rows), "vancomycin 1 g"])
    return Target(Person("someone", (stay,)), stay, base_documents(stay, SMALL), known)


def event_document(line: str = "MEDICATION | warfarin 5 mg | | |") -> Document:
    """A misfiled D4."""
    return orders_document(EVENT_DOCUMENT, [Row("", line)])


def revoked(made: Target, key: str = "warfarin") -> Case:
    """The patient under E1."""
    return Case((*made.documents, event_document()), key, Revision(document=EVENT_DOCUMENT, action="revoke"))


def kept(made: Target, key: str = "warfarin") -> Case:
    """The patient with a D4 that nothing is done to."""
    return Case((*made.documents, event_document()), key)


def replaced(made: Target) -> Case:
    """The patient with a D4 that a second version replaces."""
    first = Version(version=1, lines=("MEDICATION | warfarin 5 mg | | |",))
    second = Version(version=2, lines=("MEDICATION | warfarin 10 mg | | | twice as strong",))
    document = event_document().model_copy(update={"versions": (first, second)})
    return Case((*made.documents, document), "warfarin", Revision(document=EVENT_DOCUMENT, action="replace"))


def lines_of(document: Document) -> tuple[str, ...]:
    """The lines of a document at ingest."""
    return document.versions[0].lines


def titles(documents: Iterable[Document]) -> list[str]:
    """What the documents are called."""
    return [document.title for document in documents]


def write_charting(
    folder: Path, charted: Mapping[str, Days], stay: int = STAY, held: Sequence[str] | None = None
) -> Path:
    """A records folder with charting lines by table and ICU day; `held` are the tables it was built with."""
    rows = [
        {"stay": stay, "table": table, "offset": 1440 * day + n, "row_id": n, "day": day, "line": line}
        for table, days in charted.items()
        for day, lines in days.items()
        for n, line in enumerate(lines)
    ]
    whole = {"stay": pl.Int64, "table": pl.String, "offset": pl.Int64, "row_id": pl.Int64}
    schema = whole | {"day": pl.Int64, "line": pl.String}
    folder.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows, schema=schema).write_parquet(folder / "charting.parquet")
    tables = held if held is not None else ("lab", *charted)
    (folder / "report.json").write_text(json.dumps({"tables": dict.fromkeys(tables)}))
    return folder
