# SPDX-License-Identifier: Apache-2.0
"""An argparse type: a number within limits."""

import argparse


class Within:
    """A number from ``lower`` to ``upper``, both included."""

    def __init__(self, lower: float, upper: float) -> None:
        self._lower, self._upper = lower, upper

    def __call__(self, text: str) -> float:
        """The number in a text."""
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not self._lower <= value <= self._upper:
            raise argparse.ArgumentTypeError(
                f"{text} is not a number from {self._lower:g} to {self._upper:g}"
            )
        return value
