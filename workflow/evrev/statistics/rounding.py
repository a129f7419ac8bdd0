"""Numbers as the paper prints them: the binary value rounded half to even."""

from __future__ import annotations


def round_half_even(value: float, digits: int) -> str:
    """`value` with `digits` decimals (0.65625 -> 0.6562), never as a minus zero."""
    return f"{value:z.{digits}f}"


def print_p(value: float, digits: int = 4) -> str:
    """A p value with one to `digits` decimals, as in Table 2: 0.25, 0.9688, 1.0; below that, <0.0001."""
    text = round_half_even(value, digits)
    if value > 0 and float(text) == 0:
        return f"<{10**-digits:.{digits}f}"
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"
