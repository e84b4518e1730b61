# SPDX-License-Identifier: Apache-2.0
"""Reads the state of the running graph, and checks it for mistakes that a single machine or variable does not show."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn

if TYPE_CHECKING:
    from diagnostic_msgs.msg import DiagnosticArray
    from rclpy.node import Node
    from rclpy.topic_endpoint_info import TopicEndpointInfo

    from embodiment_bridge.nodes.base.runtime import Runtime

    Endpoints: TypeAlias = dict[str, list[TopicEndpointInfo]]


WHAT = "running graph"
SERVED = ("execute_bml", "execute_action_plan", "execute_skill")  # actions, each by one node of a namespace
GOAL = "/_action/send_goal"
SHOWN = 4  # most names of a kind in one line


@dataclass(frozen=True, slots=True)
class Picture:
    """Holds the state of the graph.

    Names are full names; ``services``, ``publishers``, ``subscribers``: number of each name.
    """

    nodes: Collection[str] = ()  # a name occurs once per node
    services: Mapping[str, int] = field(default_factory=dict)
    publishers: Mapping[str, int] = field(default_factory=dict)
    subscribers: Mapping[str, int] = field(default_factory=dict)
    mismatches: Mapping[str, str] = field(default_factory=dict)  # reason by topic
    troubles: Mapping[str, str] = field(default_factory=dict)  # diagnostic message by node


def check_running(picture: Picture, domain: int, others: Collection[int]) -> Iterator[Finding]:
    """Return all mistakes, or one finding that there are none. others: domains with programs of this machine."""
    if not picture.nodes:
        yield _no_nodes(domain, others)
        return
    wrong = [
        *_twice(picture), *_clock(picture), *_bodiless(picture), *_mismatches(picture), *_troubles(picture),
    ]  # fmt: skip
    yield from wrong
    if not wrong:
        yield ok(WHAT, f"{len(picture.nodes)} nodes in domain {domain}, nothing wrong with them")


def _no_nodes(domain: int, others: Collection[int]) -> Finding:
    if not others:
        return ok(WHAT, f"no nodes in domain {domain}")
    known = ", ".join(map(str, sorted(others)))
    return warn(
        WHAT,
        f"no nodes in domain {domain}, but this machine has programs in domain {known}",
        f"export ROS_DOMAIN_ID={min(others)} if yours are there",
    )


def _twice(picture: Picture) -> Iterator[Finding]:
    names = sorted(name for name, number in Counter(picture.nodes).items() if number > 1)
    if names:
        yield fail(
            "node names",
            f"two nodes have the name {_some(names)}",
            "end one, or give each robot a namespace:=... of its own",
        )
    doubled = [
        name.removesuffix(GOAL)
        for name, number in sorted(picture.services.items())
        if number > 1 and name.endswith(tuple(f"/{action}{GOAL}" for action in SERVED))
    ]
    if doubled:
        yield fail(
            "action servers",
            f"two nodes serve {_some(doubled)}: a goal goes to both",
            "two robots need two namespaces: namespace:=...",
        )


def _clock(picture: Picture) -> Iterator[Finding]:
    wanted, told = picture.subscribers.get("/clock", 0), picture.publishers.get("/clock", 0)
    if wanted and not told:
        yield fail(
            "/clock",
            f"{wanted} nodes have use_sim_time, but nothing publishes the time: they stand still",
            "start the body with use_sim_time:=true, or the others without",
        )
    if told > 1:
        yield fail(
            "/clock", f"{told} nodes publish it, and time jumps", "leave publish_clock true for one body only"
        )


def _bodiless(picture: Picture) -> Iterator[Finding]:
    trees = [
        name.removesuffix(GOAL) for name in sorted(picture.services) if name.endswith(f"/execute_bml{GOAL}")
    ]
    alone = [
        name for name in trees if not picture.publishers.get(name.removesuffix("execute_bml") + "skills")
    ]
    if alone:
        bodies = [
            name.removesuffix("/skills") or "/"
            for name in sorted(picture.publishers)
            if name.endswith("/skills")
        ]
        there = f"bodies are in {_some(bodies)}" if bodies else "there is no body at all"
        yield warn(
            "bodies",
            f"{_some(alone)} has no body in its namespace; {there}",
            "give both the same namespace:=...",
        )


def _mismatches(picture: Picture) -> Iterator[Finding]:
    if picture.mismatches:
        told = [f"{topic} ({why})" for topic, why in sorted(picture.mismatches.items())]
        yield warn(
            "QoS",
            f"publisher and subscriber do not fit: {_some(told)}",
            "override one side: docs/ros.md, quality of service",
        )


def _troubles(picture: Picture) -> Iterator[Finding]:
    told = [f"{node}: {text}" for node, text in sorted(picture.troubles.items())]
    if told:
        yield warn("nodes", _some(told, "; "), "is the simulator or robot started, at that host and port?")


def _some(names: Collection[str], between: str = ", ") -> str:
    shown = between.join([*names][:SHOWN])
    return f"{shown}{between}..." if len(names) > SHOWN else shown


LOOK_S = 1.6  # without a change; diagnostics come once a second, discovery takes up to half of one
LONGEST_S = 15.0  # for a graph that changes all the time
PORT_BASE, DOMAIN_GAIN, FIRST_PARTICIPANT = 7400, 250, 10  # RTPS: the UDP ports of a domain
EPHEMERAL = 32768  # any program may get ports from here on


def picture(clock: Callable[[], float] = time.monotonic) -> Picture:
    """Return the state of the graph, without the node that reads it."""
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray

    from embodiment_bridge.nodes.base.runtime import Runtime

    troubles: dict[str, str] = {}
    with Runtime() as runtime:
        node = runtime.add(
            rclpy.create_node("doctor", context=runtime.context, namespace="/embodiment_bridge")
        )
        subscription = node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda m: _update(m, troubles), 100
        )
        _wait(runtime, node, clock)
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
            mismatches=dict(_qos_mismatches(publishers, subscribers)),
            troubles=troubles,
        )


def _wait(runtime: "Runtime", node: "Node", clock: Callable[[], float]) -> None:
    """Wait until the graph has not changed for ``LOOK_S``: on a busy computer it becomes known bit by bit."""
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
        return now - changed > LOOK_S or now - begun > LONGEST_S

    runtime.spin(is_quiet)


def _qos_mismatches(publishers: "Endpoints", subscribers: "Endpoints") -> Iterator[tuple[str, str]]:
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
    """Return the domains with a participant on this machine, from the open UDP ports in the kernel's table."""
    try:
        lines = table.read_text().splitlines()[1:]
    except OSError:
        return set()
    ports = {int(line.split()[1].rpartition(":")[2], 16) for line in lines}
    return {domain for port in ports if (domain := _domain(port)) is not None}


def _domain(port: int) -> int | None:
    """Return the domain that uses this port for discovery."""
    if not PORT_BASE <= port < EPHEMERAL:
        return None
    domain, offset = divmod(port - PORT_BASE, DOMAIN_GAIN)
    # offset 0 is multicast; 10, 12, ... are of one participant each; odd offsets are for data
    return domain if offset == 0 or (offset >= FIRST_PARTICIPANT and offset % 2 == 0) else None
