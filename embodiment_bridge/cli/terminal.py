# SPDX-License-Identifier: Apache-2.0
"""Prints lines for people: messages on standard error, and the actions that run, ``HEAD_SHAKE + HAND_ROLL``."""

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from typing import TextIO

from embodiment_bridge.core.unicode_text import one_line


def say(text: str) -> None:
    """Print one line for people on standard error."""
    sys.stderr.write(f"embodiment_bridge: {text}\n")
    sys.stderr.flush()


def drop_output() -> None:
    """Let standard output lead nowhere: the program that read it is gone, and further writes must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def together(doing: Iterable[str]) -> str:
    """Return the actions that run, each name once, in the order of the document."""
    return " + ".join(dict.fromkeys(doing))


class Progress:
    """Rewrites one line on a terminal; otherwise writes a line for each change of what runs."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._rewrites = self._stream.isatty()
        self._told = ""
        self._open = False

    def show(self, elapsed: float, state: str, doing: Iterable[str]) -> None:
        """Show the state of a run (RUNNING, PAUSED, ...) after ``elapsed`` s, and what runs in it."""
        words = together(doing)
        words = words if state == "RUNNING" else f"{state} {words}".rstrip()
        self.rewrite(f"{elapsed:8.2f} s  {words}", words)

    def rewrite(self, line: str, change: str) -> None:
        """Show another line; not on a terminal only if ``change``, the part of it that matters, is another."""
        if not self._rewrites and change == self._told:
            return
        self._told = change
        line = one_line(line)
        if self._rewrites:
            line = line[: max(shutil.get_terminal_size().columns - 1, 20)]
            self._write(f"\r\x1b[K{line}")
            self._open = True
        else:
            self._write(f"{line}\n")

    def above(self, write: Callable[[], object]) -> None:
        """Write something else on a line of its own."""
        self.end()
        write()

    def end(self) -> None:
        """End the line, so that what follows begins on a new one."""
        if self._open:
            self._write("\n")
        self._open = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
