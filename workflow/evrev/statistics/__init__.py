"""Exact tests, intervals, Holm families, paired outcomes, declared pools, and the analysis of a batch."""

from __future__ import annotations

from evrev.statistics.holm import holm_adjust, holm_rejections, holm_thresholds
from evrev.statistics.intervals import clopper_pearson, t_interval
from evrev.statistics.mcnemar import mcnemar_exact, sign_test
from evrev.statistics.pairs import Cell, Outcome, Pairs, discordant, pair_outcomes
from evrev.statistics.pooling import DescriptivePool, PostHocPool, descriptive_pool, post_hoc_pool
from evrev.statistics.rounding import print_p, round_half_even

__all__ = [
    "Cell",
    "DescriptivePool",
    "Outcome",
    "Pairs",
    "PostHocPool",
    "clopper_pearson",
    "descriptive_pool",
    "discordant",
    "holm_adjust",
    "holm_rejections",
    "holm_thresholds",
    "mcnemar_exact",
    "pair_outcomes",
    "post_hoc_pool",
    "print_p",
    "round_half_even",
    "sign_test",
    "t_interval",
]
