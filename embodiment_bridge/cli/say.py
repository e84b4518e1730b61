# SPDX-License-Identifier: Apache-2.0
"""Prints lines for people, apart from the output of a command for programs."""

import sys


def say(text: str) -> None:
    """Print one line for people on standard error."""
    sys.stderr.write(f"embodiment_bridge: {text}\n")
    sys.stderr.flush()
