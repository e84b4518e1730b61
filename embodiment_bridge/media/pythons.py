# SPDX-License-Identifier: Apache-2.0
"""Chooses the Python for helper programs that need the standard library only."""

import os
import sys

SYSTEM_PYTHONS = ("/usr/bin/python3",)


def any_python() -> str:
    """The Python of the system, which starts fastest, else the one that runs this process."""
    return next((python for python in SYSTEM_PYTHONS if os.access(python, os.X_OK)), sys.executable)
