# SPDX-License-Identifier: Apache-2.0
"""Times of command lines: types for argparse."""

import argparse
import math


def seconds(text: str) -> float:
    """A finite time, 0 or more, s."""
    value = float(text)
    if not math.isfinite(value) or value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} s is no time; it must be finite, 0 or more")
    return value
