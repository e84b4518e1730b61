# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge replay BAG`: play a recording onto the graph."""

import argparse
import sys
import time

from embodiment_bridge.cli.ending import INTERRUPTED
from embodiment_bridge.cli.options import namespace

SHOW_S = 0.5
EXAMPLES = """\
examples:
  embodiment_bridge replay dance
  embodiment_bridge replay dance --speed 4 --begin 30 --loop
  embodiment_bridge replay dance --body               # also serves skills, so that a brain can run with it
While it plays: services /player/pause and /player/resume (std_srvs/Trigger), /player/play
(embodiment_bridge/PlayLog: speed, seek). It ends at the end of the recording or by Ctrl-C; exit code 0, or 130
if it was interrupted before it began.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "replay",
        description="Play a recording with its original time stamps; its time is published on /clock.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("bag", metavar="BAG", help="a rosbag2 directory")
    command.add_argument("--speed", type=float, default=1.0, help="multiple of real time (default: 1)")
    command.add_argument(
        "--begin", type=float, default=0.0, metavar="S", help="start S s after the beginning (default: 0)"
    )
    command.add_argument("--loop", action="store_true", help="begin again at the end")
    command.add_argument("--paused", action="store_true", help="wait for /player/resume")
    command.add_argument("--include", default=".*", metavar="REGEX", help="names of topics to play")
    command.add_argument("--exclude", default="", metavar="REGEX", help="names of topics to leave out")
    command.add_argument("--no-clock", action="store_true", help="do not publish /clock")
    command.add_argument(
        "--body", action="store_true", help="act as the body, which skips every requested skill"
    )
    command.add_argument(
        "--namespace", type=namespace, default="/", help="namespace for the recorded robot (default: /)"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play. Exit code 0, 1 if the recording is damaged, 2 if it cannot be opened, 130 if interrupted before that."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.nodes.bags.bag_playback import BagPlayback
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals
    from embodiment_bridge.protocols import registry

    given = {
        "bag": arguments.bag,
        "speed": arguments.speed,
        "begin": arguments.begin,
        "loop": arguments.loop,
        "paused": arguments.paused,
        "include": arguments.include,
        "exclude": arguments.exclude,
        "publish_clock": not arguments.no_clock,
        "body": arguments.body,
    }
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    with stop_on_signals() as stopped, Runtime() as runtime:
        player = runtime.add(
            BagPlayback(
                registry.inputs(),
                parameter_overrides=overrides,
                namespace=arguments.namespace,
                context=runtime.context,
            )
        )
        runtime.spin(lambda: player.active or player.refused or stopped())
        playback = player.playback
        if playback is None:
            return 2 if player.refused else INTERRUPTED
        shown = 0.0

        def done() -> bool:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= SHOW_S:
                shown = now
                state = " paused" if playback.paused else ""
                sys.stderr.write(f"\r{playback.position:8.2f} of {player.duration:.2f} s{state} ")
                sys.stderr.flush()
            return stopped() or playback.ended

        runtime.spin(done)
        sys.stderr.write("\n")
        if playback.error:
            sys.stderr.write(f"embodiment_bridge: {playback.error}\n")
        return int(bool(playback.error))
