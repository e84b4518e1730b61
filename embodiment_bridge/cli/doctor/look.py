# SPDX-License-Identifier: Apache-2.0
"""Looks at the running graph, and at which ROS domains this machine has programs in."""

import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from embodiment_bridge.cli.doctor.permissions import NodeUse
from embodiment_bridge.cli.doctor.running import Picture

NAME = "doctor"
LOOK_S = 1.6  # diagnostics come once a second, discovery takes up to half of one
PORT_BASE, DOMAIN_GAIN, FIRST_PARTICIPANT = 7400, 250, 10  # of RTPS: which UDP ports a domain has
EPHEMERAL = 32768  # ports from here on may be of any program


def picture(clock: Callable[[], float] = time.monotonic) -> Picture:
    """What the graph has, but for the looker itself."""
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray

    from embodiment_bridge.nodes.base.runtime import Runtime

    troubles: dict[str, str] = {}
    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node(NAME, context=runtime.context, namespace="/embodiment_bridge"))
        subscription = node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda m: _take(m, troubles), 100
        )
        end = clock() + LOOK_S
        runtime.spin(lambda: clock() > end)
        node.destroy_subscription(subscription)
        own = node.get_fully_qualified_name()
        names = [f"{space.rstrip('/')}/{name}" for name, space in node.get_node_names_and_namespaces()]
        topics = [name for name, _ in node.get_topic_names_and_types()]
        publishers = {topic: node.get_publishers_info_by_topic(topic) for topic in topics}
        subscribers = {topic: node.get_subscriptions_info_by_topic(topic) for topic in topics}
        return Picture(
            nodes=[name for name in names if name != own and not name.rpartition("/")[2].startswith("_")],
            services={name: node.count_services(name) for name, _ in node.get_service_names_and_types()},
            publishers={topic: len(found) for topic, found in publishers.items() if found},
            subscribers={topic: len(found) for topic, found in subscribers.items() if found},
            mismatches=dict(_mismatches(publishers, subscribers)),
            troubles=troubles,
        )


def _mismatches(
    publishers: dict[str, list[Any]], subscribers: dict[str, list[Any]]
) -> Iterator[tuple[str, str]]:
    from rclpy.qos import QoSCompatibility, qos_check_compatible

    for topic, offered in publishers.items():
        for one, other in product(offered, subscribers[topic]):
            fits, why = qos_check_compatible(one.qos_profile, other.qos_profile)
            if fits == QoSCompatibility.ERROR:
                yield topic, f"{one.node_name} to {other.node_name}: {why.strip().removeprefix('ERROR: ')}"


def _take(message: Any, troubles: dict[str, str]) -> None:
    for status in message.status:
        if status.level != status.OK or status.message == "inactive":
            troubles[status.name] = status.message
        else:
            troubles.pop(status.name, None)


def domains_in_use(table: Path = Path("/proc/net/udp")) -> set[int]:
    """Domains with a participant on this machine, by the UDP ports that the kernel says are open."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return set()
    ports = {int(line.split()[1].rpartition(":")[2], 16) for line in lines}
    return {domain for port in ports if (domain := _domain(port)) is not None}


def _domain(port: int) -> int | None:
    """The domain whose discovery has this port."""
    if not PORT_BASE <= port < EPHEMERAL:
        return None
    domain, offset = divmod(port - PORT_BASE, DOMAIN_GAIN)
    # 0 for all; 10, 12, ... for one participant each; odd ones are for data, which follow
    return domain if offset == 0 or (offset >= FIRST_PARTICIPANT and offset % 2 == 0) else None


def uses(settle: float = LOOK_S, clock: Callable[[], float] = time.monotonic) -> list[NodeUse]:
    """What each node of the graph uses, but for the looker itself. settle: s to wait for the graph."""
    import rclpy

    from embodiment_bridge.nodes.base.runtime import Runtime

    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node(NAME, context=runtime.context, namespace="/embodiment_bridge"))
        end = clock() + settle
        runtime.spin(lambda: clock() > end)
        own = (node.get_name(), node.get_namespace())
        looks = (
            node.get_publisher_names_and_types_by_node,
            node.get_subscriber_names_and_types_by_node,
            node.get_service_names_and_types_by_node,
            node.get_client_names_and_types_by_node,
        )
        return [
            NodeUse(enclave, space, name, *(frozenset(n for n, _ in look(name, space)) for look in looks))
            for name, space, enclave in node.get_node_names_and_namespaces_with_enclaves()
            if (name, space) != own
        ]
