# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge run-bml FILE`: run a BML document on the robot of the running graph."""

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.ending import exit_code, where_and_why
from embodiment_bridge.cli.files import read_document
from embodiment_bridge.cli.following import GoneError, perform
from embodiment_bridge.cli.options import (
    add_namespace_option,
    add_run_options,
    add_subtree_option,
    given_subtrees,
    given_values,
    priority,
    seconds,
)
from embodiment_bridge.cli.terminal import Progress, say
from embodiment_bridge.core.unicode_text import one_line

if TYPE_CHECKING:
    from embodiment_bridge.action import ExecuteBml

EXAMPLES = """\
examples:
  embodiment_bridge run-bml dance.json
  embodiment_bridge run-bml --namespace /robot1 - < dance.json
exit codes: 0 SUCCEEDED or STOPPED, 1 FAILED, 2 usage, 3 REJECTED, 4 other (CANCELED by others, PREEMPTED, ERROR, no
server), 130 canceled by Ctrl-C, 5 outcome unknown: the server is gone, was started anew, did not answer the goal or a
cancel, or a second signal came
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "run-bml",
        "Run a BML document on the running graph and follow it. Ctrl-C cancels it, twice stops waiting.",
        EXAMPLES,
        run,
    )
    command.add_argument(
        "file", metavar="FILE", help="the document, or a shipped one by name; - reads standard input"
    )
    add_namespace_option(command, "/")
    command.add_argument("--strict", action="store_true", help="refuse what tolerant reading would accept")
    command.add_argument(
        "--on-new",
        choices=("replace", "reject", "queue", "suspend"),
        default="replace",
        help="what to do about a document that runs (default: replace it)",
    )
    command.add_argument(
        "--priority", type=priority, default=0, help="it never replaces a document of higher priority"
    )
    command.add_argument("--suspendable", action="store_true", help="a later document may suspend this one")
    command.add_argument(
        "--breakpoint",
        action="append",
        default=[],
        metavar="NODE",
        help="name or JSON pointer of a node before which the run pauses",
    )
    command.add_argument(
        "--verbose", action="store_true", help="a line for each change, with JSON pointers instead of names"
    )
    add_run_options(command)
    add_subtree_option(command)
    command.add_argument(
        "--wait", type=seconds, default=10.0, metavar="S", help="longest wait for the graph (default: 10)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Send the document and follow it; ``EXAMPLES`` lists the exit codes."""
    document = read_document(arguments.file)
    from embodiment_bridge.launching.environment import prepare

    prepare()
    try:
        from embodiment_bridge.action import ExecuteBml

        progress = Progress()
        show = _show_pointers if arguments.verbose else partial(_show, progress)
        goal, action = _goal(document, arguments), "execute_bml"
        try:
            result, interrupted = perform(ExecuteBml, goal, show, action=action, arguments=arguments)
        finally:
            progress.end()
    except GoneError as error:
        say(str(error))
        return error.code
    for problem in result.problems:
        sys.stderr.write(f"{problem}\n")
    sys.stdout.write(one_line(f"{result.outcome} after {result.elapsed:.2f} s{where_and_why(result)}") + "\n")
    return exit_code(result.outcome, interrupted=interrupted)


def _goal(document: str, arguments: argparse.Namespace) -> "ExecuteBml.Goal":
    from embodiment_bridge.nodes.base.goal_client import document_goal

    return document_goal(
        document,
        source="run-bml",
        values=given_values(arguments),
        subtrees=given_subtrees(arguments),
        strict=arguments.strict,
        on_new=arguments.on_new,
        priority=arguments.priority,
        suspendable=arguments.suspendable,
        seed=-1 if arguments.seed is None else arguments.seed,
        breakpoints=arguments.breakpoint,
    )


def _show(progress: Progress, feedback: "ExecuteBml.Feedback") -> None:
    """Show the run time and what runs."""
    if feedback.warnings:
        progress.above(lambda: _warn(feedback.warnings))
    progress.show(feedback.elapsed, feedback.state, feedback.doing)


def _warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        sys.stderr.write(one_line(warning) + "\n")


def _show_pointers(feedback: "ExecuteBml.Feedback") -> None:
    """Print one line per change: run time, state, and active nodes."""
    _warn(feedback.warnings)
    line = f"{feedback.elapsed:8.2f} s  {feedback.state:9} {' '.join(feedback.active)}"
    sys.stdout.write(one_line(line) + "\n")
    sys.stdout.flush()
