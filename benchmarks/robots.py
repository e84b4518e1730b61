# SPDX-License-Identifier: Apache-2.0
"""Full agent_bridge nodes in one process, as `embodiment_bridge up` has them, on a replay server.

    python benchmarks/robots.py NUMBER PORT MONITOR_PORT [FIRST]

Writes a line when all robots have joined, and from then on takes the time of answers. A line on standard input ends it;
the last line has, by robot, the numbers that the node itself gives to /diagnostics. FIRST is the number of the first
robot, where several such processes share the robots.
"""

import json
import sys
import threading
from typing import Any

from embodiment_bridge.launching.environment import find_share, prepare


def parameters(number: int, port: int, monitor_port: int) -> dict[str, Any]:
    share = find_share("embodiment_bridge")
    return {
        "port": port,
        "monitor_port": monitor_port,
        "number": number,
        "body_file": str(share / "config/bodies/t1.yaml"),
        "robot_description_file": str(share / "urdf/t1.urdf"),
        "publish_clock": number == 1,
        "frame_prefix": "" if number == 1 else f"robot{number}/",
    }


def main(robots: int, port: int, monitor_port: int, first: int = 1) -> None:
    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.launching.executables import agent_bridge
    from embodiment_bridge.nodes.base.runtime import Runtime

    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), ended.set()), daemon=True).start()
    with Runtime() as runtime:
        nodes = []
        for number in range(first, first + robots):
            values = parameters(number, port, monitor_port)
            overrides = [Parameter(name, value=value) for name, value in values.items()]
            namespace = "/" if number == 1 else f"/robot{number}"
            nodes.append(
                runtime.add(
                    agent_bridge(parameter_overrides=overrides, namespace=namespace, context=runtime.context)
                )
            )
        runtime.spin(
            lambda: ended.is_set() or all(node.diagnose()[2].get("link") == "READY" for node in nodes)
        )
        runtime.settle()
        for node in nodes:
            node._session.counters.answer_times.clear()
        print(json.dumps({"joined": robots}), flush=True)
        runtime.spin(ended.is_set)
        numbers = [dict(node.diagnose()[2]) for node in nodes]
    print(json.dumps(numbers), flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
