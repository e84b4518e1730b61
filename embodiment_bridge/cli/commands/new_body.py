# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge new-body URDF`: write a first body file, and a document that moves each joint a little."""

import argparse
import json
import math
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from embodiment_bridge.body.body_file import channel_of, parse_body
from embodiment_bridge.body.config_section import ANGLE_LIMIT
from embodiment_bridge.body.description import Joint as BodyJoint
from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.body.motion_section import shortest_motion
from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.robots.named_robot import find_description
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.config.config_reader import HIGHEST_ID, read_servo_setup
from embodiment_bridge.dynamixel.config.control_description import Problems, blocks_of, outside_reductions
from embodiment_bridge.dynamixel.config.first_servos import with_servos
from embodiment_bridge.dynamixel.config.servo_config import LEAST_REDUCTION, MOST_REDUCTION
from embodiment_bridge.urdf import Joint, Robot, read_urdf
from embodiment_bridge.urdf.meshes import with_found_meshes
from embodiment_bridge.urdf.source import read_description

EXAMPLES = """\
examples:
  embodiment_bridge new-body my.urdf
  embodiment_bridge new-body my.urdf --folder my_robot --name my_robot
  embodiment_bridge new-body so_arm101              # by name, if the package robot_descriptions is installed
Writes NAME.yaml, a body file with the joints, their channels (guessed from their names: look at them), a rest pose, and
the skills reset, wave and one try_JOINT per joint; and NAME_joints.json, a BML document that moves each joint a little.
Where the URDF names no servos with ids, also NAME_servos.urdf: a copy with a Dynamixel servo for each joint. Limits
that no joint has, such as 1e8 rad/s, are told and replaced. It ends with the line that shows the robot.
Files that are there already are not overwritten.
"""
USUAL_SPEED = 1.0  # rad/s, for joints whose description has no limit
USUAL_EFFORT = 1.0  # Nm
USUAL_ACCELERATION = 20.0  # rad/s2
SLOWEST, FASTEST, STRONGEST = 1e-3, 100.0, 1e4  # rad/s, rad/s, Nm (m/s, N) that a body file takes
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
    command.add_argument(
        "urdf",
        metavar="URDF",
        type=Path,
        help="description of the robot, or its name in the package robot_descriptions, such as so_arm101",
    )
    command.add_argument("--name", default="", help="of the body (default: that of the robot in the URDF)")
    command.add_argument(
        "--folder", type=Path, default=Path(), help="where to write (default: the current one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the files. Exit code 0, or 2 if the URDF cannot be used or a file is there already."""
    path = find_description(arguments.urdf)
    robot = read_urdf(path)
    name = _word(arguments.name or robot.name)
    moving = [joint for joint in robot.movable if joint.mimic is None]
    joints = [joint for joint in moving if _moves(joint)]
    if not joints:
        raise ConfigError(f"{path}: the robot {name!r} has no joint that moves")
    told = [*robot.warnings]
    told += [f"joint {joint.name!r} has no range and stays as it is" for joint in moving if not _moves(joint)]
    told += [text for joint in joints for text in _clipped(joint)]
    text = HEAD.format(name=name, urdf=path.name) + body_text(name, joints)
    body = parse_body(text, f"{name}.yaml")
    tries = [skill.upper() for skill in body.skills if skill.startswith("try_")]
    document = {
        "type": "sequence",
        "name": f"each joint of {name} a little",
        "behaviors": [{"type": "body", "action": action} for action in ("RESET", *tries, "WAVE", "RESET")],
    }
    files = {f"{name}.yaml": text, f"{name}_joints.json": json.dumps(document, indent=2) + "\n"}
    described = path
    if not blocks_of(robot, Problems()).joints and len(joints) <= HIGHEST_ID:
        described = arguments.folder / f"{name}_servos.urdf"
        copy = with_servos(read_description(path), joints, _reductions(robot, told))
        if arguments.folder.resolve() != path.resolve().parent:  # relative names do not hold there
            copy = with_found_meshes(copy, path)
        read_servo_setup(read_urdf(copy))
        files[described.name] = copy
    _write(arguments.folder, files)
    channels = ", ".join(f"{joint.name} {joint.channel}" for joint in body.joints)
    sys.stdout.writelines(f"note: {text}\n" for text in told)
    sys.stdout.write(f"{len(joints)} joints, with the channels guessed from their names: {channels}\n")
    sys.stdout.writelines(f"wrote {arguments.folder / file}\n" for file in files)
    shown = [f"urdf:={described.resolve()}", f"body_file:={(arguments.folder / f'{name}.yaml').resolve()}"]
    sys.stdout.write(
        "to see it at http://127.0.0.1:8080:\n  embodiment_bridge up bringup.launch.xml body:=virtual_servos "
        f"{shlex.join(shown)} viewer:=true\n"
    )
    return 0


def _range(joint: Joint) -> tuple[float, float]:
    """Return the range of a joint as a body file takes it: to 4 digits, inside that of the description."""
    lower, upper = -math.pi, math.pi
    limit = joint.limit
    if limit is not None and -math.inf < limit.lower <= limit.upper < math.inf:
        lower, upper = max(limit.lower, -ANGLE_LIMIT), min(limit.upper, ANGLE_LIMIT)
    return round(lower + 5e-5, 4), round(upper - 5e-5, 4)


def _moves(joint: Joint) -> bool:
    lower, upper = _range(joint)
    return lower < upper


def _clipped(joint: Joint) -> Iterator[str]:
    """Yield what is not taken from the description, since no joint is so fast, strong or far-reaching."""
    limit = joint.limit
    if limit is None:
        return
    if limit.velocity > FASTEST:
        yield f"joint {joint.name!r}: {limit.velocity:g} rad/s is too fast for a joint; {USUAL_SPEED:g} rad/s is used"
    if limit.effort > STRONGEST:
        yield f"joint {joint.name!r}: {limit.effort:g} Nm is too strong for a joint; {USUAL_EFFORT:g} Nm is used"
    if math.isfinite(limit.lower) and max(-limit.lower, limit.upper) > ANGLE_LIMIT:
        text = f"its range {limit.lower:g}..{limit.upper:g} is kept to {ANGLE_LIMIT:g} to each side"
        yield f"joint {joint.name!r}: {text}"


def _reductions(robot: Robot, told: list[str]) -> dict[str, float]:
    """Return the gears that transmissions of ROS 1 say, of those that a servo can have."""
    found = {}
    for joint, name, text in outside_reductions(robot):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if LEAST_REDUCTION <= abs(value) <= MOST_REDUCTION:
            found[joint] = value
        else:
            told.append(
                f"joint {joint!r}: reduction {text!r} of its transmission {name!r} is not taken: 1 in its place"
            )
            found[joint] = 1.0
    return found


def body_text(name: str, joints: Sequence[Joint]) -> str:
    """Return the YAML of a body with these joints, which is read back before it is written."""
    made = {joint.name: _joint(joint) for joint in joints}
    channels = list(dict.fromkeys(joint.channel for joint in made.values()))
    skills: dict[str, Any] = {
        "reset": _skill(channels, (Keyframe(1.0, {}),), made, rest=True),
        "wave": _wave(made),
    }
    for joint in made.values():
        skill = word = f"try_{_word(joint.name)}"
        others = count(2)
        while skill in skills:
            skill = f"{word}_{next(others)}"
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
    speed = limit.velocity if limit and SLOWEST <= limit.velocity <= FASTEST else USUAL_SPEED
    effort = limit.effort if limit and SLOWEST <= limit.effort <= STRONGEST else USUAL_EFFORT
    lower, upper = _range(joint)
    channel, rest = channel_of(joint.name), min(max(0.0, lower), upper)
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
