# SPDX-License-Identifier: Apache-2.0
"""The keeper of programs: a program that ends what a graph has started when the process of the graph is gone.

A process that is killed cannot end its programs. The keeper reads from a pipe that breaks then: a line for each program
that was started, with its process group and the s to wait after SIGINT. It ends them as the graph does, the last one
first, so that a robot is made safe while its peer still lives.

It needs only the standard library and ignores all signals that can be ignored.
"""

import os
import signal
import sys
import time
from collections.abc import Callable

# What is sent, and s to wait after it. rcssservermj in sync mode waits 5 s for the answer of a robot that has left
# before it looks whether it is to end.
PATIENCE = ((signal.SIGINT, 8.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))
LOOK_S = 0.02  # s between two looks at a group that is ending


def main(orders: int) -> None:
    """Wait for the end of the graph, then end its programs. ``orders``: file descriptor of the pipe."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    for line in reversed(wait(orders)):
        group, first = line.split()
        end_group(int(group), float(first))


def wait(orders: int) -> list[str]:
    """Return the lines that came until the pipe broke."""
    received = b""
    while data := os.read(orders, 65536):
        received += data
    return received.decode().split("\n")[:-1]  # the last was not written to its end


def end_group(
    group: int,
    first: float,
    say: Callable[[str], None] = lambda _: None,
    reap: Callable[[], object] = lambda: None,
) -> None:
    """End all processes of a group, by SIGKILL if needed; returns when there are none.

    Args:
        group: number of the group, which is that of the process that leads it.
        first: s to wait after SIGINT.
        say: receives a line for each signal that did not end them.
        reap: takes the end of the leading process from the system; until then it counts as there.
    """
    for number, patience in ((PATIENCE[0][0], first), *PATIENCE[1:]):
        deadline = time.monotonic() + patience
        try:
            reap()
            os.killpg(group, number)
            while time.monotonic() < deadline:
                reap()
                os.killpg(group, 0)
                time.sleep(LOOK_S)
        except ProcessLookupError:
            return
        say(f"did not end on {number.name} within {patience:g} s")


if __name__ == "__main__":
    main(int(sys.argv[1]))
