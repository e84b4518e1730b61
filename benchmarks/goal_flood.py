# SPDX-License-Identifier: Apache-2.0
"""A brain that overloads the graph: goals of execute_bml at a rate, or a document of 9,990 nodes repeatedly.

python benchmarks/goal_flood.py RATE | document

Says how many goals were sent when a line comes.
"""

import json
import select
import sys
import time

import rclpy
from embodiment_bridge.action import ExecuteBml
from rclpy.action import ActionClient

from embodiment_bridge.nodes.base.runtime import Runtime

SHAKE = {"type": "body", "action": "HEAD_SHAKE", "duration": 1}
NODES, CHILDREN = 9990, 999
EVERY_S = 5.0  # the large document


def large() -> str:
    """Ten sequences of actions, and the one that has them."""
    each = (NODES - 1 - NODES // CHILDREN) // (NODES // CHILDREN)
    rest = NODES - 1 - (NODES // CHILDREN) * (each + 1)
    part = [{"type": "sequence", "behaviors": [SHAKE] * each} for _ in range(NODES // CHILDREN)]
    return json.dumps({"type": "sequence", "behaviors": [*part, *[SHAKE] * rest]})


def main() -> None:
    wanted = sys.argv[1]
    period = EVERY_S if wanted == "document" else 1.0 / float(wanted)
    goal = ExecuteBml.Goal(
        document=large() if wanted == "document" else json.dumps(SHAKE), source="flood", seed=-1
    )
    sent = 0
    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("flood", context=runtime.context))
        client = ActionClient(node, ExecuteBml, "execute_bml")
        runtime.spin(client.server_is_ready)
        print(json.dumps({}), flush=True)
        due = time.monotonic()
        while not select.select([sys.stdin], [], [], 0.0)[0]:
            if time.monotonic() >= due:
                due += period
                sent += 1
                client.send_goal_async(goal)
            runtime.executor.spin_once(timeout_sec=max(0.0005, min(0.1, due - time.monotonic())))
        client.destroy()
    print(json.dumps({"sent": sent}), flush=True)


if __name__ == "__main__":
    main()
