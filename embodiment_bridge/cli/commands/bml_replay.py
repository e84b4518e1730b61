# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml replay LOG`: repeat a logged run and compare it with its log."""

import argparse
import sys
from itertools import zip_longest

from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.cli.files import read_text
from embodiment_bridge.core.unicode_text import one_line

EXAMPLES = """\
examples:
  embodiment_bridge bml replay logs/20260101T120000_1f3a5c77.jsonl
One line per transition: scheduled time, event, JSON pointer, name, message. Exit code 0 when the run went as its log
says, 1 when it did not; then the first difference is printed.
"""


def add(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = actions.add_parser(
        "replay",
        help="repeat a logged run",
        description="Repeat a run from its log (parameter log_dir of the behaviour-tree node), without a robot.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("file", metavar="LOG", help="the log; - reads standard input")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Repeat the run; ``EXAMPLES`` lists the exit codes."""
    lines = read_text(arguments.file).splitlines()
    before, now = logged(lines), replay(lines)
    sys.stdout.writelines(f"{_line(transition)}\n" for transition in now)
    for number, (one, other) in enumerate(zip_longest(before, now), 1):
        if one != other:
            sys.stderr.write(f"transition {number} differs: logged {_line(one)}; now {_line(other)}\n")
            return 1
    sys.stderr.write(f"{len(now)} transitions, as in the log\n")
    return 0


def _line(transition: Transition | None) -> str:
    if transition is None:
        return "nothing"
    origin = transition.origin
    words = (origin.pointer or '""', origin.name, transition.code, transition.message)
    line = f"{transition.t:9.3f} {transition.event:10} {' '.join(word for word in words if word)}"
    return one_line(line)
