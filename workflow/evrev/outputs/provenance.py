"""Where a table comes from, and the words that must stand before a title."""

from __future__ import annotations

from evrev.outputs.source import Source

KIND_WORDS = {"scripted": "scripted reader", "tiny": "tiny random model"}


def flag(source: Source) -> str:
    """The words before a title when not every model of the study is a real one; else nothing."""
    kinds = [entry.kind for entry in source.models.values()]
    words = ", ".join(KIND_WORDS[kind] for kind in dict.fromkeys(kinds) if kind != "real")
    if not words:
        return ""
    return f"[{'in part ' if 'real' in kinds else ''}{words}, not a model result]"


def provenance(source: Source) -> str:
    """One line: study, batch, run, the keys of scores and statistics, and tables that are not whole."""
    parts = [f"study {source.study}", f"batch {source.plan.batch}", f"run {source.run}"]
    parts += [f"scores {source.scores}"] if source.scores else []
    parts += [f"statistics {source.digest}"]
    parts += [f"partial: {partial_tables(source)}"] if source.partial else []
    return "; ".join(parts)


def partial_tables(source: Source) -> str:
    """Which tables are not whole, and the file each was read from; nothing when all are."""
    return ", ".join(f"{table} read from {name}" for table, name in sorted(source.partial.items()))
