"""Table 4: where the held-out tokens went, and what that is against re-reading (paper, App. C)."""

from __future__ import annotations

from evrev.outputs.assemble import assemble
from evrev.outputs.paper import paper_models
from evrev.outputs.parts import KEYS_BY_CONDITION, OURS, keys, mean, ratio, row_end
from evrev.outputs.source import Reader, Source
from evrev.outputs.table import Column, Row, Shown, Table

MEANS = ("ingest", "revise", "use_prompt", "use_completion", "total")
RATIOS = ("ratio_total", "ratio_use_prompt")
COLUMNS = (*KEYS_BY_CONDITION, *(Column(name=name) for name in (*MEANS, *RATIOS, "n")), *OURS)
LAYOUT = (
    Shown(heading="model", form="{model}", align="l"),
    Shown(heading="cond.", form="{condition}", align="l"),
    Shown(heading="pipeline", form="{pipeline}", align="l"),
    Shown(heading="ingest", form="{ingest}"),
    Shown(heading="revise", form="{revise}"),
    Shown(heading="use prompt", form="{use_prompt}"),
    Shown(heading="use compl.", form="{use_completion}"),
    Shown(heading="total", form="{total}"),
    Shown(heading="× re-read (total)", form="{ratio_total}"),
    Shown(heading="× re-read (use prompt)", form="{ratio_use_prompt}"),
)


def build(source: Source) -> Table:
    """Table 4 from the statistics of the held-out batch."""
    plan = source.plan
    return assemble(
        source,
        number=4,
        title="Held-out run, mean tokens by phase",
        caption=_caption(len(plan.tasks)),
        columns=COLUMNS,
        layout=LAYOUT,
        rows=[
            _row(source, reader, event, pipeline)
            for reader in source.readers(paper_models(4))
            for event in plan.events
            for pipeline in plan.pipelines
        ],
        events=plan.events,
    )


def _caption(uses: int) -> str:
    return (
        "Mean prompt and completion tokens per trajectory, from the usage recorded with every call. use "
        f"prompt and use compl. = prompt and completion tokens of the {uses} uses together; the last two "
        "columns set the total and the use prompts against re-reading. Each mean is rounded by itself, so "
        "phases can miss the total by one; ratios are of unrounded means."
    )


def _row(source: Source, reader: Reader, event: str, pipeline: str) -> Row:
    cell = source.cell(reader, event, pipeline)
    return Row(
        cells={
            **keys(reader, pipeline, event),
            **{name: mean(cell, name) for name in MEANS},
            **{name: ratio(cell, name) for name in RATIOS},
            **row_end(reader, (cell,)),
        }
    )
