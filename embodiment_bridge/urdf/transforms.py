# SPDX-License-Identifier: Apache-2.0
"""Poses of links: transforms for TF, and forward kinematics of one link.

Positions come from a body and may be missing or not finite (an unstable simulation sends nan). Such a joint has no
transform, as with robot_state_publisher, and links behind it have no pose. Positions are not clamped to limits,
because they are measured.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, inverse, multiply, rotate
from embodiment_bridge.urdf.model import Joint, JointType, Robot


class LinkTransform(NamedTuple):
    """The pose of the frame ``child`` in the frame ``parent``: xyz m, unit quaternion (x, y, z, w)."""

    parent: str
    child: str
    xyz: Vector
    quaternion: Quaternion


def link_transforms(robot: Robot, positions: Mapping[str, float]) -> list[LinkTransform]:
    """The transform of every movable joint whose position is known, for ``/tf``.

    Args:
        robot: the description.
        positions: rad (m for prismatic joints) by joint name; names that the robot lacks are ignored.
            A mimic joint follows its leader unless its own position is given; a joint whose range is one position
            is there.
    """
    transforms = []
    for joint in robot.movable:
        position = _position(robot, joint, positions)
        if position is not None:
            transforms.append(LinkTransform(joint.parent, joint.child, *_move(joint, position)))
    return transforms


def fixed_transforms(robot: Robot) -> list[LinkTransform]:
    """The transforms of all fixed joints, for ``/tf_static``."""
    return [
        LinkTransform(joint.parent, joint.child, joint.origin.xyz, joint.origin.quaternion)
        for joint in robot.joints.values()
        if joint.type is JointType.FIXED
    ]


def seen_from(transforms: Iterable[LinkTransform], above: Collection[str]) -> list[LinkTransform]:
    """The transforms with those of the children ``above`` turned round, so that the last of them is the root.

    A frame of /tf has one parent: where a link inside the tree hangs on another frame, what was above it hangs on it.
    """
    return [_turned_round(one) if one.child in above else one for one in transforms]


def _turned_round(transform: LinkTransform) -> LinkTransform:
    parent, child, xyz, quaternion = transform
    x, y, z = rotate(back := inverse(quaternion), xyz)
    return LinkTransform(child, parent, (-x, -y, -z), back)


def chain(robot: Robot, root: str, tip: str) -> tuple[Joint, ...]:
    """The joints from the link ``root`` down to the link ``tip``, in this order; none when they are the same.

    Raises:
        ConfigError: the robot has no such link, or ``tip`` is not below ``root``.
    """
    for link in (root, tip):
        if link not in robot.links:
            raise ConfigError(f"{robot.source}: {unknown('link', link, robot.links)}")
    joints = []
    link = tip
    while link != root:
        joint = robot.parent_joint.get(link)
        if joint is None:
            raise ConfigError(f"{robot.source}: link {tip!r} does not hang on link {root!r}")
        joints.append(joint)
        link = joint.parent
    return tuple(reversed(joints))


def link_pose(
    robot: Robot, positions: Mapping[str, float], link: str, root: str | None = None
) -> LinkTransform | None:
    """Forward kinematics: the pose of ``link`` in the frame of ``root`` (default: the robot's root link).

    None if a joint between them has no finite position, or is floating or planar, which one position cannot describe.

    Raises:
        ConfigError: as ``chain``.
    """
    start = robot.root if root is None else root
    xyz: Vector = (0.0, 0.0, 0.0)
    quaternion = IDENTITY
    for joint in chain(robot, start, link):
        if joint.type is JointType.FIXED:
            step, turn = joint.origin.xyz, joint.origin.quaternion
        else:
            position = _position(robot, joint, positions) if joint.type.movable else None
            if position is None:
                return None
            step, turn = _move(joint, position)
        x, y, z = rotate(quaternion, step)
        xyz = (xyz[0] + x, xyz[1] + y, xyz[2] + z)
        quaternion = multiply(quaternion, turn)
    return LinkTransform(start, link, xyz, quaternion)


def _position(robot: Robot, joint: Joint, positions: Mapping[str, float]) -> float | None:
    position, mimic, limit = positions.get(joint.name), joint.mimic, joint.limit
    if position is None and mimic is not None:
        leader = _position(robot, robot.joints[mimic.joint], positions)
        position = None if leader is None else mimic.multiplier * leader + mimic.offset
    elif position is None and limit is not None and limit.lower == limit.upper:
        position = limit.lower
    return position if position is not None and math.isfinite(position) else None


def _move(joint: Joint, position: float) -> tuple[Vector, Quaternion]:
    """Pose of the child in the parent; the formula is in the docstring of ``Joint``."""
    origin = joint.origin
    if joint.type is JointType.PRISMATIC:
        x, y, z = origin.xyz
        ax, ay, az = joint.axis_in_parent
        return (x + position * ax, y + position * ay, z + position * az), origin.quaternion
    c, s = math.cos(0.5 * position), math.sin(0.5 * position)
    qx, qy, qz, qw = origin.quaternion
    sx, sy, sz, sw = joint.swing
    return origin.xyz, (c * qx + s * sx, c * qy + s * sy, c * qz + s * sz, c * qw + s * sw)
