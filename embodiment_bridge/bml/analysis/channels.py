# SPDX-License-Identifier: Apache-2.0
"""Which channels of a body (head, eyes, audio, ...) a node drives, and where two do so at once."""

from collections.abc import Mapping

from embodiment_bridge.bml.document import Body, Composite, Node, Player, Speak
from embodiment_bridge.bml.walk import children_of
from embodiment_bridge.body.state import SkillInfo

AUDIO = "audio"

Claims = dict[str, str]  # channel -> pointer of the first leaf that claims it


def conflicts(nodes: list[Node], skills: Mapping[str, SkillInfo]) -> dict[int, list[str]]:
    """By id of a branch of a parallel: that it drives a channel which an earlier branch drives too.

    ``nodes`` are those of a document in text order. Each channel is told once per parallel.
    """
    claims: dict[int, Claims] = {}
    found: dict[int, list[str]] = {}
    for node in reversed(nodes):
        below = children_of(node)
        if isinstance(node, Composite) and node.kind == "parallel":
            _compare(below, claims, found)
        claims[id(node)] = _united([claims[id(child)] for child in below]) if below else _own(node, skills)
    return found


def _own(node: Node, skills: Mapping[str, SkillInfo]) -> Claims:
    if isinstance(node, Speak) or (isinstance(node, Player) and node.action == "play"):
        return {f"{AUDIO}:{node.channel}" if node.channel else AUDIO: node.pointer}
    if isinstance(node, Body):
        skill = skills.get(node.action.lower())
        if skill is not None and skill.available:
            return dict.fromkeys(skill.channels, node.pointer)
    return {}


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
