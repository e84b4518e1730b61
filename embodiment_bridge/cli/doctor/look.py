# SPDX-License-Identifier: Apache-2.0
"""Reads the state of the running graph, and the ROS domains in which this machine has programs."""

import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from embodiment_bridge.cli.doctor.permissions import NodeUse
from embodiment_bridge.cli.doctor.running import Picture

if TYPE_CHECKING:
    from diagnostic_msgs.msg import DiagnosticArray
    from rclpy.node import Node
    from rclpy.topic_endpoint_info import TopicEndpointInfo

    from embodiment_bridge.nodes.base.runtime import Runtime

    Endpoints: TypeAlias = dict[str, list[TopicEndpointInfo]]

NAME = "doctor"
LOOK_S = 1.6  # without a change; diagnostics come once a second, discovery takes up to half of one
LONGEST_S = 15.0  # for a graph that changes all the time
PORT_BASE, DOMAIN_GAIN, FIRST_PARTICIPANT = 7400, 250, 10  # RTPS: the UDP ports of a domain
EPHEMERAL = 32768  # any program may get ports from here on


def picture(clock: Callable[[], float] = time.monotonic) -> Picture:
    """The state of the graph, without the node that reads it."""
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray

    from embodiment_bridge.nodes.base.runtime import Runtime

    troubles: dict[str, str] = {}
    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node(NAME, context=runtime.context, namespace="/embodiment_bridge"))
        subscription = node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda m: _update(m, troubles), 100
        )
        _wait(runtime, node, LOOK_S, clock)
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


def _wait(runtime: "Runtime", node: "Node", quiet: float, clock: Callable[[], float]) -> None:
    """Wait until the graph has not changed for ``quiet`` s: on a busy computer it becomes known bit by bit."""
    begun = changed = clock()
    known: list[list[object]] = []

    def is_quiet() -> bool:
        nonlocal changed, known
        now = clock()
        found = [
            sorted(names)
            for names in (
                node.get_node_names_and_namespaces(),
                node.get_topic_names_and_types(),
                node.get_service_names_and_types(),
            )
        ]
        if found != known:
            known, changed = found, now
        return now - changed > quiet or now - begun > LONGEST_S

    runtime.spin(is_quiet)


def _mismatches(publishers: "Endpoints", subscribers: "Endpoints") -> Iterator[tuple[str, str]]:
    from rclpy.qos import QoSCompatibility, qos_check_compatible

    for topic, offered in publishers.items():
        for one, other in product(offered, subscribers[topic]):
            fits, why = qos_check_compatible(one.qos_profile, other.qos_profile)
            if fits == QoSCompatibility.ERROR:
                yield topic, f"{one.node_name} to {other.node_name}: {why.strip().removeprefix('ERROR: ')}"


def _update(message: "DiagnosticArray", troubles: dict[str, str]) -> None:
    for status in message.status:
        if status.level != status.OK or status.message == "inactive":
            troubles[status.name] = status.message
        else:
            troubles.pop(status.name, None)


def domains_in_use(table: Path = Path("/proc/net/udp")) -> set[int]:
    """Domains with a participant on this machine, from the open UDP ports in the kernel's table."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return set()
    ports = {int(line.split()[1].rpartition(":")[2], 16) for line in lines}
    return {domain for port in ports if (domain := _domain(port)) is not None}


def _domain(port: int) -> int | None:
    """The domain that uses this port for discovery."""
    if not PORT_BASE <= port < EPHEMERAL:
        return None
    domain, offset = divmod(port - PORT_BASE, DOMAIN_GAIN)
    # offset 0 is multicast; 10, 12, ... are of one participant each; odd offsets are for data
    return domain if offset == 0 or (offset >= FIRST_PARTICIPANT and offset % 2 == 0) else None


def uses(settle: float = LOOK_S, clock: Callable[[], float] = time.monotonic) -> list[NodeUse]:
    """What each node of the graph uses, without the node that reads it. settle: s without a change."""
    import rclpy

    from embodiment_bridge.nodes.base.runtime import Runtime

    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node(NAME, context=runtime.context, namespace="/embodiment_bridge"))
        _wait(runtime, node, settle, clock)
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
