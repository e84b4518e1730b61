# SPDX-License-Identifier: Apache-2.0
"""A process that listens to a robot and reports the age of each message at its arrival.

    python benchmarks/listener.py TOPIC...

The stamps of the messages must be readings of this machine's monotonic clock (see replay_server.py). It writes a line
when it listens, one with the monotonic time when the first message comes, and at last, when a line has come on
standard input, the ages in seconds by topic.
"""

import json
import sys
import threading
import time
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import Imu, JointState
from tf2_msgs.msg import TFMessage

from embodiment_bridge.launching.environment import prepare

TYPES = {"joint_states": JointState, "pose": PoseStamped, "imu": Imu, "/tf": TFMessage}
OURS = {"entities": "EntityArray", "vision": "Vision"}  # imported when they are asked for


def main(topics: list[str]) -> None:
    prepare()
    import embodiment_bridge.msg
    import rclpy

    from embodiment_bridge.nodes.base.qos import profile
    from embodiment_bridge.nodes.base.runtime import Runtime

    ages: dict[str, list[float]] = {topic: [] for topic in topics}

    def hear(topic: str, message: Any) -> None:
        now = time.monotonic()
        if not any(ages.values()):
            print(json.dumps({"first": now}), flush=True)
        stamp = (message.transforms[0] if topic == "/tf" else message).header.stamp
        ages[topic].append(now - stamp.sec - stamp.nanosec * 1e-9)

    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), ended.set()), daemon=True).start()
    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("listener", context=runtime.context))
        for topic in topics:
            kind = TYPES.get(topic) or getattr(embodiment_bridge.msg, OURS[topic])
            node.create_subscription(kind, topic, partial(hear, topic), profile("events"))
        print(json.dumps({"listening": topics}), flush=True)
        runtime.spin(ended.is_set)
    print(json.dumps(ages), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
