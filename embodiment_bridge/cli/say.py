# SPDX-License-Identifier: Apache-2.0
"""Lines for people, beside what a command prints for programs."""

import sys


def say(text: str) -> None:
    """One line for people, on standard error."""
    sys.stderr.write(f"embodiment_bridge: {text}\n")
    sys.stderr.flush()
