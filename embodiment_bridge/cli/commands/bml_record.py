# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml record-motion OUT`: record joint motion as a skill for a body file."""

import argparse
import math
import sys
import time
from pathlib import Path

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.cli.motion_file import skill_text, track_of
from embodiment_bridge.cli.options import add_namespace_option, seconds
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.launching.environment import find_share

EXAMPLES = """\
examples:
  embodiment_bridge bml record-motion wave.yaml --name wave_hello --body mock --seconds 5
  embodiment_bridge bml record-motion dance.yaml --body my_robot.yaml     until Ctrl-C
The file holds one skill. Name it in the body file, `motions: [wave.yaml]`, or copy it below `skills:`.
"""


def add(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = actions.add_parser(
        "record-motion",
        help="record joint motion as a skill",
        description="Record joint_states of the running graph, for some seconds or until Ctrl-C, as a skill.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("out", metavar="OUT", help="new YAML file; - writes standard output")
    command.add_argument("--name", help="name of the skill (default: that of the file)")
    command.add_argument("--body", default="mock", help="mock, t1, ... or a body file (default: mock)")
    add_namespace_option(command, "/")
    command.add_argument(
        "--seconds", type=seconds, default=math.inf, help="length of the recording, in the body's time"
    )
    command.add_argument(
        "--near", type=float, default=0.01, metavar="RAD", help="largest error at each sample (default: 0.01)"
    )
    command.add_argument(
        "--wait", type=seconds, default=10.0, metavar="S", help="longest wait for the body (default: 10)"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Record. Exit code 0 if the file was written, 1 if no joint moved or there was no body."""
    name = arguments.name or Path(arguments.out).stem
    if name != name.lower() or not name.isidentifier():
        raise ConfigError(f"--name {name!r} is not of lower case letters, digits and _")
    if not arguments.seconds > 0.0 or not 1e-4 <= arguments.near <= 1.0:
        raise ConfigError("--seconds is more than 0, and --near within 0.0001 to 1")
    body = read_body(_body_path(arguments.body))
    if arguments.out != "-":
        _write(Path(arguments.out), "")  # report a file that cannot be written before anything is recorded
        Path(arguments.out).unlink()
    names, times, rows = _record(arguments)
    if len(times) < 2:
        say(f"no joint_states in namespace {arguments.namespace}")
        return 1
    track = track_of(body, names, times, rows, arguments.near)
    if track is None:
        say(f"no joint of body {body.name} moved")
        return 1
    text = skill_text(name, body, track)
    if arguments.out == "-":
        sys.stdout.write(text)
        return 0
    _write(Path(arguments.out), text)
    what = f"{track.length:.1f} s of {len(track.joints)} joints in {len(track.times)} points"
    say(f"{arguments.out}: skill {name}, {what}")
    return 0


def _record(arguments: argparse.Namespace) -> tuple[list[str], list[float], list[list[float]]]:
    from embodiment_bridge.launching.environment import prepare

    prepare()
    import rclpy

    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals
    from embodiment_bridge.nodes.body.joint_recorder import JointRecorder

    with stop_on_signals() as stopped, Runtime() as runtime:
        node = runtime.add(
            rclpy.create_node("record_motion", namespace=arguments.namespace, context=runtime.context)
        )
        recorder = JointRecorder(node)
        deadline = time.monotonic() + arguments.wait
        runtime.spin(lambda: recorder.seen > 0 or stopped() or time.monotonic() > deadline)
        recorder.recording = recorder.seen > 0
        if recorder.recording:
            say("recording; Ctrl-C ends")
        runtime.spin(
            lambda: (
                not recorder.recording or recorder.length >= arguments.seconds or recorder.full or stopped()
            )
        )
        return recorder.names, recorder.times, recorder.rows


def _body_path(name: str) -> Path:
    """Return the path of a body file, given by path or by the name of a body of this package.

    Raises:
        ConfigError: there is no such file or body.
    """
    if Path(name).suffix == ".yaml":
        return Path(name)
    folder = find_share("embodiment_bridge") / "config" / "bodies"
    path = folder / f"{name}.yaml"
    if not path.is_file():
        raise ConfigError(unknown("body", name, (one.stem for one in folder.glob("*.yaml"))))
    return path


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
