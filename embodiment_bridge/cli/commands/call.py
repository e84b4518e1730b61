# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge call SERVICE [VALUES]`: call a service of the running graph, without an installation of ROS 2."""

import argparse
import json
import sys
import time
from contextlib import suppress
from typing import Any

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.following import GONE
from embodiment_bridge.cli.options import add_namespace_option, seconds
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.launching.launch_description import join_namespace

WAIT_S = 10.0
LISTED_AFTER_S = 2.0  # in which the programs of a graph find each other
EXAMPLES = """\
examples:
  embodiment_bridge call                                          # the services that there are, with their fields
  embodiment_bridge call emergency_stop                           # '{"data": false}' releases
  embodiment_bridge call set_torque '{"joints": ["elbow"], "on": true}' --namespace robot1
  embodiment_bridge call behavior_tree/pause
Services that freeze a robot (stop, pause, hold, emergency_stop) take any values, and let it go on false alone.
The answer is a JSON line. Exit code 0; 1 if the answer says that it did not succeed, or that a parameter was refused;
2 if the call could not be made; 5 if it was made and not answered: whether it was obeyed is not known.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands, "call", "Call a service of the running graph, or list the services.", EXAMPLES, run
    )
    command.add_argument(
        "service", metavar="SERVICE", nargs="?", default="", help="its name; none: list them"
    )
    command.add_argument(
        "values",
        metavar="VALUES",
        nargs="?",
        default="{}",
        help="fields of the request, a JSON object (default: {})",
    )
    add_namespace_option(command)
    command.add_argument(
        "--wait",
        type=seconds,
        default=WAIT_S,
        metavar="S",
        help=f"how long to wait for it (default: {WAIT_S:g} s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Call it, or list what there is. Exit codes as the help says.

    Raises:
        CommandError: there is no such service, or a value does not fit its field of the request.
    """
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from embodiment_bridge.nodes.base.messages import as_json, message_class
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.services import ServiceCaller, freezes

    try:
        values = json.loads(arguments.values)
    except (ValueError, RecursionError) as error:  # also of a number of thousands of digits
        if not freezes(arguments.service):
            raise CommandError(f"{arguments.values[:60]!r} is no JSON: {error}") from None
        values = None
    with Runtime() as runtime:
        caller, begun = ServiceCaller(runtime), time.monotonic()
        if not arguments.service:
            for name, kind in sorted(caller.listed(arguments.namespace, begun + LISTED_AFTER_S).items()):
                request = None  # the package with the type is not installed here
                with suppress(ConfigError):
                    request = as_json(message_class(kind).Request())
                sys.stdout.write(json.dumps({"service": name, "type": kind, "request": request}) + "\n")
            return 0
        name = join_namespace(arguments.namespace, arguments.service)
        try:
            answer = caller.call(name, values, begun + arguments.wait)
        except LinkError as error:
            doubt = "; cut the supply if in doubt" if freezes(name) else ""
            say(f"{error} within {arguments.wait:g} s: whether it was obeyed is not known{doubt}")
            return GONE
    sys.stdout.write(json.dumps(as_json(answer)) + "\n")
    return int(not _succeeded(answer))


def _succeeded(answer: Any) -> bool:
    """Return whether nothing in the answer says no: services of parameters answer with a result, or one for each."""
    many = getattr(answer, "results", ())  # a number or a message in services of others
    results = (getattr(answer, "result", None), *(many if isinstance(many, (list, tuple)) else ()))
    return bool(getattr(answer, "success", True)) and all(getattr(one, "successful", True) for one in results)
