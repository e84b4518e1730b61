# SPDX-License-Identifier: Apache-2.0
"""A URDF of a robot that came as MJCF, for /tf and viewers: its links, joints and shapes.

A body with several joints gets a link between each two.
"""

from collections.abc import Iterator, Mapping
from math import cos, sin
from pathlib import Path
from typing import Final

import numpy as np
from lxml import etree

from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, multiply, rotate
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.joints import HINGE, SLIDE
from embodiment_bridge.physics.shapes import (
    NO_MESHES,
    add_origin,
    add_shape,
    number,
    numbers,
    plus,
    quaternion,
    shown,
    vector,
)

BASE_LINK: Final = "base_link"
NOWHERE: Final = (0.0, 0.0, 0.0)
UNLIMITED_RAD: Final = 1e4


def describe(model: mujoco.MjModel, root: int, name: str, meshes: Mapping[str, Path] = NO_MESHES) -> str:
    """The URDF of the robot whose base is the body ``root``; that link is called base_link.

    meshes: files by the name of the mesh; a mesh without a file becomes the box around it.
    """
    robot = etree.Element("robot", name=name)
    for body in range(1, model.nbody):
        if int(model.body_rootid[body]) != root:
            continue
        link = etree.SubElement(robot, "link", name=_name(model, body, root))
        for geom in shown(model, body):
            place, turn = vector(model.geom_pos[geom]), quaternion(model.geom_quat[geom])
            add_shape(link, model, geom, place, turn, meshes)
        if body != root:
            _add_joints(robot, model, body, root)
    text: str = etree.tostring(robot, encoding="unicode", pretty_print=True)
    return text


def _name(model: mujoco.MjModel, body: int, root: int) -> str:
    return BASE_LINK if body == root else str(model.body(body).name)


def _add_joints(robot: etree._Element, model: mujoco.MjModel, body: int, root: int) -> None:
    """The joints between a body and its parent, with links between them."""
    own = _name(model, body, root)
    parent = _name(model, int(model.body_parentid[body]), root)
    place, turn = vector(model.body_pos[body]), quaternion(model.body_quat[body])
    anchor = NOWHERE
    joints = list(_movable(model, body))
    for place_in_body, joint in enumerate(joints):
        at, axis = vector(model.jnt_pos[joint]), vector(model.jnt_axis[joint])
        place = plus(place, rotate(turn, plus(at, anchor, -1.0)))
        zero = float(model.qpos0[model.jnt_qposadr[joint]])
        if model.jnt_type[joint] == HINGE:
            x, y, z = axis
            half = -0.5 * zero
            turn = multiply(turn, (sin(half) * x, sin(half) * y, sin(half) * z, cos(half)))
        else:
            place = plus(place, rotate(turn, axis), -zero)
        is_last = place_in_body == len(joints) - 1 and at == NOWHERE
        child = own if is_last else f"{own}_at_{model.joint(joint).name}"
        if not is_last:
            etree.SubElement(robot, "link", name=child)
        _add_joint(robot, model, joint, (parent, child), place, turn, axis)
        parent, place, turn, anchor = child, NOWHERE, IDENTITY, at
    if parent != own:
        fixed = etree.SubElement(robot, "joint", name=f"{own}_joint", type="fixed")
        _add_ends(fixed, parent, own)
        add_origin(fixed, plus(place, rotate(turn, anchor), -1.0), turn)


def _movable(model: mujoco.MjModel, body: int) -> Iterator[int]:
    first = int(model.body_jntadr[body])
    for joint in range(first, first + int(model.body_jntnum[body])):
        if model.jnt_type[joint] in (HINGE, SLIDE):
            yield joint


def _add_joint(
    robot: etree._Element,
    model: mujoco.MjModel,
    joint: int,
    ends: tuple[str, str],
    place: Vector,
    turn: Quaternion,
    axis: Vector,
) -> None:
    kind = "revolute" if model.jnt_type[joint] == HINGE else "prismatic"
    element = etree.SubElement(robot, "joint", name=model.joint(joint).name, type=kind)
    _add_ends(element, *ends)
    add_origin(element, place, turn)
    etree.SubElement(element, "axis", xyz=numbers(axis))
    lower, upper = -UNLIMITED_RAD, UNLIMITED_RAD
    if model.jnt_limited[joint]:
        lower, upper = np.clip(model.jnt_range[joint], lower, upper).tolist()
    limit = {"lower": number(lower), "upper": number(upper), "velocity": "0", "effort": "0"}
    etree.SubElement(element, "limit", limit)


def _add_ends(joint: etree._Element, parent: str, child: str) -> None:
    etree.SubElement(joint, "parent", link=parent)
    etree.SubElement(joint, "child", link=child)
