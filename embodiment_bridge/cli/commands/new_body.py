# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge new-body URDF`: write a first body file, and a document that moves each joint a little."""

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from embodiment_bridge.body.body_file import channel_of, parse_body
from embodiment_bridge.body.description import Joint as BodyJoint
from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.body.motion_section import shortest_motion
from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.dynamixel.config.control_description import with_servos
from embodiment_bridge.urdf import Joint, read_urdf
from embodiment_bridge.urdf.meshes import with_found_meshes

EXAMPLES = """\
examples:
  embodiment_bridge new-body my.urdf
  embodiment_bridge new-body my.urdf --folder my_robot --name my_robot
Writes NAME.yaml, a body file with the joints, their channels (guessed from their names: look at them), a rest pose, and
the skills reset, wave and one try_JOINT per joint; and NAME_joints.json, a BML document that moves each joint a little.
Where the URDF names no servos (<ros2_control>), also NAME_servos.urdf: a copy with a Dynamixel servo for each joint.
Files that are there already are not overwritten.
"""
USUAL_SPEED = 1.0  # rad/s, for joints whose description has no limit
USUAL_ACCELERATION = 20.0  # rad/s2
LITTLE = 0.1  # share of the range of a joint, to each side of its rest
MOST = 0.3  # rad (m) to each side, however long the range is
SECONDS = 2.0  # s of a skill
HEAD = """\
# A first body file of {name}, written from {urdf} by `embodiment_bridge new-body`; docs/motion.md describes the format.
# Angles rad, times s. Look at the channels, which were guessed from the names of the joints, and at the speeds.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "new-body",
        "Write a first body file for a robot of a URDF, and a BML document that moves each joint a little.",
        EXAMPLES,
        run,
    )
    command.add_argument("urdf", metavar="URDF", type=Path, help="description of the robot")
    command.add_argument("--name", default="", help="of the body (default: that of the robot in the URDF)")
    command.add_argument(
        "--folder", type=Path, default=Path(), help="where to write (default: the current one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files. Exit code 0, or 2 if the URDF cannot be used or a file is there already."""
    robot = read_urdf(arguments.urdf)
    name = _word(arguments.name or robot.name)
    joints = [joint for joint in robot.movable if joint.mimic is None]
    if not joints:
        raise ConfigError(f"{arguments.urdf}: the robot {name!r} has no joint that moves")
    still = [joint.name for joint in joints if joint.limit and joint.limit.lower == joint.limit.upper]
    if still:
        raise ConfigError(
            f"{arguments.urdf}: the <limit> of {', '.join(map(repr, still))} has no range (lower is upper; both are 0 "
            "where they are not given): give lower and upper, or make the joint fixed or continuous"
        )
    text = HEAD.format(name=name, urdf=arguments.urdf.name) + body_text(name, joints)
    body = parse_body(text, f"{name}.yaml")
    tries = [skill.upper() for skill in body.skills if skill.startswith("try_")]
    document = {
        "type": "sequence",
        "name": f"each joint of {name} a little",
        "behaviors": [{"type": "body", "action": action} for action in ("RESET", *tries, "WAVE", "RESET")],
    }
    files = {f"{name}.yaml": text, f"{name}_joints.json": json.dumps(document, indent=2) + "\n"}
    if not any(element.tag == "ros2_control" for element in robot.extras):
        copy = with_servos(read_text(arguments.urdf), joints)
        if arguments.folder.resolve() != arguments.urdf.resolve().parent:  # relative names do not hold there
            copy = with_found_meshes(copy, arguments.urdf)
        files[f"{name}_servos.urdf"] = copy
    _write(arguments.folder, files)
    channels = ", ".join(f"{joint.name} {joint.channel}" for joint in body.joints)
    sys.stdout.write(f"{len(joints)} joints, with the channels guessed from their names: {channels}\n")
    sys.stdout.writelines(f"wrote {arguments.folder / file}\n" for file in files)
    return 0


def body_text(name: str, joints: Sequence[Joint]) -> str:
    """Return the YAML of a body with these joints, which is read back before it is written.

    Raises:
        ConfigError: two joints would give a skill of the same name.
    """
    made = {joint.name: _joint(joint) for joint in joints}
    channels = list(dict.fromkeys(joint.channel for joint in made.values()))
    skills: dict[str, Any] = {
        "reset": _skill(channels, (Keyframe(1.0, {}),), made, rest=True),
        "wave": _wave(made),
    }
    for joint in made.values():
        skill = f"try_{_word(joint.name)}"
        if skill in skills:
            raise ConfigError(f"two joints of {name!r} give the same skill {skill!r}: {joint.name!r} is one")
        skills[skill] = _skill([joint.channel], _to_and_fro([joint]), made)
    content = {
        "body": name,
        "channels": channels,
        "joints": {
            joint.name: {
                "channel": joint.channel,
                "range": [joint.lower, joint.upper],
                "velocity": joint.velocity,
                "acceleration": joint.acceleration,
                "effort": joint.effort,
                "kp": 0,
                "kd": 0,
                "rest": joint.rest,
            }
            for joint in made.values()
        },
        "skills": skills,
    }
    return yaml.safe_dump(content, sort_keys=False, width=120, default_flow_style=None)


def _joint(joint: Joint) -> BodyJoint:
    limit = joint.limit
    lower, upper = -math.pi, math.pi
    if limit is not None and -math.inf < limit.lower < limit.upper < math.inf:
        lower, upper = limit.lower, limit.upper
    speed = limit.velocity if limit and limit.velocity > 0.0 else USUAL_SPEED
    effort = limit.effort if limit and limit.effort > 0.0 else 1.0
    rest = min(max(0.0, lower), upper)
    lower, upper = round(lower + 5e-5, 4), round(upper - 5e-5, 4)
    channel, rest = channel_of(joint.name), round(min(max(rest, lower), upper), 4)
    return BodyJoint(
        joint.name, channel, lower, upper, speed, effort, 0.0, 0.0, rest, acceleration=USUAL_ACCELERATION
    )


def _wave(joints: Mapping[str, BodyJoint]) -> dict[str, Any]:
    """Return a motion to and fro of the last joint of the first arm, or else of the robot."""
    arms = [joint for joint in joints.values() if joint.channel.startswith("arm_")]
    arm = [joint for joint in arms if joint.channel == arms[0].channel]
    joint = (arm or list(joints.values()))[-1]
    return _skill([joint.channel], _to_and_fro([joint], times=2), joints)


def _to_and_fro(joints: Iterable[BodyJoint], times: int = 1) -> tuple[Keyframe, ...]:
    up, down, rest = {}, {}, {}
    for joint in joints:
        way = min(LITTLE * (joint.upper - joint.lower), MOST)
        up[joint.name] = round(min(joint.rest + way, joint.upper), 4)
        down[joint.name] = round(max(joint.rest - way, joint.lower), 4)
        rest[joint.name] = joint.rest
    places = [up, down] * times
    count = len(places) + 1
    frames = [Keyframe(round((i + 1) / count, 4), place) for i, place in enumerate(places)]
    return (*frames, Keyframe(1.0, rest))


def _skill(
    channels: Sequence[str],
    frames: Sequence[Keyframe],
    joints: Mapping[str, BodyJoint],
    *,
    rest: bool = False,
) -> dict[str, Any]:
    moved = frames
    if rest:
        moved = (Keyframe(1.0, {joint.name: joint.rest for joint in joints.values()}),)
    least = math.ceil(100.0 * shortest_motion(moved, joints) + 1.0) / 100.0
    keyframes = [{"at": frame.at, **({"rest": True} if rest else frame.position)} for frame in frames]
    return {
        "kind": "motion",
        "channels": list(channels),
        "nominal_s": max(SECONDS, least),
        "min_s": least,
        "keyframes": keyframes,
    }


def _word(name: str) -> str:
    """Return a name as a skill or a file has it: lower case, digits and _."""
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return word if word and not word[0].isdigit() else f"robot_{word}".rstrip("_")


def _write(folder: Path, files: Mapping[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = [str(folder / file) for file in files if (folder / file).exists()]
        if taken:
            raise ConfigError(f"not overwritten: {', '.join(taken)}; give another --name or --folder")
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror or error}") from error
