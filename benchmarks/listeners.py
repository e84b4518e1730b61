# SPDX-License-Identifier: Apache-2.0
"""A process with one listener for each robot of robots.py; takes raw bytes, and counts them.

    python benchmarks/listeners.py NUMBER

Writes a line when all listen. A line on standard input begins the count anew, the next one ends it; the last line has
how many messages came by topic. `/tf`, which all robots share, is heard once. With NUMBER 0 nothing is.
"""

import json
import sys
import threading
from collections import Counter
from typing import Any

from sensor_msgs.msg import Imu, JointState
from tf2_msgs.msg import TFMessage

from embodiment_bridge.launching.environment import prepare

TOPICS = {"joint_states": (JointState, "sensor"), "imu": (Imu, "sensor")}


def main(robots: int) -> None:
    prepare()
    import rclpy
    from embodiment_bridge.msg import EntityArray, GameState

    from embodiment_bridge.nodes.base.qos import profile
    from embodiment_bridge.nodes.base.runtime import Runtime

    kinds: dict[str, tuple[Any, str]] = {
        **TOPICS,
        "entities": (EntityArray, "sensor"),
        "game_state": (GameState, "latched"),
    }
    heard: Counter[str] = Counter()
    ended = threading.Event()

    def obey() -> None:
        sys.stdin.readline()
        heard.clear()
        sys.stdin.readline()
        ended.set()

    threading.Thread(target=obey, daemon=True).start()
    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("listeners", context=runtime.context))
        topics = [("/tf", "/tf", TFMessage, "events")] if robots else []
        for number in range(1, robots + 1):
            place = "" if number == 1 else f"/robot{number}"
            topics += [(name, f"{place}/{name}", *kind) for name, kind in kinds.items()]
        for name, topic, kind, role in topics:
            node.create_subscription(
                kind, topic, lambda _, name=name: heard.update((name,)), profile(role), raw=True
            )
        print(json.dumps({"listening": len(topics)}), flush=True)
        runtime.spin(ended.is_set)
    print(json.dumps(heard), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
