# SPDX-License-Identifier: Apache-2.0
"""How a performance went: exit codes, and words for people."""

from typing import Any

EXIT_CODES = {"SUCCEEDED": 0, "STOPPED": 0, "FAILED": 1, "REJECTED": 3}
OTHER = 4


def exit_code(outcome: str) -> int:
    """0 SUCCEEDED or STOPPED, 1 FAILED, 3 REJECTED, 4 anything else (2 is a usage error)."""
    return EXIT_CODES.get(outcome, OTHER)


def where_and_why(result: Any) -> str:
    """`` at POINTER: REASON`` of an ExecuteBml.Result, as far as it has them; the root has the empty pointer."""
    said = result.reason.startswith(f"{result.pointer}: ")  # the reason of a rejection begins with it
    where = f" at {result.pointer}" if result.pointer and not said else ""
    return where + (f": {result.reason}" if result.reason else "")
