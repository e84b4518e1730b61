# SPDX-License-Identifier: Apache-2.0
"""Checks a whole description in linear time: the links form one tree, and mimics end at a joint with a position."""

from collections.abc import Mapping

from lxml import etree

from embodiment_bridge.core.errors import unknown
from embodiment_bridge.urdf.model import Joint, Link, Mimic
from embodiment_bridge.urdf.source import problem, quote


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
