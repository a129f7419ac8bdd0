"""The freeze of a run: the half of a manifest that exists before any model output (paper, section 5)."""

from __future__ import annotations

from evrev.formats.canonical import digest_file, write_json
from evrev.formats.manifest import Manifest, read_manifest
from evrev.freeze.code import code_items
from evrev.freeze.runs import Run, freezes
from evrev.freeze.stage import verify_stage
from evrev.freeze.study import ALIASES, CONTRACT, LOCK, Study

REBUILD = "remove the folder and run the same command again"


def freeze_batch(study: Study, batch: str, run: Run) -> Manifest:
    """Write the freeze of a run once; a run that is frozen keeps its freeze.

    DigestError names a scenario that no longer has its digest.
    """
    folder = study.frozen(batch, run.id)
    done = read_manifest(folder)
    scenarios = verify_stage(study.scenarios(batch, run.scenarios_key), remedy=REBUILD)
    if done is not None:
        return done
    manifest = Manifest(
        stage="freeze",
        key=run.id,
        code=study.items(batch)["code"],
        inputs=study.items(batch),
        outputs={f"scenarios/{name}": value for name, value in scenarios.outputs.items()},
        parameters={
            "plan": study.plan(batch).model_dump(mode="json"),
            "models": {name: entry.model_dump(mode="json") for name, entry in study.models.items()},
        },
        partial=scenarios.partial,
        notes={"order": len(freezes(study, batch)) + 1, "scenarios": scenarios.key},
    )
    write_json(folder / "manifest.json", manifest)
    return manifest


def explain(study: Study, batch: str) -> list[str]:
    """What a freeze of `batch` covers, one line per item and per file behind the code digest."""
    lines = [f"{name}  {value}" for name, value in study.items(batch).items()]
    lines += [f"code: {name}  {value}" for name, value in sorted(code_items("agent").items())]
    lines += [f"{path.name}  {digest_file(path)}" for path in (CONTRACT, ALIASES, LOCK)]
    return lines
