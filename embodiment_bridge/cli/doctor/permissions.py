# SPDX-License-Identifier: Apache-2.0
"""Writes an SROS 2 policy that allows exactly what the nodes of the running graph do.

The format is that of sros2's policies, version 0.2.0, from which `ros2 security create_permission` makes the signed
permissions of each enclave.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

VERSION = "0.2.0"
ACTION = "/_action/"  # between the name of an action and those of its topics and services
ALLOW = "ALLOW"


@dataclass(frozen=True, slots=True)
class NodeUse:
    """One node, and the full names of the topics and services that it uses."""

    enclave: str
    namespace: str
    name: str
    publishes: frozenset[str] = frozenset()
    subscribes: frozenset[str] = frozenset()
    serves: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()


def policy(nodes: Iterable[NodeUse]) -> str:
    """The policy as XML text; nodes with the same name share one profile."""
    enclaves: dict[str, dict[tuple[str, str], list[NodeUse]]] = defaultdict(lambda: defaultdict(list))
    for node in nodes:
        enclaves[node.enclave][node.namespace, node.name].append(node)
    root = Element("policy", version=VERSION)
    top = SubElement(root, "enclaves")
    for path, profiles in sorted(enclaves.items()):
        group = SubElement(SubElement(top, "enclave", path=path), "profiles")
        for (namespace, name), uses in sorted(profiles.items()):
            _add_rules(SubElement(group, "profile", ns=namespace, node=name), uses)
    indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _add_rules(profile: Element, uses: list[NodeUse]) -> None:
    publishes = frozenset().union(*(use.publishes for use in uses))
    subscribes = frozenset().union(*(use.subscribes for use in uses))
    serves = frozenset().union(*(use.serves for use in uses))
    calls = frozenset().union(*(use.calls for use in uses))
    rules = (
        ("topics", "topic", "publish", _plain(publishes)),
        ("topics", "topic", "subscribe", _plain(subscribes)),
        ("services", "service", "reply", _plain(serves)),
        ("services", "service", "request", _plain(calls)),
        ("actions", "action", "execute", _actions(serves)),
        ("actions", "action", "call", _actions(calls)),
    )
    for group, item, verb, names in rules:
        if names:
            element = SubElement(profile, group, {verb: ALLOW})
            for name in sorted(names):
                SubElement(element, item).text = name


def _plain(names: frozenset[str]) -> set[str]:
    return {name for name in names if ACTION not in name}


def _actions(names: frozenset[str]) -> set[str]:
    return {name.partition(ACTION)[0] for name in names if ACTION in name}
