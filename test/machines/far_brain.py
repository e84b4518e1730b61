# SPDX-License-Identifier: Apache-2.0
"""A brain on another host: for each line of its standard input runs a document, and says what it saw of it.

One JSON object a line comes back: outcome, how often each event of the run was heard, states of the link, how many
servers of each kind there are, and how many of some joint states came twice.
"""

import json
import sys
import time
from collections import Counter

from embodiment_bridge.launching.environment import prepare

prepare()

from embodiment_bridge.msg import LinkState, NodeEvent  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from embodiment_bridge.nodes.base.qos import profile  # noqa: E402
from embodiment_bridge.nodes.base.runtime import Runtime  # noqa: E402
from embodiment_bridge.nodes.base.watcher import LINKS, Watcher  # noqa: E402
from embodiment_bridge.nodes.tree.bml_client import BmlClient  # noqa: E402

WAIT = 40.0  # s
DOCUMENT = '{"type": "body", "action": "HEAD_SHAKE", "duration": 0.5}'


def main() -> None:
    with Runtime() as runtime:
        watcher = runtime.add(Watcher(context=runtime.context))
        events: Counter[str] = Counter()
        links: list[str] = []

        def count(event: NodeEvent) -> None:
            events[f"{event.run_id} {event.pointer} {event.event} {event.t}"] += 1

        told = watcher.create_subscription(NodeEvent, "behavior_tree/events", count, profile("events"))
        watcher.create_subscription(
            LinkState, "link_state", lambda m: links.append(LINKS[m.state]), profile("latched")
        )
        percepts: list[tuple[int, int]] = []  # their stamps
        watcher.create_subscription(
            JointState,
            "joint_states",
            lambda m: percepts.append((m.header.stamp.sec, m.header.stamp.nanosec)),
            qos_profile_sensor_data,
        )
        bml = BmlClient(watcher, lambda feedback: None)

        def until(condition) -> bool:
            end = time.monotonic() + WAIT
            runtime.spin(lambda: condition() or time.monotonic() > end)
            return condition()

        for _ in sys.stdin:
            events.clear()
            there = until(
                lambda: watcher.link == "ready" and bml.server_is_there and told.get_publisher_count() > 0
            )
            percepts.clear()
            alive = until(lambda: len(percepts) > 20)
            outcome = "nobody there"
            if there and alive:
                bml.send(DOCUMENT, source="far")
                outcome = bml.result.outcome if until(lambda: bml.result is not None) else "no answer"
            percepts.clear()
            until(lambda: len(percepts) > 50)
            report = {
                "outcome": outcome,
                "most_of_one_event": max(events.values(), default=0),
                "events": len(events),
                "links": links,
                "twice": len(percepts) - len(set(percepts)),
                "nodes": sorted(
                    name for name, _ in watcher.get_node_names_and_namespaces() if not name.startswith("_")
                ),
                "publishers": len(watcher.get_publishers_info_by_topic("/joint_states")),
            }
            sys.stdout.write(json.dumps(report) + "\n")
            sys.stdout.flush()
        bml.destroy()


main()
