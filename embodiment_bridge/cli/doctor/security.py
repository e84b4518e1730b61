# SPDX-License-Identifier: Apache-2.0
"""Checks DDS security (SROS 2), and writes a policy that allows what the nodes of the running graph do."""

import mmap
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn
from embodiment_bridge.core.paths import is_dir, is_file

# Writes an SROS 2 policy that allows exactly what the nodes of the running graph do.
#
# The format is that of sros2's policies, version 0.2.0, from which `ros2 security create_permission` makes the signed
# permissions of each enclave.

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


WHAT = "security"
ENABLE, KEYSTORE, STRATEGY = "ROS_SECURITY_ENABLE", "ROS_SECURITY_KEYSTORE", "ROS_SECURITY_STRATEGY"
RMW = "RMW_IMPLEMENTATION"
PLUGIN = b"builtin.PKI-DH"  # name of the authentication plug-in, in a library that was built with it
NAMES = ("libfastrtps.so", "libfastdds.so")


def check_security(env: Mapping[str, str], libraries: Sequence[Path]) -> Finding:
    """Check the variables, and whether the middleware supports security. libraries: folders of shared libraries."""
    if env.get(ENABLE) != "true":
        if env.get(ENABLE):
            return warn(WHAT, f"{ENABLE}={env[ENABLE]} means off; only `true` is on", f"export {ENABLE}=true")
        return ok(WHAT, "off: every program that can reach this domain may command the robot")
    store = Path(env.get(KEYSTORE, ""))
    if not env.get(KEYSTORE) or not is_dir(store / "enclaves"):
        return fail(WHAT, f"{KEYSTORE}={env.get(KEYSTORE, '')} has no folder enclaves", "docs/ros.md, SROS 2")
    if env.get(RMW) in (None, "", "rmw_fastrtps_cpp") and not has_plugin(libraries):
        return fail(
            WHAT,
            "this Fast DDS was built without DDS-Security, so no node starts",
            f"unset {ENABLE}, or use a ROS 2 installation (the wheels on PyPI have none)",
        )
    if env.get(STRATEGY) != "Enforce":
        return warn(WHAT, "a node without keys runs without security", f"export {STRATEGY}=Enforce")
    return ok(WHAT, f"on, keys of {store}")


def has_plugin(folders: Iterable[Path]) -> bool:
    """Whether the middleware in one of the folders supports security; also true if it is not found."""
    files = [folder / name for folder in folders for name in NAMES if is_file(folder / name)]
    if not files:
        return True  # cannot be decided
    with files[0].open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return text.find(PLUGIN) >= 0
