# SPDX-License-Identifier: Apache-2.0
"""Packed messages have the bytes that rclpy makes of the same message, and other shapes go out as rclpy does it."""

import struct
from array import array
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Quaternion, QuaternionStamped, TransformStamped, Vector3, WrenchStamped
from hypothesis import given
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.nodes.base.messages import TransformMessages, flat
from embodiment_bridge.nodes.base.outlet import LOOK_S, NotPackableError, Outlet, PackedOutlet, Template
from embodiment_bridge.nodes.soccer.monitor_publishers import _POSE, _STAMP, PackedMarkers, _places
from embodiment_bridge.urdf import LinkTransform

NAMES = st.lists(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9), max_size=30
)
STAMPS = st.builds(Time, sec=st.integers(-(2**31), 2**31 - 1), nanosec=st.integers(0, 2**32 - 1))
NUMBERS = st.floats(allow_nan=False)


def clock(names: Sequence[str], numbers: Sequence[float], stamp: Time) -> Clock:
    return Clock(clock=stamp)


def joint_states(names: Sequence[str], numbers: Sequence[float], stamp: Time) -> JointState:
    half = array("d", numbers[: len(names)])
    return JointState(
        header=Header(stamp=stamp),
        name=list(names),
        position=half,
        velocity=array("d", numbers[len(names) :]),
    )


def transforms(names: Sequence[str], numbers: Sequence[float], stamp: Time) -> TFMessage:
    return TransformMessages("a/").of_numbers(
        [(name, "x" * i) for i, name in enumerate(names)], numbers, stamp
    )


def imu(names: Sequence[str], numbers: Sequence[float], stamp: Time) -> Imu:
    message = Imu(header=Header(stamp=stamp, frame_id="".join(names)))
    message.orientation = Quaternion(**dict(zip("xyzw", numbers[:4], strict=True)))
    message.angular_velocity = Vector3(**dict(zip("xyz", numbers[4:7], strict=True)))
    message.linear_acceleration = Vector3(**dict(zip("xyz", numbers[7:10], strict=True)))
    return message


def odometry(names: Sequence[str], numbers: Sequence[float], stamp: Time) -> Odometry:
    message = Odometry(header=Header(stamp=stamp, frame_id="odom"), child_frame_id="".join(names))
    place, speed = message.pose.pose.position, message.twist.twist.linear
    speed.x, speed.y, place.x, place.y = numbers  # in another order than in the message
    return message


def wrench(names: Sequence[str], numbers: Sequence[float], stamp: Time) -> WrenchStamped:
    message = WrenchStamped(header=Header(stamp=stamp, frame_id="".join(names)))
    message.wrench.force, message.wrench.torque = Vector3(z=numbers[0]), Vector3(x=numbers[1])
    return message


KINDS = {
    clock: lambda names: 0,
    joint_states: lambda names: 2 * len(names),
    transforms: lambda names: 7 * len(names),
    imu: lambda names: 10,
    odometry: lambda names: 4,
    wrench: lambda names: 2,
}


def differing(a: bytes, b: bytes, kind: type) -> list[int]:
    """The places where two serialised messages differ, but for the gaps before aligned numbers, which say nothing."""
    message = deserialize_message(a, kind)
    places = [i for i in range(len(a)) if a[i] != b[i]]
    return [i for i in places if deserialize_message(a[:i] + b[i : i + 1] + a[i + 1 :], kind) != message]


@given(st.data(), st.sampled_from(list(KINDS)), NAMES)
def test_packed_is_as_serialised_byte_for_byte(data, make, names) -> None:
    count = KINDS[make](names)
    if make is transforms and not names:
        return  # it has no stamp, see below
    template = Template(lambda numbers, stamp: make(names, numbers, stamp), count)
    for _ in range(2):
        numbers = data.draw(st.lists(NUMBERS, min_size=count, max_size=count))
        stamp = data.draw(STAMPS)
        wanted = make(names, numbers, stamp)
        packed = template.pack(numbers, stamp)
        assert len(packed) == len(serialize_message(wanted))
        assert differing(serialize_message(wanted), packed, type(wanted)) == []
        assert deserialize_message(packed, type(wanted)) == wanted


def test_not_a_number_is_packed() -> None:
    template = Template(lambda numbers, stamp: wrench(["f"], numbers, stamp), 2)
    found = deserialize_message(template.pack([float("nan"), float("-inf")], Time()), WrenchStamped).wrench
    assert found.force.z != found.force.z
    assert found.torque.x == float("-inf")


@pytest.mark.parametrize(("order", "header"), [("<", b"\0\1\0\0"), (">", b"\0\0\0\0")])
def test_both_byte_orders(order: str, header: bytes) -> None:
    def serialise(message: QuaternionStamped) -> bytes:
        turn, stamp = message.quaternion, message.header.stamp
        head = struct.pack(order + "iII3sx", stamp.sec, stamp.nanosec, 3, b"ab\0")
        return header + head + struct.pack(order + "4d", turn.x, turn.y, turn.z, turn.w)

    def make(numbers: Sequence[float], stamp: Time) -> QuaternionStamped:
        turn = Quaternion(**dict(zip("xyzw", numbers, strict=True)))
        return QuaternionStamped(header=Header(stamp=stamp, frame_id="ab"), quaternion=turn)

    packed = Template(make, 4, serialise).pack((0.5, 0.25, -1.0, 2.0), Time(sec=-3, nanosec=7))
    assert packed == serialise(make((0.5, 0.25, -1.0, 2.0), Time(sec=-3, nanosec=7)))
    assert deserialize_message(packed, QuaternionStamped) == make(
        (0.5, 0.25, -1.0, 2.0), Time(sec=-3, nanosec=7)
    )


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda numbers, stamp: TFMessage(), "no stamp"),
        (lambda numbers, stamp: wrench(["f"], [numbers[0], numbers[0]], stamp), "2 times"),
        (lambda numbers, stamp: wrench(["f"], [numbers[0], 2.0 * numbers[1]], stamp), "0 times"),
        (
            lambda numbers, stamp: wrench([f"{numbers[0]:.9f}"], numbers, stamp),
            "more than stamps and numbers",
        ),
    ],
)
def test_what_cannot_be_packed_is_refused(make, reason: str) -> None:
    with pytest.raises(NotPackableError, match=reason):
        Template(make, 2)


def test_another_number_of_numbers_is_refused() -> None:
    with pytest.raises(NotPackableError, match="3 numbers instead of 2"):
        Template(lambda numbers, stamp: wrench(["f"], numbers, stamp), 2).pack([1.0] * 3, Time())


class Topic:
    """A node and its publisher, as an outlet sees them."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.subscribers = 1
        self.asked = 0
        self.outlet = Outlet(SimpleNamespace(create_publisher=lambda *_: self), JointState, "topic", None)
        self.packed = PackedOutlet(self.outlet, joint_states)

    def publish(self, message: object) -> None:
        self.sent.append(message)

    def get_subscription_count(self) -> int:
        self.asked += 1
        return self.subscribers


@pytest.fixture
def topic() -> Topic:
    return Topic()


def test_the_second_message_of_a_shape_is_packed(topic: Topic) -> None:
    shapes = [("a",), ("a",), ("a",), ("b",), ("b",), ("a",), ()]
    for i, names in enumerate(shapes):
        topic.packed.publish(names, [float(i)] * (2 * len(names)), Time(sec=i))
    kinds = [type(message) for message in topic.sent]
    assert kinds == [JointState, bytes, bytes, JointState, bytes, JointState, JointState]
    for i, (names, message) in enumerate(zip(shapes, topic.sent, strict=True)):
        found = deserialize_message(message, JointState) if isinstance(message, bytes) else message
        assert found == joint_states(names, [float(i)] * (2 * len(names)), Time(sec=i))


def test_what_cannot_be_packed_goes_out_as_it_is() -> None:
    topic = Topic()
    packed = PackedOutlet(
        topic.outlet, lambda shape, numbers, stamp: TFMessage(transforms=[TransformStamped()])
    )
    for _ in range(3):
        packed.publish("", (), Time(sec=5, nanosec=6))
    assert topic.sent == [TFMessage(transforms=[TransformStamped()])] * 3


def test_subscribers_are_counted_ten_times_a_second(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    assert [topic.packed.wanted, topic.packed.wanted] == [True, True]
    topic.subscribers = 0
    assert topic.packed.wanted
    assert topic.asked == 1
    now[0] += LOOK_S
    assert not topic.packed.wanted


def test_transforms_in_numbers_are_the_same_transforms() -> None:
    rows = [
        LinkTransform("a", f"b{i}", (i, 2.0, 3.0), (0.0, 0.5, 0.5, float(i))) for i in map(float, range(3))
    ]
    messages = TransformMessages("p/")
    frames, numbers = flat(rows)
    assert serialize_message(messages.of_numbers(frames, numbers, Time())) == serialize_message(
        messages.make(rows, Time())
    )


STAMP = Time(sec=-7, nanosec=999_999_999)


def marker(index, text):
    """Strings of all lengths, so that what comes after them is aligned in all ways."""
    made = Marker(ns="n" * index, id=index, type=Marker.LINE_LIST, text=text, lifetime=Duration(sec=3))
    made.header.frame_id = "f" * (3 * index + 1)
    made.header.stamp = Time(sec=0x01010101, nanosec=5)
    made.scale.x, made.color.a = 0.5, 0.25
    made.points = [Point(x=1.0)] * (index % 3)
    made.mesh_resource = "m" * (index % 5)
    made.pose.orientation.w = 1.0
    return made


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_packed_is_as_serialised(count):
    markers = [marker(index, "t" * (index // 2)) for index in range(count)]
    packed = PackedMarkers(markers)
    for turn in range(3):
        rows = np.random.default_rng(turn).normal(size=(count, 7))
        data = packed.pack(STAMP, rows)
        for one, row in zip(markers, rows.tolist(), strict=True):
            one.header.stamp = STAMP
            place, turned = one.pose.position, one.pose.orientation
            place.x, place.y, place.z, turned.x, turned.y, turned.z, turned.w = row
        assert deserialize_message(data, MarkerArray) == MarkerArray(markers=markers)


@pytest.mark.parametrize("pattern", [_POSE, _STAMP])
def test_what_is_left_in_memory_before_a_pattern_is_not_taken_for_it(pattern):
    for size in range(8):
        for left in (pattern[:size], pattern[len(pattern) - size :]):
            data = b"".join([left, pattern, left, b"text", left, pattern, left])
            second = 3 * size + len(pattern) + 4
            assert _places(data, pattern)[:, 0].tolist() == [size, second]
