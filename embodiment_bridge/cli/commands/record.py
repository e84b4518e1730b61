# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge record [OUTPUT]`: record the running graph into a rosbag2 directory."""

import argparse
import json
import sys
import time

from embodiment_bridge.bags.writer import Totals
from embodiment_bridge.cli.ending import INTERRUPTED
from embodiment_bridge.cli.options import namespace, seconds
from embodiment_bridge.launching.environment import find_share

SHOW_S = 1.0  # between two lines of progress
EXAMPLES = """\
examples:
  embodiment_bridge record dance                      # until Ctrl-C
  embodiment_bridge record dance --seconds 60 --exclude '.*/vision'
  ros2 bag info dance                                 # with ROS installed; it is an ordinary bag
Progress goes to standard error; the last line, on standard output, is a JSON object: path, topics, messages, bytes,
lost, error. Exit code 0; 1 if anything was lost, 2 if the recording cannot be made, 130 if it was interrupted before
it began.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "record",
        description="Record all topics of the running graph, also those that appear later.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "output", metavar="OUTPUT", nargs="?", default="", help="directory to make (default: recording_DATE)"
    )
    command.add_argument("--include", default=".*", metavar="REGEX", help="names of topics to record")
    command.add_argument("--exclude", default="", metavar="REGEX", help="names of topics to leave out")
    command.add_argument(
        "--namespace", type=namespace, default="", help="only topics of this robot, /tf and /clock"
    )
    command.add_argument(
        "--seconds", type=seconds, default=0.0, metavar="S", help="length of the recording; 0: until Ctrl-C"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Record. Exit code 0, 1 if messages were lost, 2 if it cannot be made, 130 if interrupted before it began."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.nodes.bags.bag_recorder import BagRecorder
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    given = {
        "output": arguments.output,
        "include": arguments.include,
        "exclude": arguments.exclude,
        "own_namespace": bool(arguments.namespace),
    }
    overrides = [Parameter(name, value=value) for name, value in given.items()]
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
        shown = begun

        def done() -> bool:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= SHOW_S:
                shown = now
                _show(len(recorder.topics), recorder.totals, now - begun)
            return stopped() or bool(recorder.totals.error) or 0.0 < arguments.seconds <= now - begun

        runtime.spin(done)
        if shown > begun:
            sys.stderr.write("\n")  # after the line of progress
        topics = len(recorder.topics)
        recorder.close()
        totals = recorder.totals
    summary = {
        "path": str(recorder.path), "topics": topics, "messages": totals.written, "bytes": totals.written_bytes,
        "lost": totals.lost, "error": totals.error,
    }  # fmt: skip
    sys.stdout.write(json.dumps(summary) + "\n")
    return int(bool(totals.lost or totals.error))


def _show(topics: int, totals: Totals, elapsed: float) -> None:
    sys.stderr.write(
        f"\r{elapsed:6.0f} s  {topics} topics  {totals.written} messages"
        f"  {totals.written_bytes / 1e6:.1f} MB  {totals.lost} lost "
    )
    sys.stderr.flush()
