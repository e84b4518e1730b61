# SPDX-License-Identifier: Apache-2.0
"""Which Python runs the helper programs that need the standard library only."""

import os
import sys

SYSTEM_PYTHONS = ("/usr/bin/python3",)


def any_python() -> str:
    """The system's, which starts soonest, else ours."""
    return next((python for python in SYSTEM_PYTHONS if os.access(python, os.X_OK)), sys.executable)
