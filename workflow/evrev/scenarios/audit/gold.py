"""One batch derived: for each scenario what its documents, support and expected answers must be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evrev.formats.scenario import Scenario
from evrev.formats.task import TaskContract
from evrev.scenarios.audit import gold_sql as sql
from evrev.scenarios.audit.report import AliasKey
from evrev.scenarios.audit.source import Source

Support = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
"""Key, resolved key, class, documents before, documents after."""
Lines = tuple[str, ...]


@dataclass
class Gold:
    """What the tables give for one scenario."""

    partition: str | None = None
    small: dict[str, Lines] = field(default_factory=dict)
    paths: Lines = ()
    event_line: str | None = None
    event_key: str | None = None
    support: tuple[Support, ...] = ()
    before: Lines = ()
    after: Lines = ()
    elsewhere: int = 0
    large: list[tuple[str, int, Lines]] = field(default_factory=list)
    further: Lines = ()
    context: dict[tuple[str, int], Lines] = field(default_factory=dict)


def derive(
    source: Source, scenarios: Sequence[Scenario], patients: Mapping[str, Any], contract: TaskContract
) -> tuple[dict[str, Gold], list[AliasKey]]:
    """What the tables give for each scenario of a batch, and which keys depend on an alias.

    `patients` is the batch's patients.json, of which the order of the stay and the donors are read.
    """
    db = source.db
    db.execute(sql.INPUT)
    _enter(source, scenarios, patients)
    sources = list(contract.medication.sources)
    for statement in (sql.UNITS, sql.EVENT_ROWS, sql.SMALL, sql.KEYS):
        db.execute(statement)
    db.execute(sql.LINES, {"sources": sources})
    for statement in (sql.SUPPORT, sql.ALONE, sql.NAMING):
        db.execute(statement)
    gold: dict[str, Gold] = defaultdict(Gold)
    _read_documents(source, gold)
    _read_answers(source, gold)
    aliased = [AliasKey(*row) for row in db.execute(sql.ALIASED).fetchall()]
    return dict(gold), aliased


def _enter(source: Source, scenarios: Sequence[Scenario], patients: Mapping[str, Any]) -> None:
    order = {told["patient"]: told["stay_order"] for told in patients["patients"]}
    donors = patients["donors"]
    meta = [
        [s.id, s.patient, order[s.patient], s.event, s.size, s.level, s.growth, donors.get(s.id)]
        for s in scenarios
    ]
    stated: list[list[Any]] = [
        [s.id, d.id, place, d.source, d.kind, d.title, v.version, line, number]
        for s in scenarios
        for place, d in enumerate(s.documents)
        for v in d.versions
        for number, line in enumerate(v.lines)
    ]
    replaced = (row[7].split(" |")[1].strip() for row in stated if row[6] > 1 and row[7].count(" |"))
    source.name_drugs(replaced)
    source.enter("meta", meta)
    source.enter("stated", stated)


def _read_documents(source: Source, gold: dict[str, Gold]) -> None:
    run = source.db.execute
    for name, partition in run('SELECT scenario, "partition" FROM unit').fetchall():
        gold[name].partition = partition
    small = "SELECT scenario, document, list(line ORDER BY position) FROM small GROUP BY ALL"
    for name, document, lines in run(small).fetchall():
        gold[name].small[document] = tuple(lines)
    paths = "SELECT scenario, list(path ORDER BY position) FROM small WHERE document = 'D2' GROUP BY ALL"
    for name, lines in run(paths).fetchall():
        gold[name].paths = tuple(lines)
    for name, line in run("SELECT scenario, line FROM event_row").fetchall():
        gold[name].event_line = line
    for name, kind, day, lines in run(sql.LARGE).fetchall():
        gold[name].large.append((kind, day, tuple(lines)))
    for name, lines in run(sql.FURTHER).fetchall():
        gold[name].further = tuple(lines)
    for name, table, _, day, lines in run(sql.CONTEXT).fetchall():
        gold[name].context[table, day] = tuple(lines)


def _read_answers(source: Source, gold: dict[str, Gold]) -> None:
    run = source.db.execute
    for name, key in run("SELECT scenario, resolved FROM event_key WHERE mode = 'on'").fetchall():
        gold[name].event_key = key
    support = "SELECT scenario, key, resolved, class, before, after FROM support WHERE mode = 'on'"
    found: dict[str, list[Support]] = defaultdict(list)
    for name, key, resolved, support_class, before, after in run(support).fetchall():
        found[name].append((key, resolved, support_class, tuple(before), tuple(after)))
    for name, entries in found.items():
        gold[name].support = tuple(sorted(entries))
    for name, before, after in run(sql.EXPECTED).fetchall():
        gold[name].before, gold[name].after = tuple(sorted(before)), tuple(sorted(after))
    elsewhere = """
      SELECT n.scenario, count(*) FROM naming_row AS n JOIN unit USING (scenario)
      WHERE event IN ('E1', 'E4') AND NOT (event = 'E4' AND kind = 'treatments') GROUP BY ALL"""
    for name, count in run(elsewhere).fetchall():
        gold[name].elsewhere = count
