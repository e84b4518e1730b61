# SPDX-License-Identifier: Apache-2.0
"""Rows of a table: a measured value with the value of a peer and the aim."""

from typing import Any


def row(
    name: str,
    value: float,
    unit: str,
    *,
    peer: str = "",
    peer_value: float | None = None,
    at_most: float | None = None,
    at_least: float | None = None,
) -> dict[str, Any]:
    """A row of a table.

    ``ratio`` is value / peer_value. The aim is about the ratio where there is a peer, else about the value; ``met``
    is None without one.
    """
    ratio = None if not peer_value else value / peer_value
    judged = value if peer_value is None else ratio
    limit = at_most if at_most is not None else at_least
    met = None
    if limit is not None and judged is not None:
        met = judged <= limit if at_most is not None else judged >= limit
    return {
        "name": name,
        "value": value,
        "unit": unit,
        "peer": f"{peer}: {number(peer_value)} {unit}" if peer_value is not None else peer,
        "ratio": ratio,
        "aim": "" if limit is None else f"{'at most' if at_most is not None else 'at least'} {limit:g}",
        "met": met,
    }


def number(value: float) -> str:
    """Three figures, and all of an integer."""
    if float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percentile(values: list[float], share: float) -> float:
    """The value below which ``share`` (0..1) of the values lie; nan of none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")
