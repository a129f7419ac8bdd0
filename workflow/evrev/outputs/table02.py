"""Table 2: the held-out primary test, each memory pipeline against re-reading in E4 (paper, App. C)."""

from __future__ import annotations

from evrev.formats.plan import TestFamily
from evrev.outputs.assemble import assemble
from evrev.outputs.paper import paper_models
from evrev.outputs.parts import KEYS, MISSING, OURS, keys, p_value, row_end, whole, word
from evrev.outputs.source import Reader, Source
from evrev.outputs.table import Cell, Column, Row, Shown, Table
from evrev.statistics.result import McNemar, PairedTest
from evrev.statistics.rounding import print_p

COLUMNS = (
    *KEYS,
    Column(name="memory_count", kind="count", of="n"),
    Column(name="reread_count", kind="count", of="n"),
    Column(name="n"),
    Column(name="disc_memory_only", kind="count", of="n"),
    Column(name="disc_reread_only", kind="count", of="n"),
    Column(name="p_one_sided"),
    Column(name="holm_threshold"),
    Column(name="rejected", kind="word"),
    Column(name="reading", kind="word", ours=True),
    Column(name="holm_adjusted", ours=True),
    Column(name="memory_unread", ours=True),
    Column(name="reread_unread", ours=True),
    *OURS,
)
NUMBERS = (*(column.name for column in COLUMNS[2:10]), "holm_adjusted")
LAYOUT = (
    Shown(heading="model", form="{model}", align="l"),
    Shown(heading="memory pipeline", form="{pipeline}{reading}", align="l"),
    Shown(heading="memory", form="{memory_count}/{n}{memory_unread}"),
    Shown(heading="re-read", form="{reread_count}/{n}{reread_unread}"),
    Shown(heading="discordant m./r.", form="{disc_memory_only} / {disc_reread_only}"),
    Shown(heading="p (one-sided)", form="{p_one_sided}"),
    Shown(heading="Holm thr.", form="{holm_threshold}"),
    Shown(heading="rejected", form="{rejected}"),
)
CAPTION = (
    "Patients whose medication list names a drug found in non-allowed documents only, E4. Each memory "
    "pipeline is paired with re-reading by patient; discordant = listed by memory only / by re-reading "
    "only; exact one-sided McNemar p; thr. = step-down threshold over the memory pipelines of a model. Not "
    "rejecting is not equivalence."
)


def build(source: Source) -> Table:
    """Table 2: the tests as scored, then the same tests with every missing answer counted against memory."""
    family = source.family(2)
    readers = source.readers(paper_models(2))
    places = [(reader, pipeline) for reader in readers for pipeline in family.pipelines]
    tests = [source.test(reader, family, pipeline) for reader, pipeline in places]
    scored = [_row(source, family, *place, test) for place, test in zip(places, tests, strict=True)]
    worst = [
        _row(source, family, *place, test, worst=True) for place, test in zip(places, tests, strict=True)
    ]
    run = [test for test in tests if test is not None]
    return assemble(
        source,
        number=2,
        title="Held-out run, primary test on unsupported additions in E4",
        caption=CAPTION,
        columns=COLUMNS,
        layout=LAYOUT,
        rows=(*scored, *worst),
        events=(family.event,),
        more=(_worst_note(run), *_power_notes(run)),
    )


def _row(
    source: Source,
    family: TestFamily,
    reader: Reader,
    pipeline: str,
    test: PairedTest | None,
    *,
    worst: bool = False,
) -> Row:
    used = test.worst_case if test and worst else test
    cell = source.cell(reader, family.event, pipeline)
    return Row(
        cells={
            **row_end(reader, (cell,)),
            **keys(reader, pipeline),
            **_numbers(used),
            "reading": word("worst_case", ", worst case") if worst else word("scored", ""),
            "memory_unread": _unread(test.unset if test else None, said=not worst),
            "reread_unread": _unread(test.unset_reference if test else None, said=not worst),
        },
        beyond=worst,
    )


def _numbers(test: McNemar | None) -> dict[str, Cell]:
    if test is None:
        return dict.fromkeys(NUMBERS, MISSING)
    return {
        "memory_count": whole(test.k),
        "reread_count": whole(test.k_reference),
        "n": whole(test.n),
        "disc_memory_only": whole(test.b),
        "disc_reread_only": whole(test.c),
        "p_one_sided": p_value(test.p),
        "holm_threshold": p_value(test.holm_threshold),
        "holm_adjusted": p_value(test.holm_adjusted),
        "rejected": Cell(value=test.rejected, text="yes" if test.rejected else "no"),
    }


def _unread(missing: int | None, *, said: bool) -> Cell:
    return Cell(value=missing, text=f" ({missing} unread)" if missing and said else "")


def _worst_note(tests: list[PairedTest]) -> str:
    memory = sum(test.unset for test in tests)
    reference = sum({test.model: test.unset_reference for test in tests}.values())
    return (
        "Worst case: a missing answer of a memory pipeline counts as a listing, one of re-reading as none. "
        f"Missing here: memory pipelines {memory}, re-reading {reference}."
    )


def _power_notes(tests: list[PairedTest]) -> list[str]:
    lines = []
    for n, power in dict.fromkeys((test.n, test.power) for test in tests):
        step = f"At n = {n} the first step asks for p of at most {print_p(power.threshold)}"
        if power.pairs is None or power.p is None:
            lines.append(f"Power: {step}; no pattern of discordant pairs can pass it.")
        else:
            found = f"{power.pairs}:0 (p = {print_p(power.p)})"
            lines.append(f"Power: {step}; the smallest pattern in one direction that passes is {found}.")
    return lines
