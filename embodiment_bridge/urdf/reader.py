# SPDX-License-Identifier: Apache-2.0
"""Reads URDF into a ``Robot`` and checks that its links form one tree.

It refuses what urdfdom, and so every ROS tool, refuses; what urdfdom takes though it makes no sense gets a warning.

It reads links with their visuals, joints, and materials. It skips masses, collision shapes, ``<dynamics>``,
``<calibration>`` and ``<safety_controller>``, and keeps other top-level elements as they are.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from lxml import etree

from embodiment_bridge.core.errors import unknown
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.urdf.looks import mend_shapes, read_looks, read_origin
from embodiment_bridge.urdf.model import Joint, JointType, Limit, Link, Mimic, Robot
from embodiment_bridge.urdf.source import (
    SHORTEST,
    attribute,
    child,
    load,
    named,
    number,
    problem,
    quote,
    source_name,
    vector,
)


def hang(
    robot: etree._Element,
    links: Mapping[str, Link],
    joints: Mapping[str, Joint],
    elements: Mapping[str, etree._Element],
) -> tuple[str, dict[str, Joint]]:
    """Find the root link, and the joint between each other link and its parent.

    ``elements`` are the joints' elements by name, for errors.

    Raises:
        ConfigError: a joint names a link that is not there, a link hangs on two joints, there is no link,
            not exactly one root, or a loop.
    """
    parent_joint: dict[str, Joint] = {}
    for joint in joints.values():
        for link in (joint.parent, joint.child):
            if link not in links:
                raise problem(elements[joint.name], unknown("link", link, links))
        if joint.child in parent_joint:
            other = parent_joint[joint.child].name
            raise problem(
                elements[joint.name], f"its child {quote(joint.child)} hangs on joint {quote(other)} already"
            )
        parent_joint[joint.child] = joint
    if not links:
        raise problem(robot, "has no link")
    roots = [name for name in links if name not in parent_joint]
    if len(roots) > 1:
        raise problem(
            robot, f"links {quote(roots[0])} and {quote(roots[1])} are both roots: connect them by a joint"
        )
    looped = set(links) - _reachable(roots, joints)
    if looped:
        joint = parent_joint[min(looped)]
        raise problem(elements[joint.name], f"link {quote(joint.child)} is in a loop, or hangs on one")
    return roots[0], parent_joint


def _reachable(roots: list[str], joints: Mapping[str, Joint]) -> set[str]:
    children: dict[str, list[str]] = {}
    for joint in joints.values():
        children.setdefault(joint.parent, []).append(joint.child)
    reached: set[str] = set()
    waiting = list(roots)
    while waiting:
        link = waiting.pop()
        reached.add(link)
        waiting.extend(children.get(link, ()))
    return reached


def follow_mimics(
    joints: Mapping[str, Joint], elements: Mapping[str, etree._Element], warnings: list[str]
) -> dict[str, Mimic | None]:
    """For each mimic joint the joint that it follows in the end, with multiplier and offset.

    It is None, with a warning, where that joint is not there or does not have one position, or follows the first.
    """
    final: dict[str, Mimic | None] = {}
    for start in joints.values():
        followers: dict[str, Mimic] = {}
        name, mimic = start.name, start.mimic
        while mimic is not None and name not in final:
            leader = joints.get(mimic.joint)
            wrong = ""
            if name in followers:
                del followers[name]
                wrong = "mimics itself, directly or through others"
            elif leader is None:
                wrong = unknown("joint to mimic", mimic.joint, joints)
            elif not leader.type.movable:
                wrong = f"mimics joint {quote(mimic.joint)}, which is {leader.type.value}"
            if wrong or leader is None:
                warnings.append(f"{problem(elements[name], wrong)}; it moves by itself")
                final[name] = None
                break
            followers[name] = mimic
            name, mimic = leader.name, leader.mimic
        for follower, own in reversed(followers.items()):
            final[follower] = _through(own, final.get(own.joint))
    return final


def _through(own: Mimic, leader: Mimic | None) -> Mimic:
    if leader is None:
        return own
    return Mimic(
        leader.joint, own.multiplier * leader.multiplier, own.multiplier * leader.offset + own.offset
    )


OWN_TAGS: Final = ("link", "joint", "material")
UNEXPANDED: Final = ("macro", "include", "property", "arg", "if", "unless")  # of xacro
MOST_WARNINGS: Final = 20  # further ones are only counted


def read_urdf(source: str | Path) -> Robot:
    """Read a robot description.

    Args:
        source: a file, or the description itself (a ``str`` that begins with ``<``), UTF-8, at most 4 MiB.

    Raises:
        ConfigError: naming file, line, element and value: the file cannot be read, the XML is not
            well-formed, the links are not one tree, a name is missing, unknown or there twice, a number is
            not finite, a joint type is unknown.
    """
    root = load(source)
    if root.tag != "robot":
        raise problem(root, "is not <robot>, the root of a URDF")
    warnings = mend_shapes(root)
    _look_for_xacro(root, warnings)
    links = read_looks(root)
    elements = named(root, "joint")
    joints = {name: _read_joint(name, element, warnings) for name, element in elements.items()}
    mimics = follow_mimics(joints, elements, warnings)
    joints = {name: replace(joint, mimic=mimics.get(name)) for name, joint in joints.items()}
    top, parent_joint = hang(root, links, joints, elements)
    warnings += [
        f"{problem(elements[name], f'is {joint.type.value}: no position moves it')}; links behind it are not on /tf"
        for name, joint in joints.items()
        if joint.type in (JointType.FLOATING, JointType.PLANAR)
        and joint.parent != top  # else it places the robot
    ]
    return Robot(
        name=attribute(root, "name"),
        root=top,
        links=MappingProxyType(links),
        joints=MappingProxyType(joints),
        parent_joint=MappingProxyType(parent_joint),
        movable=tuple(joint for joint in joints.values() if joint.type.movable),
        extras=tuple(element for element in root if element.tag not in OWN_TAGS),
        source=source_name(root),
        warnings=(
            *warnings[:MOST_WARNINGS],
            *([f"and {len(warnings) - MOST_WARNINGS} more"] if len(warnings) > MOST_WARNINGS else []),
        ),
    )


def _look_for_xacro(root: etree._Element, warnings: list[str]) -> None:
    """Refuse a file that xacro has not expanded yet; what it left over has no effect."""
    for element in root:
        namespace, _, tag = str(element.tag).replace(":", "}").rpartition("}")
        if namespace.endswith("xacro"):
            if tag in UNEXPANDED:
                raise problem(element, "is a xacro macro: expand the file first (xacro FILE > robot.urdf)")
            warnings.append(f"{problem(element, 'is a macro that xacro has not expanded')}; it has no effect")


def _read_joint(name: str, element: etree._Element, warnings: list[str]) -> Joint:
    kind = attribute(element, "type")
    known = {type_.value: type_ for type_ in JointType}
    if kind not in known:
        raise problem(element, unknown("joint type", kind, known))
    return Joint(
        name=name,
        type=known[kind],
        parent=attribute(child(element, "parent"), "link"),
        child=attribute(child(element, "child"), "link"),
        origin=read_origin(element),
        axis=_read_axis(element) if known[kind].movable else (1.0, 0.0, 0.0),
        limit=_read_limit(element, known[kind], warnings),
        mimic=_read_mimic(element),
    )


def _read_axis(joint: etree._Element) -> Vector:
    axis = joint.find("axis")
    if axis is None:
        return (1.0, 0.0, 0.0)
    x, y, z = vector(axis, "xyz", (1.0, 0.0, 0.0))
    length = math.hypot(x, y, z)
    if not SHORTEST < length < 1.0 / SHORTEST:
        raise problem(axis, f"xyz {quote(axis.get('xyz'))} gives no direction")
    return x / length, y / length, z / length


def _read_limit(joint: etree._Element, type_: JointType, warnings: list[str]) -> Limit | None:
    bounded = type_ in (JointType.REVOLUTE, JointType.PRISMATIC)
    limit = child(joint, "limit") if bounded else joint.find("limit")
    if limit is None or not type_.movable:
        return None
    lower, upper = (
        (number(limit, "lower", 0.0), number(limit, "upper", 0.0)) if bounded else (-math.inf, math.inf)
    )
    if lower > upper:
        raise problem(limit, f"lower {lower:g} is above upper {upper:g}")
    velocity, effort = number(limit, "velocity"), number(limit, "effort")
    if min(velocity, effort) < 0.0:
        warnings.append(f"{problem(limit, 'velocity or effort is below 0')}; taken without its sign")
    return Limit(lower, upper, abs(velocity), abs(effort))


def _read_mimic(joint: etree._Element) -> Mimic | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    return Mimic(attribute(mimic, "joint"), number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0))
