"""Table 3: every held-out cell with exact intervals (paper, App. C)."""

from __future__ import annotations

from evrev.outputs.assemble import assemble
from evrev.outputs.paper import paper_models
from evrev.outputs.parts import KEYS_BY_CONDITION, OURS, count, denominator, keys, limits, mean, row_end
from evrev.outputs.source import Reader, Source
from evrev.outputs.table import Column, Row, Shown, Table

COUNTED = ("strict", "stale", "unsupported", "fabricated", "missing")
COLUMNS = (
    *KEYS_BY_CONDITION,
    Column(name="n"),
    Column(name="strict", kind="count", of="n"),
    Column(name="strict_ci_lo"),
    Column(name="strict_ci_hi"),
    Column(name="stale", kind="count", of="n"),
    Column(name="unsupported", kind="count", of="n"),
    Column(name="unsupported_ci_lo"),
    Column(name="unsupported_ci_hi"),
    Column(name="fabricated", kind="count", of="n"),
    Column(name="missing", kind="count", of="n"),
    Column(name="retained", kind="count", of="retained_n"),
    Column(name="retained_n"),
    Column(name="dx_frozen_proxy", kind="count", of="n"),
    Column(name="tokens"),
    *OURS,
)
LAYOUT = (
    Shown(heading="model", form="{model}", align="l"),
    Shown(heading="cond.", form="{condition}", align="l"),
    Shown(heading="config", form="{pipeline}", align="l"),
    Shown(heading="strict [CI]", form="{strict} [{strict_ci_lo}–{strict_ci_hi}]"),
    Shown(heading="stale", form="{stale}"),
    Shown(heading="unsup. [CI]", form="{unsupported} [{unsupported_ci_lo}–{unsupported_ci_hi}]"),
    Shown(heading="fabr.", form="{fabricated}"),
    Shown(heading="miss.", form="{missing}"),
    Shown(heading="ret.", form="{retained}/{retained_n}"),
    Shown(heading="dx", form="{dx_frozen_proxy}"),
    Shown(heading="tokens", form="{tokens}"),
)
CAPTION = (
    "Patients out of n with exact 95 % Clopper–Pearson limits of the proportion; E0 and E4 have no "
    "revision. strict, stale and retained as in Table 1 (— where a condition does not define them); unsup.,"
    " fabr. and miss. = the medication list names a drug found in non-allowed documents only, names one "
    "found in no document, or lacks an expected one; dx = the problem list under the frozen leaf-match "
    "proxy; tokens = mean prompt and completion tokens per trajectory."
)


def build(source: Source) -> Table:
    """Table 3 from the statistics of the held-out batch."""
    plan = source.plan
    return assemble(
        source,
        number=3,
        title="Held-out run, all conditions",
        caption=CAPTION,
        columns=COLUMNS,
        layout=LAYOUT,
        rows=[
            _row(source, reader, event, pipeline)
            for reader in source.readers(paper_models(3))
            for event in plan.events
            for pipeline in plan.pipelines
        ],
        events=plan.events,
    )


def _row(source: Source, reader: Reader, event: str, pipeline: str) -> Row:
    cell = source.cell(reader, event, pipeline)
    return Row(
        cells={
            **row_end(reader, (cell,)),
            **keys(reader, pipeline, event),
            **{name: count(cell, name) for name in COUNTED},
            **limits(cell, "strict", "strict"),
            **limits(cell, "unsupported", "unsupported"),
            "retained": count(cell, "retained"),
            "retained_n": denominator(cell, "retained"),
            "dx_frozen_proxy": count(cell, "problem_list"),
            "tokens": mean(cell, "total"),
        }
    )
