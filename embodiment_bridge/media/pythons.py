# SPDX-License-Identifier: Apache-2.0
"""Which Python runs the helper programs."""

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache

SYSTEM_PYTHONS = ("/usr/bin/python3",)  # Debian's gi is for this one
TRY_S = 20.0
PROBE = "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"


def python_with_gi(environment: Mapping[str, str]) -> str:
    """Our own Python, else the system's, if it can import GStreamer's bindings; empty when none can."""
    return _first(tuple(sorted(environment.items())), (sys.executable, *SYSTEM_PYTHONS))


@cache
def _first(environment: tuple[tuple[str, str], ...], pythons: Iterable[str]) -> str:
    return next((python for python in pythons if _can(python, dict(environment))), "")


def _can(python: str, environment: dict[str, str]) -> bool:
    if not os.access(python, os.X_OK):
        return False
    try:
        done = subprocess.run(
            [python, "-c", PROBE],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TRY_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def any_python() -> str:
    """A Python 3 for helpers that need the standard library only; the system's starts soonest."""
    return next((python for python in SYSTEM_PYTHONS if os.access(python, os.X_OK)), sys.executable)
