# SPDX-License-Identifier: Apache-2.0
"""Where two nodes drive a channel of the body (head, eyes, audio, ...) at once."""

from collections.abc import Mapping

from embodiment_bridge.bml.nodes.node import Node
from embodiment_bridge.bml.nodes.registry import type_of
from embodiment_bridge.body.state import SkillInfo

Claims = dict[str, str]  # channel -> pointer of the first leaf that claims it


def conflicts(nodes: list[Node], skills: Mapping[str, SkillInfo]) -> dict[int, list[str]]:
    """By id of a branch of a parallel: that it drives a channel which an earlier branch drives too.

    ``nodes`` are those of a document in text order. Each channel is told once per parallel.
    """
    claims: dict[int, Claims] = {}
    found: dict[int, list[str]] = {}
    for node in reversed(nodes):
        below, node_type = node.below, type_of(node)
        if node_type.begins_together:
            _compare(below, claims, found)
        own = dict.fromkeys(node_type.drives(node, skills), node.pointer)
        claims[id(node)] = _united([claims[id(child)] for child in below]) if below else own
    return found


def _united(parts: list[Claims]) -> Claims:
    if len(parts) == 1:
        return parts[0]
    united: Claims = {}
    for part in reversed(parts):
        united.update(part)
    return united


def _compare(branches: tuple[Node, ...], claims: Mapping[int, Claims], found: dict[int, list[str]]) -> None:
    seen: Claims = {}
    told: set[str] = set()
    for branch in branches:
        for channel, pointer in claims[id(branch)].items():
            if channel in seen and channel not in told:
                told.add(channel)
                text = f"{pointer} drives {channel} while {seen[channel]} may do so; the newer one wins"
                found.setdefault(id(branch), []).append(text)
        for channel, pointer in claims[id(branch)].items():
            seen.setdefault(channel, pointer)
