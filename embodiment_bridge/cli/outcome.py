# SPDX-License-Identifier: Apache-2.0
"""Exit codes and texts for the outcome of a document."""

from typing import Protocol

EXIT_CODES = {"SUCCEEDED": 0, "STOPPED": 0, "FAILED": 1, "REJECTED": 3}
OTHER = 4
INTERRUPTED = 130  # by Ctrl-C, as shells tell it
LOST_OUTPUT = 141  # the reader of standard output has gone; as shells report SIGPIPE


class Located(Protocol):
    """The part of an ExecuteBml.Result that says where and why a run ended."""

    pointer: str
    reason: str


def exit_code(outcome: str, *, interrupted: bool = False) -> int:
    """0 SUCCEEDED or STOPPED, 1 FAILED, 3 REJECTED, 4 anything else (2 is a usage error); 130 canceled by Ctrl-C."""
    if interrupted and outcome == "CANCELED":
        return INTERRUPTED
    return EXIT_CODES.get(outcome, OTHER)


def where_and_why(result: Located) -> str:
    """`` at POINTER: REASON`` of a result, as far as it has them; the root has the empty pointer."""
    said = result.reason.startswith(
        f"{result.pointer}: "
    )  # the reason of a rejection begins with the pointer
    where = f" at {result.pointer}" if result.pointer and not said else ""
    reason = result.reason.removeprefix(": ")  # of a problem of the root
    return where + (f": {reason}" if reason else "")
