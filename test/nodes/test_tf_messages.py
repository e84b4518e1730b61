# SPDX-License-Identifier: Apache-2.0
"""TF messages are filled in again, so nothing of an earlier one may stay."""

from builtin_interfaces.msg import Time

from embodiment_bridge.core.rotation import IDENTITY
from embodiment_bridge.nodes.base.messages import TransformMessages
from embodiment_bridge.urdf import LinkTransform

TURN = (0.5, -0.5, 0.5, 0.5)
HEAD = LinkTransform("base_link", "head", (1.0, 2.0, 3.0), TURN)
ARM = LinkTransform("base_link", "arm", (4.0, 5.0, 6.0), IDENTITY)


def values(message):
    """All that a TF message says, as it would be serialised now."""
    return [
        (
            one.header.stamp.sec,
            one.header.frame_id,
            one.child_frame_id,
            (one.transform.translation.x, one.transform.translation.y, one.transform.translation.z),
            (
                one.transform.rotation.x,
                one.transform.rotation.y,
                one.transform.rotation.z,
                one.transform.rotation.w,
            ),
        )
        for one in message.transforms
    ]


def test_frames_stamp_and_numbers() -> None:
    message = TransformMessages("r1/").make([HEAD, ARM], Time(sec=7))
    assert values(message) == [
        (7, "r1/base_link", "r1/head", HEAD.xyz, HEAD.quaternion),
        (7, "r1/base_link", "r1/arm", ARM.xyz, ARM.quaternion),
    ]


def test_next_message_has_nothing_of_the_last() -> None:
    messages = TransformMessages("")
    messages.make([HEAD, ARM], Time(sec=7))
    moved = HEAD._replace(xyz=(0.0, 0.0, 0.0), quaternion=IDENTITY)
    assert values(messages.make([moved], Time(sec=8))) == [
        (8, "base_link", "head", (0.0, 0.0, 0.0), IDENTITY)
    ]
    assert values(messages.make([ARM, HEAD], Time(sec=9))) == [
        (9, "base_link", "arm", ARM.xyz, IDENTITY),
        (9, "base_link", "head", HEAD.xyz, TURN),
    ]


def test_same_child_in_two_parents_is_two_transforms() -> None:
    other = HEAD._replace(parent="map")
    message = TransformMessages("").make([HEAD, other], Time())
    assert [one[1] for one in values(message)] == ["base_link", "map"]


def test_no_transforms() -> None:
    assert values(TransformMessages("").make([], Time())) == []
