# SPDX-License-Identifier: Apache-2.0
"""Prints lines for people, apart from the output of a command for programs."""

import os
import sys


def say(text: str) -> None:
    """Print one line for people on standard error."""
    sys.stderr.write(f"embodiment_bridge: {text}\n")
    sys.stderr.flush()


def drop_output() -> None:
    """Let standard output lead nowhere: the program that read it is gone, and further writes must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
