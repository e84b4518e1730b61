# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge record [OUTPUT]` and `replay BAG`: record the graph into a rosbag2 directory, and play it back."""

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.ending import INTERRUPTED
from embodiment_bridge.cli.options import add_namespace_option, seconds
from embodiment_bridge.cli.terminal import Progress, say
from embodiment_bridge.launching.environment import find_share

if TYPE_CHECKING:
    from embodiment_bridge.nodes.base.runtime import Runtime

RECORD_SHOW_S = 1.0  # between two lines of progress
REPLAY_SHOW_S = 0.5
PLAYBACK_PARAMETERS = (
    "bag",
    "speed",
    "begin",
    "loop",
    "paused",
    "include",
    "exclude",
    "publish_clock",
    "body",
)
RECORD_EXAMPLES = """\
examples:
  embodiment_bridge record dance                      # until Ctrl-C
  embodiment_bridge record dance --seconds 60 --exclude '.*/vision'
  ros2 bag info dance                                 # with ROS installed; it is an ordinary bag
Progress goes to standard error; the last line, on standard output, is a JSON object: path, topics, messages, bytes,
lost, error. Exit code 0; 1 if anything was lost, 2 if the recording cannot be made, 130 if it was interrupted before
it began.
"""
REPLAY_EXAMPLES = """\
examples:
  embodiment_bridge replay dance
  embodiment_bridge replay dance --speed 4 --begin 30 --loop
  embodiment_bridge replay dance --body               # also serves skills, so that a brain can run with it
While it plays: services /player/pause and /player/resume (std_srvs/Trigger), /player/play
(embodiment_bridge/PlayLog: speed, seek). It ends at the end of the recording or by Ctrl-C; exit code 0, or 130
if it was interrupted before it began.
"""


def add(commands: Commands) -> None:
    """Declare both commands."""
    _add_record(commands)
    _add_replay(commands)


def _add_record(commands: Commands) -> None:
    recording = "Record all topics of the running graph, also those that appear later."
    command = declare(commands, "record", recording, RECORD_EXAMPLES, run_record)
    command.add_argument(
        "output", metavar="OUTPUT", nargs="?", default="", help="directory to make (default: recording_DATE)"
    )
    _add_topic_options(command, "record")
    add_namespace_option(command, text="only topics of this robot, /tf and /clock")
    command.add_argument(
        "--seconds", type=seconds, default=0.0, metavar="S", help="length of the recording; 0: until Ctrl-C"
    )


def _add_replay(commands: Commands) -> None:
    playing = "Play a recording with its original time stamps; its time is published on /clock."
    command = declare(commands, "replay", playing, REPLAY_EXAMPLES, run_replay)
    command.add_argument("bag", metavar="BAG", help="a rosbag2 directory")
    command.add_argument("--speed", type=float, default=1.0, help="multiple of real time (default: 1)")
    command.add_argument(
        "--begin", type=float, default=0.0, metavar="S", help="start S s after the beginning (default: 0)"
    )
    command.add_argument("--loop", action="store_true", help="begin again at the end")
    command.add_argument("--paused", action="store_true", help="wait for /player/resume")
    _add_topic_options(command, "play")
    command.add_argument(
        "--no-clock", action="store_false", dest="publish_clock", help="do not publish /clock"
    )
    command.add_argument(
        "--body", action="store_true", help="act as the body, which skips every requested skill"
    )
    add_namespace_option(command, "/", "namespace for the recorded robot (default: /)")


def _add_topic_options(command: argparse.ArgumentParser, what: str) -> None:
    command.add_argument("--include", default=".*", metavar="REGEX", help=f"names of topics to {what}")
    command.add_argument("--exclude", default="", metavar="REGEX", help="names of topics to leave out")


def run_record(arguments: argparse.Namespace) -> int:
    """Record. Exit code 0, 1 if messages were lost, 2 if it cannot be made, 130 if interrupted before it began."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.nodes.bags.bag_recorder import BagRecorder
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    overrides = [Parameter(name, value=getattr(arguments, name)) for name in ("output", "include", "exclude")]
    overrides.append(Parameter("own_namespace", value=bool(arguments.namespace)))
    with stop_on_signals() as stopped, Runtime() as runtime:
        recorder = BagRecorder(
            find_share,
            parameter_overrides=overrides,
            namespace=arguments.namespace or None,
            context=runtime.context,
        )
        runtime.add(recorder)
        runtime.spin(lambda: recorder.active or stopped() or recorder.refused)
        if not recorder.active:
            return 2 if recorder.refused else INTERRUPTED
        begun = time.monotonic()

        def over() -> bool:
            elapsed = time.monotonic() - begun
            return stopped() or bool(recorder.totals.error) or 0.0 < arguments.seconds <= elapsed

        def progress() -> str:
            totals = recorder.totals
            return (
                f"{time.monotonic() - begun:6.0f} s  {len(recorder.topics)} topics  {totals.written} messages"
                f"  {totals.written_bytes / 1e6:.1f} MB  {totals.lost} lost "
            )

        _spin(runtime, over, progress, RECORD_SHOW_S)
        topics = len(recorder.topics)
        recorder.close()
        totals = recorder.totals
    summary = {
        "path": str(recorder.path), "topics": topics, "messages": totals.written, "bytes": totals.written_bytes,
        "lost": totals.lost, "error": totals.error,
    }  # fmt: skip
    sys.stdout.write(json.dumps(summary) + "\n")
    return int(bool(totals.lost or totals.error))


def run_replay(arguments: argparse.Namespace) -> int:
    """Play. Exit code 0, 1 if the recording is damaged, 2 if it cannot be opened, 130 if interrupted before that."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.nodes.bags.bag_playback import BagPlayback
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals
    from embodiment_bridge.protocols import registry

    overrides = [Parameter(name, value=getattr(arguments, name)) for name in PLAYBACK_PARAMETERS]
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

        def progress() -> str:
            state = " paused" if playback.paused else ""
            return f"{playback.position:8.2f} of {player.duration:.2f} s{state} "

        _spin(runtime, lambda: stopped() or playback.ended, progress, REPLAY_SHOW_S)
        if playback.error:
            say(playback.error)
        return int(bool(playback.error))


def _spin(runtime: "Runtime", over: Callable[[], bool], text: Callable[[], str], every: float) -> None:
    """Serve until ``over()``; every so many s the line of progress is written anew on standard error."""
    progress = Progress(sys.stderr)
    shown = 0.0

    def done() -> bool:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= every:
            shown = now
            line = text()
            progress.rewrite(line, line)
        return over()

    runtime.spin(done)
    progress.end()
