"""The frozen leaf-match proxy (paper, section 3 and appendix F), with its documented defects."""

from __future__ import annotations

from collections.abc import Sequence

from evrev.scoring.problem_list.core import ListScore, fold, segments

NAME = "frozen_proxy"


def frozen_proxy(items: Sequence[str], paths: Sequence[str]) -> ListScore:
    """Pass a list if the last segment of every path stands inside some item, whatever else the items say.

    Only case and white space are folded. A negated item and an item that names a second problem therefore
    match, and items that match nothing do not fail the list: these defects are kept on purpose.
    """
    leaves = [segments(path)[-1] for path in paths]
    texts = [fold(item) for item in items]
    held = [next((leaf for leaf in leaves if leaf in text), None) for text in texts]
    strict = bool(texts) and all(any(leaf in text for text in texts) for leaf in leaves)
    return ListScore(
        rule=NAME,
        outcomes=["unmatched" if leaf is None else "matched" for leaf in held],
        strict=strict,
        lenient=strict,
        reasons=[
            "holds no path's last segment" if leaf is None else f"holds the last segment {leaf!r}"
            for leaf in held
        ],
    )
