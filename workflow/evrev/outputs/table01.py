"""Table 1: the held-out medication endpoints on one page (paper, section 6.1)."""

from __future__ import annotations

from evrev.outputs.assemble import assemble
from evrev.outputs.paper import paper_models
from evrev.outputs.parts import KEYS, OURS, count, denominator, keys, mean, row_end
from evrev.outputs.source import Reader, Source
from evrev.outputs.table import Column, Row, Shown, Table

COLUMNS = (
    *KEYS,
    Column(name="strict_e1", kind="count", of="n"),
    Column(name="strict_e4", kind="count", of="n"),
    Column(name="stale_e1", kind="count", of="n"),
    Column(name="retained_e1b", kind="count", of="retained_e1b_n"),
    Column(name="retained_e1b_n"),
    Column(name="unsupported_e4", kind="count", of="n"),
    Column(name="tokens_e1"),
    Column(name="tokens_e4"),
    Column(name="n"),
    *OURS,
)
LAYOUT = (
    Shown(heading="model", form="{model}", align="l"),
    Shown(heading="pipeline", form="{pipeline}", align="l"),
    Shown(heading="strict E1", form="{strict_e1}"),
    Shown(heading="strict E4", form="{strict_e4}"),
    Shown(heading="stale (E1)", form="{stale_e1}"),
    Shown(heading="retained (E1b)", form="{retained_e1b}/{retained_e1b_n}"),
    Shown(heading="unsupported (E4)", form="{unsupported_e4}"),
    Shown(heading="tokens E1", form="{tokens_e1}"),
    Shown(heading="tokens E4", form="{tokens_e4}"),
)
CAPTION = (
    "Medication list after the revision (E1, E1b) or with the record added (E4), small size. Patients out "
    "of n: strict = the list is exactly the expected one; stale = it names the drug whose only support was "
    "revoked; retained = it names the drug that still has support; unsupported = it names a drug found in "
    "non-allowed documents only. tokens = mean prompt and completion tokens per trajectory."
)


def build(source: Source) -> Table:
    """Table 1 from the statistics of the held-out batch."""
    readers = source.readers(paper_models(1))
    return assemble(
        source,
        number=1,
        title="Held-out run, medication endpoints",
        caption=CAPTION,
        columns=COLUMNS,
        layout=LAYOUT,
        rows=[_row(source, reader, pipeline) for reader in readers for pipeline in source.plan.pipelines],
        events=("E1", "E1b", "E4"),
    )


def _row(source: Source, reader: Reader, pipeline: str) -> Row:
    e1, e1b, e4 = (source.cell(reader, event, pipeline) for event in ("E1", "E1b", "E4"))
    return Row(
        cells={
            **keys(reader, pipeline),
            "strict_e1": count(e1, "strict"),
            "strict_e4": count(e4, "strict"),
            "stale_e1": count(e1, "stale"),
            "retained_e1b": count(e1b, "retained"),
            "retained_e1b_n": denominator(e1b, "retained"),
            "unsupported_e4": count(e4, "unsupported"),
            "tokens_e1": mean(e1, "total"),
            "tokens_e4": mean(e4, "total"),
            **row_end(reader, (e1, e1b, e4)),
        }
    )
