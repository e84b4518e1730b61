# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C where a command does not handle it itself: the program ends with exit code 130 and without a traceback."""

import os
import signal
from collections.abc import Callable
from types import FrameType

from embodiment_bridge.cli.outcome import INTERRUPTED

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
