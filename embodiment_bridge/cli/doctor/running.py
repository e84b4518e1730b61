# SPDX-License-Identifier: Apache-2.0
"""Checks the running graph for mistakes that a single machine or variable does not show."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn

WHAT = "running graph"
SERVED = ("execute_bml", "execute_action_plan", "execute_skill")  # actions, each by one node of a namespace
GOAL = "/_action/send_goal"
SHOWN = 4  # most names of a kind in one line


@dataclass(frozen=True, slots=True)
class Picture:
    """State of the graph. Names are full names; ``services``, ``publishers``, ``subscribers``: number of each name."""

    nodes: Collection[str] = ()  # a name occurs once per node
    services: Mapping[str, int] = field(default_factory=dict)
    publishers: Mapping[str, int] = field(default_factory=dict)
    subscribers: Mapping[str, int] = field(default_factory=dict)
    mismatches: Mapping[str, str] = field(default_factory=dict)  # reason by topic
    troubles: Mapping[str, str] = field(default_factory=dict)  # diagnostic message by node


def check_running(picture: Picture, domain: int, others: Collection[int]) -> Iterator[Finding]:
    """All mistakes, or one finding that there are none. others: domains with programs of this machine."""
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
