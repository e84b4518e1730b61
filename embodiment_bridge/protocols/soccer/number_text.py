# SPDX-License-Identifier: Apache-2.0
"""Numbers as the soccer servers read them."""

from math import inf, nan
from numbers import Real

from embodiment_bridge.core.errors import CommandError


def number_text(field: str, value: object, low: float, high: float, digits: int = 7) -> str:
    """The text of a number.

    Raises:
        CommandError: it is not from ``low`` to ``high``, which nan is not; the text names the field.
    """
    try:
        number = float(value) if isinstance(value, Real) else nan
    except OverflowError:
        number = inf
    if low <= number <= high:
        return f"{number:.{digits}g}"
    raise CommandError(f"{field} is {value!r}; it must be a number from {low:g} to {high:g}")
