# SPDX-License-Identifier: Apache-2.0
"""Argparse types for times on command lines."""

import argparse
import math


def seconds(text: str) -> float:
    """A finite time, 0 or more, s."""
    value = float(text)
    if not math.isfinite(value) or value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} s is not a time; it must be finite, 0 or more")
    return value
