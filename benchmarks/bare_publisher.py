# SPDX-License-Identifier: Apache-2.0
"""A bare rclpy node that publishes the topics of an agent_bridge with numbers of no meaning, to compare our node with.

    python benchmarks/bare_publisher.py [PORT [bytes]]

Without a port a timer of 50 Hz makes it publish. With the port of a replay server it joins there and publishes
for each percept, of which it reads only the time: the minimum work of a bridge. Each message is built of its numbers,
as rclpy wants it; entities and vision when there is a picture in the percept. With `bytes` each is built once, and
only its stamps are written afterwards: the floor. Like our node, it leaves out the topics that nobody listens to,
from the moment at which one of them has a subscriber. Writes a line when it has started and runs until it is ended.
"""

import json
import socket
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.node import Node
from rclpy.publisher import Publisher
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from embodiment_bridge.launching.environment import prepare
from embodiment_bridge.wire.framing import Framer, frame

NAMES = [f"joint_{i}" for i in range(23)]  # of a T1
VALUES = array("d", [0.1] * len(NAMES))
SEEN = 18  # things in a picture of the recording
PERIOD = 0.02  # s
LOOK_S = 0.2  # s between two looks at who listens
READ_SIZE = 65536
NANOSECONDS = 10**9

Build = Callable[[Time], Any]  # makes a message with a stamp
Pair = tuple[Publisher, Build]


def make_publish(node: Node, *, packed: bool = False) -> Callable[[float, bool], None]:
    """A function that publishes one message on each topic that is listened to, stamped with s of the monotonic clock.

    Its second argument says whether there is a picture. With ``packed`` only stamps are written, into bytes.
    """
    from embodiment_bridge.msg import EntityArray, Vision

    from embodiment_bridge.nodes.base.qos import profile

    sensor = profile("sensor")
    always: list[Pair] = [
        (node.create_publisher(Clock, "/clock", sensor), lambda stamp: Clock(clock=stamp)),
        (node.create_publisher(JointState, "joint_states", sensor), joint_state),
        (node.create_publisher(TFMessage, "/tf", profile("events")), transforms),
        (
            node.create_publisher(PoseStamped, "pose", sensor),
            lambda stamp: PoseStamped(header=Header(stamp=stamp)),
        ),
        (node.create_publisher(Imu, "imu", sensor), lambda stamp: Imu(header=Header(stamp=stamp))),
    ]
    seen: list[Pair] = [
        (node.create_publisher(Vision, "vision", sensor), vision),
        (node.create_publisher(EntityArray, "entities", sensor), entities),
    ]
    if packed:
        always, seen = (
            [(publisher, as_bytes(build)) for publisher, build in pairs] for pairs in (always, seen)
        )

    next_look = 0.0
    left_out: set[Publisher] = set()

    def publish(seconds: float, picture: bool) -> None:
        nonlocal next_look, left_out
        nanoseconds = round(seconds * NANOSECONDS)
        stamp = Time(sec=nanoseconds // NANOSECONDS, nanosec=nanoseconds % NANOSECONDS)
        for publisher, build in (*always, *seen) if picture else always:
            if publisher not in left_out:
                publisher.publish(build(stamp))
        if seconds >= next_look:  # afterwards, so that no message waits for it
            next_look = seconds + LOOK_S
            silent = {one for one, _ in (*always, *seen) if not one.get_subscription_count()}
            left_out = silent if len(silent) < len(always) + len(seen) else set()

    return publish


def joint_state(stamp: Time) -> JointState:
    """All joints."""
    return JointState(header=Header(stamp=stamp), name=NAMES, position=VALUES, velocity=VALUES)


def transforms(stamp: Time) -> TFMessage:
    """One transform for each joint, and that of the body."""
    made = []
    for name in (*NAMES, "base_link"):
        one = TransformStamped(header=Header(stamp=stamp, frame_id="base_link"), child_frame_id=name)
        place, turn = one.transform.translation, one.transform.rotation
        place.x, place.y, place.z = 0.1, 0.2, 0.3
        turn.x, turn.y, turn.z, turn.w = 0.0, 0.6, 0.0, 0.8
        made.append(one)
    return TFMessage(transforms=made)


def entities(stamp: Time) -> Any:
    """What is in a picture, as entities."""
    from embodiment_bridge.msg import Entity, EntityArray

    made = []
    for number in range(SEEN):
        one = Entity(id=f"thing_{number}", kind="landmark", visible=True, seen=stamp)
        place = one.pose.position
        place.x, place.y, place.z = 0.1, 0.2, 0.3
        made.append(one)
    return EntityArray(header=Header(stamp=stamp, frame_id="map"), entities=made)


def vision(stamp: Time) -> Any:
    """What is in a picture, as it is seen."""
    from embodiment_bridge.msg import PointDetection, Vision

    made = []
    for number in range(SEEN):
        one = PointDetection(name=f"thing_{number}", distance=1.0, azimuth=0.1, elevation=0.2)
        place = one.position
        place.x, place.y, place.z = 0.1, 0.2, 0.3
        made.append(one)
    return Vision(header=Header(stamp=stamp, frame_id="camera_link"), points=made)


def as_bytes(build: Build) -> Build:
    """What makes the bytes of the same message with another stamp."""
    from embodiment_bridge.nodes.base.outlet import Template

    template = Template(lambda _, stamp: build(stamp), 0)
    return lambda stamp: template.pack((), stamp)


def percepts(port: int) -> Iterator[tuple[float, bool]]:
    """Join a replay server; the time of each percept when it has come, and whether it has a picture."""
    framer = Framer()
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(frame(b"(init)"))
        while data := link.recv(READ_SIZE):
            for found in framer.feed(data):
                payload = found.payload
                yield float(payload.partition(b"(now ")[2].partition(b")")[0]), b"(See " in payload


def main(words: list[str]) -> None:
    prepare()
    from embodiment_bridge.nodes.base.runtime import Runtime

    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("bare_publisher", context=runtime.context))
        publish = make_publish(node, packed=words[1:] == ["bytes"])
        print(json.dumps({"started": sys.argv}), flush=True)
        if words:
            for seconds, picture in percepts(int(words[0])):
                publish(seconds, picture)
        else:
            node.create_timer(PERIOD, lambda: publish(time.monotonic(), False))
            runtime.spin()


if __name__ == "__main__":
    main(sys.argv[1:])
