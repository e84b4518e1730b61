# SPDX-License-Identifier: Apache-2.0
"""Ends a command: exit codes for outcomes, Ctrl-C without a traceback, and together with another process."""

import os
import select
import signal
from collections.abc import Callable
from types import FrameType
from typing import Protocol

EXIT_CODES = {"SUCCEEDED": 0, "STOPPED": 0, "FAILED": 1, "REJECTED": 3}
OTHER = 4
INTERRUPTED = 130  # by Ctrl-C, as shells tell it
LOST_OUTPUT = 141  # the reader of standard output has gone; as shells report SIGPIPE


class Located(Protocol):
    """Represents the part of an ExecuteBml.Result that says where and why a run ended."""

    pointer: str
    reason: str


def exit_code(outcome: str, *, interrupted: bool = False) -> int:
    """0 SUCCEEDED or STOPPED, 1 FAILED, 3 REJECTED, 4 anything else (2 is a usage error); 130 canceled by Ctrl-C."""
    if interrupted and outcome == "CANCELED":
        return INTERRUPTED
    return EXIT_CODES.get(outcome, OTHER)


def where_and_why(result: Located) -> str:
    """Return `` at POINTER: REASON`` of a result, as far as it has them; the root has the empty pointer."""
    # The reason of a rejection begins with the pointer.
    said = result.reason.startswith(f"{result.pointer}: ")
    where = f" at {result.pointer}" if result.pointer and not said else ""
    reason = result.reason.removeprefix(": ")  # a problem of the root begins so
    return where + (f": {reason}" if reason else "")


IMPORTING = "<frozen importlib._bootstrap>"


def raise_or_end(number: int, frame: FrameType | None) -> None:
    """Handle a signal: end at once if modules are being loaded, which can hide an exception; else raise.

    Raises:
        KeyboardInterrupt: no module is being loaded.
    """
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            os._exit(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt


def end(number: int, frame: FrameType | None) -> None:
    """Handle a signal: end at once. For the time when everything is done."""
    os._exit(INTERRUPTED)


def handle_by(handler: Callable[[int, FrameType | None], None]) -> None:
    """Handle SIGINT by this function, unless it is ignored, as in the background of a script."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


def listen() -> None:
    """Let SIGINT come, which waits since the start of the program, see ``scripts/embodiment_bridge``."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def is_gone(process: int | None) -> bool:
    """Return whether the process with this number has ended; False for None.

    A process that was killed and that its parent has not reaped yet has ended too, where the system can tell (Linux).
    """
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it runs and belongs to another user
        return False
    return _has_ended(process)


def _has_ended(process: int) -> bool:
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:  # just now
        return True
    except (AttributeError, OSError):  # the system has no such thing
        return False
    try:
        return bool(select.select([handle], [], [], 0.0)[0])
    finally:
        os.close(handle)
