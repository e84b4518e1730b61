# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge demo`: start a body and a brain and show something; see ``cli/demos``."""

import argparse
from contextlib import ExitStack

from embodiment_bridge.cli.commands.up import find_launch_file, launch_description
from embodiment_bridge.cli.demos.bodies import BODIES
from embodiment_bridge.cli.demos.show import Show, all_shows, find_show
from embodiment_bridge.cli.ending import INTERRUPTED
from embodiment_bridge.cli.files import read_document
from embodiment_bridge.cli.following import GONE, GoneError
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError, unknown

EXAMPLES = """\
examples:
  embodiment_bridge demo
  embodiment_bridge demo --show dance --body mock
`make demo SHOW=dance BODY=mock` does the same. Exit code 0 when everything went well and the robot stands.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "demo",
        description="Start a body (by default a T1 in the RoboCup MuJoCo simulator) and run a demo on it.",
        epilog=EXAMPLES + "\n".join(_table(all_shows())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--show", default="", help="which demo (default: the first that fits)")
    command.add_argument("--body", default="", help="on which body (default: the usual one of the demo)")
    command.add_argument("--brain", default="", help="which brain moves it (default: that of the demo)")
    command.add_argument("--bml", metavar="FILE", help="a document to perform instead of the demo's own")
    command.add_argument("--stay", action="store_true", help="stay up afterwards, until Ctrl-C")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Exit code 0 if the demo went well and the robot stands, 1 if it does not, else as of `run-bml`; 8 as of `up`.

    130 if it was interrupted, unless all was done by then.
    """
    shows = all_shows()
    name, show, body_name = find_show(shows, arguments.show, arguments.body, arguments.brain)
    if body_name not in BODIES:
        raise ConfigError(unknown("body of a demo", body_name, BODIES))
    body = BODIES[body_name]
    document = read_document(arguments.bml) if arguments.bml else None
    words = [f"body:={body_name}", f"brain:={show.brain}", *body.words(), *show.words()]
    description = launch_description(find_launch_file("bringup.launch.xml"), words)
    from embodiment_bridge.cli.demos.stage import Stage
    from embodiment_bridge.launching.up import Graph
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    say(f"{name}: {show.summary}; starting {body.about}")
    with stop_on_signals() as stopped, ExitStack() as afterwards, Graph(description, say) as graph:
        stage = Stage(graph, body, stopped, afterwards, document)
        try:
            code = show.perform(stage)
        except GoneError as error:
            say(str(error))
            code = GONE
        if code and stopped():
            say("interrupted")
            code = INTERRUPTED
        if arguments.stay and not stopped():
            say("staying up; Ctrl-C ends")
            graph.spin(stopped)
        stage.close()
    return graph.exit_code or code


def _table(shows: dict[str, Show]) -> list[str]:
    return [
        f"  {name:12} {show.summary} (body {', '.join(show.bodies)}; brain {show.brain})"
        for name, show in shows.items()
    ]
