# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge run-plan FILE.xml`: run an action plan on the robot of the running graph."""

import argparse
import sys
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.ending import exit_code
from embodiment_bridge.cli.files import read_chunks
from embodiment_bridge.cli.following import GoneError, perform, unless_lost
from embodiment_bridge.cli.options import add_namespace_option, seconds
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.plans.plan_document import ON_ERROR

if TYPE_CHECKING:
    from embodiment_bridge.action import ExecuteActionPlan
    from embodiment_bridge.protocols.opencog.xml.events import ActionPlan

REJECTED = 3
STATES = ("waits", "runs", "done", "ERROR", "canceled")  # indexed by PlanActionStatus
EXAMPLES = """\
examples:
  embodiment_bridge run-plan plan.xml
  embodiment_bridge run-plan --namespace /robot1 --on-error continue - < plan.xml
A file is one action-plan as an OpenCog OAC sends it; lengths are mm, or blocks with --dialect final.
exit codes: 0 SUCCEEDED, 1 FAILED, 2 usage, 3 REJECTED (also a file without a plan), 4 other (CANCELED by others,
PREEMPTED, ERROR, no server), 130 canceled by Ctrl-C, 5 outcome unknown: the server is gone, was started anew, did not
answer the goal or a cancel, or a second signal came
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "run-plan",
        "Run an action plan on the running graph and follow it. Ctrl-C cancels it, twice stops waiting.",
        EXAMPLES,
        run,
    )
    command.add_argument("file", metavar="FILE", help="the plan; - reads standard input")
    add_namespace_option(command, "/")
    command.add_argument(
        "--dialect",
        choices=("seed", "final", "legacy-2008"),
        default="seed",
        help="dialect of the file (default: seed)",
    )
    command.add_argument(
        "--on-error",
        choices=ON_ERROR,
        default="stop",
        help="what to do after a failed action (default: stop)",
    )
    command.add_argument(
        "--on-new",
        choices=("replace", "reject", "queue"),
        default="replace",
        help="what to do about a running plan or document (default: replace it)",
    )
    command.add_argument(
        "--timeout",
        type=seconds,
        default=0.0,
        metavar="S",
        help="time limit of one action (default: that of the node)",
    )
    command.add_argument(
        "--wait", type=seconds, default=10.0, metavar="S", help="longest wait for the graph (default: 10)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Send the plan and follow it; ``EXAMPLES`` lists the exit codes."""
    plan = _read(b"".join(read_chunks(arguments.file)), arguments.dialect)
    if isinstance(plan, str):
        say(f"{arguments.file}: {plan}")
        return REJECTED
    from embodiment_bridge.launching.environment import prepare

    prepare()
    try:
        from embodiment_bridge.action import ExecuteActionPlan

        show, action = Progress().show, "execute_action_plan"
        goal = _goal(plan, arguments)
        result, interrupted = perform(ExecuteActionPlan, goal, show, action=action, arguments=arguments)
        unless_lost(show)(result)  # which may overtake the last feedback
    except GoneError as error:
        say(str(error))
        return error.code
    why = f": {result.reason}" if result.reason else ""
    sys.stdout.write(f"{result.outcome} after {result.elapsed:.2f} s{why}\n")
    return exit_code(result.outcome, interrupted=interrupted)


def _read(data: bytes, dialect: str) -> "ActionPlan | str":
    """Return the first plan in a document, or the reason why there is none."""
    from embodiment_bridge.protocols.opencog.xml.events import ActionPlan
    from embodiment_bridge.protocols.opencog.xml.xml_documents import read
    from embodiment_bridge.wire.codec import Malformed

    found = read(data, dialect=dialect)
    plan = next((event for event in found if isinstance(event, ActionPlan)), None)
    faults = [f"byte {event.offset}: {event.reason}" for event in found if isinstance(event, Malformed)]
    if plan is None:
        return faults[0] if faults else "there is no action-plan in it"
    for fault in faults:
        say(f"this part of the plan is left out: {fault}")
    return plan


def _goal(plan: "ActionPlan", arguments: argparse.Namespace) -> "ExecuteActionPlan.Goal":
    from builtin_interfaces.msg import Time

    from embodiment_bridge.action import ExecuteActionPlan
    from embodiment_bridge.protocols.opencog.convert import Perceptor
    from embodiment_bridge.protocols.opencog.world.settings import Settings

    settings = Settings(plan.entity_id or "body", dialect=arguments.dialect)
    return ExecuteActionPlan.Goal(
        plan=Perceptor(settings).plan(plan, Time()),
        on_error=arguments.on_error,
        on_new=arguments.on_new,
        timeout=arguments.timeout,
        source="run-plan",
    )


class Progress:
    """Writes one line per action that began or ended."""

    def __init__(self) -> None:
        self._told: list[tuple[int, str]] = []

    def show(self, news: "ExecuteActionPlan.Feedback | ExecuteActionPlan.Result") -> None:
        """Write what has changed since the last time."""
        states = [(one.status, one.reason) for one in news.actions]
        before = self._told or [(0, "")] * len(states)
        for one, now, old in zip(news.actions, states, before, strict=False):
            if now != old:
                why = f": {one.reason}" if one.reason else ""
                state = STATES[one.status] if one.status < len(STATES) else "?"
                sys.stdout.write(f"{news.elapsed:8.2f} s  {one.sequence:3} {one.name:20} {state}{why}\n")
        sys.stdout.flush()
        self._told = states
