# SPDX-License-Identifier: Apache-2.0
"""How a run is shown: names instead of pointers, on one line."""

import io

from embodiment_bridge.cli.terminal import Progress, together

BOTH = ["HEAD_SHAKE", "swing"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_runs_twice_is_named_once() -> None:
    assert together(["HEAD_SHAKE", "swing", "HEAD_SHAKE"]) == "HEAD_SHAKE + swing"


def test_a_terminal_has_one_line_that_is_rewritten() -> None:
    stream = Terminal()
    progress = Progress(stream)
    progress.show(0.5, "RUNNING", BOTH)
    progress.show(1.0, "PAUSED", BOTH)
    progress.end()
    progress.end()
    assert stream.getvalue().split("\r\x1b[K") == [
        "", "    0.50 s  HEAD_SHAKE + swing", "    1.00 s  PAUSED HEAD_SHAKE + swing\n",
    ]  # fmt: skip


def test_a_file_has_a_line_for_each_change() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    for elapsed in (0.5, 0.7, 0.9):
        progress.show(elapsed, "RUNNING", BOTH)
    progress.show(1.0, "RUNNING", ["delay"])
    progress.end()
    assert stream.getvalue() == "    0.50 s  HEAD_SHAKE + swing\n    1.00 s  delay\n"
