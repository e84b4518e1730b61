# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge demo`: start a body and a brain and show something; see ``cli/demos``."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.commands.up import find_launch_file, launch_description
from embodiment_bridge.cli.demos import brains, desk, documents, grid
from embodiment_bridge.cli.demos.bodies import BODIES, free_ports
from embodiment_bridge.cli.demos.stage import Show, Stage
from embodiment_bridge.cli.ending import INTERRUPTED
from embodiment_bridge.cli.files import read_document
from embodiment_bridge.cli.following import GONE, GoneError
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError, unknown

# In order of preference: of several that fit the command line, the first is shown.
SHOWS: Final[Mapping[str, Show]] = {
    "first_steps": documents.FIRST_STEPS,
    "servos": desk.SERVOS,
    "push": desk.PUSH,
    "grid": grid.GRID,
    "dance": documents.DANCE,
    "song": documents.SONG,
    "opencog": brains.OPENCOG,
    "mcp": brains.MCP,
}
EXAMPLES = """\
examples:
  embodiment_bridge demo
  embodiment_bridge demo --show dance --body mock
`make demo SHOW=dance BODY=mock` does the same. Exit code 0 when everything went well and the robot stands.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "demo",
        "Start a body (by default a T1 in the RoboCup MuJoCo simulator) and run a demo on it.",
        EXAMPLES + "\n".join(_table()),
        run,
    )
    command.add_argument("--show", default="", help="which demo (default: the first that fits)")
    command.add_argument("--body", default="", help="on which body (default: the usual one of the demo)")
    command.add_argument("--brain", default="", help="which brain moves it (default: that of the demo)")
    command.add_argument("--bml", metavar="FILE", help="a document to perform instead of the demo's own")
    command.add_argument("--stay", action="store_true", help="stay up afterwards, until Ctrl-C")


def run(arguments: argparse.Namespace) -> int:
    """Exit code 0 if the demo went well and the robot stands, 1 if it does not, else as of `run-bml`; 8 as of `up`.

    130 if it was interrupted, unless all was done by then.
    """
    name, show, body_name = find_show(SHOWS, arguments.show, arguments.body, arguments.brain)
    if body_name not in BODIES:
        raise ConfigError(unknown("body of a demo", body_name, BODIES))
    body = BODIES[body_name]
    document = read_document(arguments.bml) if arguments.bml else None
    from embodiment_bridge.launching.up import Graph
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    say(f"{name}: {show.summary}; starting {body.about}")
    (port,) = free_ports(1)
    with stop_on_signals() as stopped, ExitStack() as afterwards:
        words = [f"body:={body_name}", f"brain:={show.brain}", *body.words(), *show.words(port, afterwards)]
        description = launch_description(find_launch_file("bringup.launch.xml"), words)
        with Graph(description, say) as graph:
            stage = Stage(graph, body, stopped, afterwards, document, port)
            code = _perform(show, stage)
            if arguments.stay and not stopped():
                say("staying up; Ctrl-C ends")
                graph.spin(stopped)
            stage.close()
    return graph.exit_code or code


def find_show(shows: Mapping[str, Show], show: str, body: str, brain: str) -> tuple[str, Show, str]:
    """Return the first show that fits, with its name and body; an empty argument leaves the choice open.

    Raises:
        ConfigError: no show fits; the text has the choices.
    """
    if show and show not in shows:
        raise ConfigError(unknown("show", show, shows))
    for name, one in shows.items():
        fits = not show or name == show
        if fits and (not body or body in one.bodies) and brain in ("", one.brain):
            return name, one, body or one.bodies[0]
    known = [f"{name}: body {' or '.join(one.bodies)}, brain {one.brain}" for name, one in shows.items()]
    request = _request((("show", show), ("body", body), ("brain", brain)))
    raise ConfigError(f"nothing to show with {request}; there is {'; '.join(known)}")


def _request(parts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{what} {value}" for what, value in parts if value)


def _perform(show: Show, stage: Stage) -> int:
    try:
        code = show.perform(stage)
    except GoneError as error:
        say(str(error))
        code = GONE
    if code and stage.stopped():
        say("interrupted")
        code = INTERRUPTED
    return code


def _table() -> list[str]:
    return [
        f"  {name:12} {show.summary} (body {', '.join(show.bodies)}; brain {show.brain})"
        for name, show in SHOWS.items()
    ]
