# SPDX-License-Identifier: Apache-2.0
"""The URDF of a robot for /tf and viewers: written from MJCF, or given the meshes of its model.

A body with several joints gets a link between each two.
"""

from collections.abc import Iterator, Mapping
from math import cos, sin
from pathlib import Path
from typing import Final

import numpy as np
from lxml import etree

from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, inverse, multiply, rotate
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.joints import HINGE, SLIDE
from embodiment_bridge.physics.shapes import (
    NO_MESHES,
    add_origin,
    add_shape,
    mesh_of,
    number,
    numbers,
    plus,
    quaternion,
    shown,
    vector,
)
from embodiment_bridge.urdf import Robot, link_pose, read_urdf
from embodiment_bridge.urdf.source import parse, read_description

# Gives the links of a robot description the meshes of its model, whose links may have other names and frames.

BASE: Final = ""  # in place of the name of a joint


def dress(description: Path, model: mujoco.MjModel, root: int, meshes: Mapping[str, Path]) -> str:
    """Return the description with the shapes of ``model`` on links that have meshes there.

    Other links keep their own.

    Links belong together by the joint that moves them. Joint angles are 0 at the same pose in both.
    meshes: files by the name of the mesh.

    Raises:
        ConfigError: the description cannot be read.
    """
    robot = read_urdf(description)
    tree = parse(read_description(description))
    links = {link.get("name"): link for link in tree.iterfind("link")}
    places = _places_at_zero(model, root)
    movers = {link: _mover(robot, link) for link in robot.links}
    for joint, geoms in _geoms(model, root).items():
        own = [link for link, mover in movers.items() if mover == joint]
        if not own or not any(mesh_of(model, geom, meshes) for geom in geoms):
            continue
        for link in own:
            for visual in links[link].findall("visual"):
                links[link].remove(visual)
        first = robot.joints[joint].child if joint else own[0]
        frame = _frame(robot, first)
        for geom in geoms:
            add_shape(links[first], model, geom, *_within(frame, places[geom]), meshes)
    text: str = etree.tostring(tree, encoding="unicode")
    return text


def _geoms(model: mujoco.MjModel, root: int) -> dict[str, list[int]]:
    """Return the geoms that viewers show, by the joint that moves them."""
    found: dict[str, list[int]] = {}
    for body in range(1, model.nbody):
        if int(model.body_rootid[body]) == root:
            found.setdefault(_joint_of(model, body, root), []).extend(shown(model, body))
    return found


def _joint_of(model: mujoco.MjModel, body: int, root: int) -> str:
    while body != root:
        last = int(model.body_jntadr[body]) + int(model.body_jntnum[body]) - 1
        if model.body_jntnum[body] and model.jnt_type[last] in (HINGE, SLIDE):
            return str(model.joint(last).name)
        body = int(model.body_parentid[body])
    return BASE


def _mover(robot: Robot, link: str) -> str:
    """Return the movable joint that is nearest above a link."""
    joint = robot.parent_joint.get(link)
    while joint is not None and not joint.type.movable:
        joint = robot.parent_joint.get(joint.parent)
    return joint.name if joint is not None else BASE


def _places_at_zero(model: mujoco.MjModel, root: int) -> list[tuple[Vector, Quaternion]]:
    """Return where all geoms are at zero angles, in the frame of the root body."""
    data = mujoco.MjData(model)
    for joint in range(model.njnt):
        if model.jnt_type[joint] in (HINGE, SLIDE):
            data.qpos[model.jnt_qposadr[joint]] = 0.0
    mujoco.mj_kinematics(model, data)
    base = vector(data.xpos[root]), quaternion(data.xquat[root])
    found = []
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        turn = quaternion(data.xquat[body])
        place = plus(vector(data.xpos[body]), rotate(turn, vector(model.geom_pos[geom])))
        found.append(_within(base, (place, multiply(turn, quaternion(model.geom_quat[geom])))))
    return found


def _frame(robot: Robot, link: str) -> tuple[Vector, Quaternion]:
    """Return the place of a link in the frame of the base at zero angles."""
    base = BASE_LINK if BASE_LINK in robot.links else robot.root
    pose = link_pose(robot, {joint.name: 0.0 for joint in robot.movable}, link, base)
    if pose is None:  # behind a floating or planar joint
        return (0.0, 0.0, 0.0), IDENTITY
    return pose.xyz, pose.quaternion


def _within(frame: tuple[Vector, Quaternion], pose: tuple[Vector, Quaternion]) -> tuple[Vector, Quaternion]:
    """Return a pose in ``frame``; both are given in the same other frame."""
    back = inverse(frame[1])
    return rotate(back, plus(pose[0], frame[0], -1.0)), multiply(back, pose[1])


BASE_LINK: Final = "base_link"
NOWHERE: Final = (0.0, 0.0, 0.0)
UNLIMITED_RAD: Final = 1e4


def describe(model: mujoco.MjModel, root: int, name: str, meshes: Mapping[str, Path] = NO_MESHES) -> str:
    """Return the URDF of the robot whose base is the body ``root``; that link is called base_link.

    Another body of this name, and what needs names of its own, get a number after their names.
    meshes: files by the name of the mesh; a mesh without a file becomes the box around it.
    """
    robot = etree.Element("robot", name=name)
    links = {root: BASE_LINK}
    names, joint_names = {BASE_LINK}, {model.joint(joint).name for joint in range(model.njnt)}
    for body in range(1, model.nbody):
        if int(model.body_rootid[body]) == root != body:
            links[body] = _free(model.body(body).name, names)
    for body, own in sorted(links.items()):
        link = etree.SubElement(robot, "link", name=own)
        for geom in shown(model, body):
            place, turn = vector(model.geom_pos[geom]), quaternion(model.geom_quat[geom])
            add_shape(link, model, geom, place, turn, meshes)
        if body != root:
            _add_joints(robot, model, body, links, names, joint_names)
    text: str = etree.tostring(robot, encoding="unicode", pretty_print=True)
    return text


def _free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, and take it."""
    numbered = (f"{name}_{number}" for number in range(1, len(taken) + 2))
    free = next(one for one in (name, *numbered) if one not in taken)
    taken.add(free)
    return free


def _add_joints(
    robot: etree._Element,
    model: mujoco.MjModel,
    body: int,
    links: Mapping[int, str],
    names: set[str],
    joint_names: set[str],
) -> None:
    """Add the joints between a body and its parent, with links between them."""
    own, parent = links[body], links[int(model.body_parentid[body])]
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
        child = own if is_last else _free(f"{own}_at_{model.joint(joint).name}", names)
        if not is_last:
            etree.SubElement(robot, "link", name=child)
        _add_joint(robot, model, joint, (parent, child), place, turn, axis)
        parent, place, turn, anchor = child, NOWHERE, IDENTITY, at
    if parent != own:
        fixed = etree.SubElement(robot, "joint", name=_free(f"{own}_joint", joint_names), type="fixed")
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
