# SPDX-License-Identifier: Apache-2.0
"""ROS messages from JSON and back, and TF messages that are filled in again."""

import json
import math

import pytest
from builtin_interfaces.msg import Time
from embodiment_bridge.msg import ActionParameter
from embodiment_bridge.srv import Beam, SetTorque
from geometry_msgs.msg import PoseWithCovariance
from sensor_msgs.msg import JointState
from std_msgs.msg import Byte, ByteMultiArray, UInt8
from std_srvs.srv import SetBool

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import IDENTITY
from embodiment_bridge.nodes.base.messages import TransformMessages, as_json, fill
from embodiment_bridge.urdf import LinkTransform

CASES = [
    (SetBool.Request, {"data": True}),
    (SetTorque.Request, {"joints": ["elbow", "wrist"], "on": True}),
    (Beam.Request, {"x": -1, "y": 0.5, "theta": 0.0}),
    (ActionParameter, {"name": "x", "vector": {"x": 1.0, "y": 2.0, "z": 3.0}}),
    (JointState, {"header": {"stamp": {"sec": 3, "nanosec": 4}, "frame_id": "a"}, "position": [1.0, 2.5]}),
    (PoseWithCovariance, {"covariance": [0.5] * 36}),
    (UInt8, {"data": 255}),
    (Byte, {"data": 7}),
    (ByteMultiArray, {"data": [1, 2]}),
]
BAD = [
    (SetBool.Request, [], "the request is [], no object; its fields: data (boolean)"),
    (
        SetBool.Request,
        {"date": True},
        "unknown field of the request 'date'; did you mean 'data'? (known: data)",
    ),
    (SetBool.Request, {"data": 1}, "data is 1; it must be true or false"),
    (SetTorque.Request, {"joints": "elbow"}, "joints is 'elbow'; it must be a list of string"),
    (SetTorque.Request, {"joints": [1]}, "joints[0] is 1; it must be a text"),
    (Beam.Request, {"x": "far"}, "x is 'far'; it must be a number"),
    (Beam.Request, {"x": True}, "x is True; it must be a number"),
    (Beam.Request, {"x": 10**400}, f"x is 1{'0' * 27}...{'0' * 29}; it must be a number"),
    (SetTorque.Request, {"joints": ["\ud800"]}, r"joints[0] is '\ud800'; it must be a text"),
    (ActionParameter, {"vector": {"w": 1}}, "unknown field of vector 'w' (known: x, y, z)"),
    (
        ActionParameter,
        {"vector": 1},
        "vector is 1, no object; its fields: x (double), y (double), z (double)",
    ),
    (PoseWithCovariance, {"covariance": [0.5]}, "covariance has 1 values; it must have 36"),
    (UInt8, {"data": 256}, "data is 256; it must be a whole number from 0 to 255"),
    (UInt8, {"data": 1.5}, "data is 1.5; it must be a whole number from 0 to 255"),
    (UInt8, {"data": True}, "data is True; it must be a whole number from 0 to 255"),
]


@pytest.mark.parametrize(("kind", "values"), CASES)
def test_what_is_written_is_read_back(kind, values):
    message = kind()
    fill(message, values)
    read = as_json(message)
    assert json.loads(json.dumps(read)) == read
    expected = as_json(kind()) | values
    if kind is ByteMultiArray:
        expected["data"] = values["data"]
    if kind is ActionParameter or kind is JointState:
        expected = {name: read[name] if name not in values else expected[name] for name in read}
    assert read == expected


@pytest.mark.parametrize(("kind", "values", "says"), BAD)
def test_what_does_not_fit_is_named(kind, values, says):
    with pytest.raises(CommandError) as error:
        fill(kind(), values)
    assert str(error.value) == says


def test_a_number_that_json_does_not_have_is_its_text():
    assert as_json(Beam.Request(x=math.nan))["x"] == "nan"


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
