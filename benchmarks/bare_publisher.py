# SPDX-License-Identifier: Apache-2.0
"""A bare rclpy node that publishes the topics of an agent_bridge with empty messages, to compare our node with.

    python benchmarks/bare_publisher.py [PORT]

Without a port a timer of 50 Hz makes it publish. With the port of a replay server it joins there and publishes
for each percept, of which it reads only the time: the minimum work of a bridge. Writes a line when it has started and
runs until it is ended.
"""

import json
import socket
import sys
import time
from array import array
from collections.abc import Callable, Iterator

import rclpy
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from tf2_msgs.msg import TFMessage

from embodiment_bridge.launching.environment import prepare
from embodiment_bridge.wire.framing import Framer, frame

JOINTS = 23  # of a T1
PERIOD = 0.02  # s
READ_SIZE = 65536
NANOSECONDS = 10**9


def make_publish(node: Node) -> Callable[[float], None]:
    """A function that publishes one message on each topic, stamped with s of the monotonic clock."""
    from embodiment_bridge.nodes.base.qos import profile

    clock = node.create_publisher(Clock, "/clock", profile("sensor"))
    joint_states = node.create_publisher(JointState, "joint_states", profile("sensor"))
    pose = node.create_publisher(PoseStamped, "pose", profile("sensor"))
    imu = node.create_publisher(Imu, "imu", profile("sensor"))
    tf = node.create_publisher(TFMessage, "/tf", profile("events"))
    names = [f"joint_{i}" for i in range(JOINTS)]
    values = array("d", [0.1] * JOINTS)
    messages = (
        (joint_states, JointState(name=names, position=values, velocity=values)),
        (pose, PoseStamped()),
    )
    messages += ((imu, Imu()),)
    links = TFMessage(transforms=[TransformStamped(child_frame_id=name) for name in [*names, "base_link"]])

    def publish(seconds: float) -> None:
        nanoseconds = round(seconds * NANOSECONDS)
        stamp = Time(sec=nanoseconds // NANOSECONDS, nanosec=nanoseconds % NANOSECONDS)
        clock.publish(Clock(clock=stamp))
        for publisher, message in messages:
            message.header.stamp = stamp
            publisher.publish(message)
        for transform in links.transforms:
            transform.header.stamp = stamp
        tf.publish(links)

    return publish


def times_of_percepts(port: int) -> Iterator[float]:
    """Join a replay server; the time of each percept when it has come, until the server ends."""
    framer = Framer()
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(frame(b"(init)"))
        while data := link.recv(READ_SIZE):
            for found in framer.feed(data):
                yield float(found.payload.partition(b"(now ")[2].partition(b")")[0])


def main(words: list[str]) -> None:
    prepare()
    from embodiment_bridge.nodes.base.runtime import Runtime

    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("bare_publisher", context=runtime.context))
        publish = make_publish(node)
        print(json.dumps({"started": sys.argv}), flush=True)
        if words:
            for seconds in times_of_percepts(int(words[0])):
                publish(seconds)
        else:
            node.create_timer(PERIOD, lambda: publish(time.monotonic()))
            runtime.spin()


if __name__ == "__main__":
    main(sys.argv[1:])
