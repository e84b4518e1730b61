# SPDX-License-Identifier: Apache-2.0
"""Reads URDF into a ``Robot`` and checks that its links form one tree.

It refuses what urdfdom, and so every ROS tool, refuses.

It reads links with their visuals, joints, and materials. It skips masses, collision shapes, ``<dynamics>``,
``<calibration>`` and ``<safety_controller>``, and keeps other top-level elements as they are.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from lxml import etree

from embodiment_bridge.core.errors import unknown
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.urdf.model import (
    Box,
    Cylinder,
    Joint,
    JointType,
    Limit,
    Link,
    Mesh,
    Mimic,
    Origin,
    Robot,
    Shape,
    Sphere,
    Visual,
)
from embodiment_bridge.urdf.source import attribute, child, load, number, numbers, problem, quote, source_name


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


def follow_mimics(joints: Mapping[str, Joint], elements: Mapping[str, etree._Element]) -> dict[str, Mimic]:
    """For each mimic joint the joint that it follows in the end, with multiplier and offset.

    Raises:
        ConfigError: a mimicked joint does not exist or does not have one position, or mimics form a loop.
    """
    final: dict[str, Mimic] = {}
    for start in joints.values():
        followers: dict[str, Mimic] = {}
        name, mimic = start.name, start.mimic
        while mimic is not None and name not in final:
            if name in followers:
                raise problem(elements[name], "mimics itself, directly or through others")
            if mimic.joint not in joints:
                raise problem(elements[name], unknown("joint to mimic", mimic.joint, joints))
            if not joints[mimic.joint].type.movable:
                kind = joints[mimic.joint].type.value
                raise problem(elements[name], f"mimics joint {quote(mimic.joint)}, which is {kind}")
            followers[name] = mimic
            name, mimic = mimic.joint, joints[mimic.joint].mimic
        for follower, own in reversed(followers.items()):
            final[follower] = _through(own, final.get(own.joint))
    return final


def _through(own: Mimic, leader: Mimic | None) -> Mimic:
    if leader is None:
        return own
    return Mimic(
        leader.joint, own.multiplier * leader.multiplier, own.multiplier * leader.offset + own.offset
    )


Rgba = tuple[float, float, float, float]

DEFAULT_RGBA: Rgba = (0.7, 0.7, 0.7, 1.0)  # of a visual without a material, or with only a texture
NO_AXIS = 1e-9  # an axis shorter than this has no direction
OWN_TAGS = ("link", "joint", "material")


def read_urdf(source: str | Path) -> Robot:
    """Read a robot description.

    Args:
        source: a file, or the description itself (a ``str`` that begins with ``<``), UTF-8, at most 4 MiB.

    Raises:
        ConfigError: naming file, line, element and value: the file cannot be read, the XML is not
            well-formed, the links are not one tree, a name is missing, unknown or there twice, a number is
            not finite, a joint type or shape is unknown.
    """
    root = load(source)
    if root.tag != "robot":
        raise problem(root, "is not <robot>, the root of a URDF")
    _refuse_xacro(root)
    materials = _read_materials(root)
    links = {name: _read_link(name, element, materials) for name, element in _named(root, "link").items()}
    elements = _named(root, "joint")
    joints = {name: _read_joint(name, element) for name, element in elements.items()}
    mimics = follow_mimics(joints, elements)
    joints = {name: replace(joint, mimic=mimics.get(name)) for name, joint in joints.items()}
    top, parent_joint = hang(root, links, joints, elements)
    return Robot(
        name=attribute(root, "name"),
        root=top,
        links=MappingProxyType(links),
        joints=MappingProxyType(joints),
        parent_joint=MappingProxyType(parent_joint),
        movable=tuple(joint for joint in joints.values() if joint.type.movable),
        extras=tuple(element for element in root if element.tag not in OWN_TAGS),
        source=source_name(root),
    )


def _refuse_xacro(root: etree._Element) -> None:
    for element in root:
        if (etree.QName(element).namespace or "").endswith("xacro"):
            raise problem(element, "is a xacro macro: expand the file first (xacro FILE > robot.urdf)")


def _named(root: etree._Element, tag: str) -> dict[str, etree._Element]:
    """The top-level elements called ``tag`` by their names, which must differ."""
    found: dict[str, etree._Element] = {}
    for element in root.iterfind(tag):
        name = attribute(element, "name")
        if name in found:
            raise problem(element, f"there is a {tag} of this name already, in line {found[name].sourceline}")
        found[name] = element
    return found


def _read_materials(root: etree._Element) -> dict[str, Rgba]:
    """Colours by name; one that a visual defines counts everywhere, as in urdfdom."""
    rgba = {name: _read_color(element) for name, element in _named(root, "material").items()}
    for element in root.iterfind("link/visual/material"):
        if element.get("name") and (element.find("color") is not None or element.find("texture") is not None):
            rgba.setdefault(attribute(element, "name"), _read_color(element))
    return rgba


def _read_color(material: etree._Element) -> Rgba:
    color = material.find("color")
    if color is None:
        return DEFAULT_RGBA
    r, g, b, a = numbers(color, "rgba", DEFAULT_RGBA, minimum=0.0)
    if max(r, g, b, a) > 1.0:
        raise problem(color, f"rgba {quote(color.get('rgba'))} is above 1")
    return r, g, b, a


def _read_link(name: str, element: etree._Element, materials: Mapping[str, Rgba]) -> Link:
    return Link(name, tuple(_read_visual(visual, materials) for visual in element.iterfind("visual")))


def _read_visual(element: etree._Element, materials: Mapping[str, Rgba]) -> Visual:
    rgba = DEFAULT_RGBA
    material = element.find("material")
    if material is not None and material.find("color") is not None:
        rgba = _read_color(material)
    elif material is not None and material.get("name"):
        name = attribute(material, "name")
        if name not in materials:
            raise problem(material, unknown("material", name, materials))
        rgba = materials[name]
    return Visual(_read_shape(child(element, "geometry")), _read_origin(element), rgba)


def _read_shape(geometry: etree._Element) -> Shape:
    if len(geometry) != 1:
        raise problem(geometry, f"has {len(geometry)} shapes, not one")
    shape = geometry[0]
    if shape.tag == "box":
        attribute(shape, "size")
        return Box(_vector(shape, "size", (0.0, 0.0, 0.0), minimum=0.0))
    if shape.tag == "cylinder":
        return Cylinder(number(shape, "radius", minimum=0.0), number(shape, "length", minimum=0.0))
    if shape.tag == "sphere":
        return Sphere(number(shape, "radius", minimum=0.0))
    if shape.tag == "mesh":
        return Mesh(attribute(shape, "filename"), _vector(shape, "scale", (1.0, 1.0, 1.0)))
    raise problem(geometry, unknown("shape", shape.tag, ("box", "cylinder", "sphere", "mesh")))


def _read_origin(element: etree._Element) -> Origin:
    origin = element.find("origin")
    if origin is None:
        return Origin()
    return Origin(_vector(origin, "xyz", (0.0, 0.0, 0.0)), _vector(origin, "rpy", (0.0, 0.0, 0.0)))


def _read_joint(name: str, element: etree._Element) -> Joint:
    kind = attribute(element, "type")
    known = {type_.value: type_ for type_ in JointType}
    if kind not in known:
        raise problem(element, unknown("joint type", kind, known))
    return Joint(
        name=name,
        type=known[kind],
        parent=attribute(child(element, "parent"), "link"),
        child=attribute(child(element, "child"), "link"),
        origin=_read_origin(element),
        axis=_read_axis(element) if known[kind].movable else (1.0, 0.0, 0.0),
        limit=_read_limit(element, known[kind]),
        mimic=_read_mimic(element),
    )


def _read_axis(joint: etree._Element) -> Vector:
    axis = joint.find("axis")
    if axis is None:
        return (1.0, 0.0, 0.0)
    x, y, z = _vector(axis, "xyz", (1.0, 0.0, 0.0))
    length = math.hypot(x, y, z)
    if not NO_AXIS < length < 1.0 / NO_AXIS:
        raise problem(axis, f"xyz {quote(axis.get('xyz'))} gives no direction")
    return x / length, y / length, z / length


def _read_limit(joint: etree._Element, type_: JointType) -> Limit | None:
    bounded = type_ in (JointType.REVOLUTE, JointType.PRISMATIC)
    limit = child(joint, "limit") if bounded else joint.find("limit")
    if limit is None or not type_.movable:
        return None
    lower, upper = (
        (number(limit, "lower", 0.0), number(limit, "upper", 0.0)) if bounded else (-math.inf, math.inf)
    )
    if lower > upper:
        raise problem(limit, f"lower {lower:g} is above upper {upper:g}")
    return Limit(lower, upper, number(limit, "velocity", minimum=0.0), number(limit, "effort", minimum=0.0))


def _read_mimic(joint: etree._Element) -> Mimic | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    return Mimic(attribute(mimic, "joint"), number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0))


def _vector(element: etree._Element, name: str, default: Vector, minimum: float = -math.inf) -> Vector:
    x, y, z = numbers(element, name, default, minimum)
    return x, y, z
