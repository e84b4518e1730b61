# SPDX-License-Identifier: Apache-2.0
"""The recorded conversations: what each agent sent and was told, in order."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.events import AgentId, Percept

DATA = Path(__file__).parents[2] / "data/maeden"
RECORDINGS, WORLDS = DATA / "recordings", DATA / "worlds"
STREAMS = sorted(RECORDINGS.glob("*/*.s2c.raw"))
_LINE = re.compile(r"\s*([\d.]+) (\S+)\s+(>>|<<|##|!!) ?(.*)")
_WORLD = re.compile(r"world=worlds/(\S+)")


@dataclass
class Talk:
    """One agent's side: ``first`` packets came unasked; each of ``turns`` is (line sent, events up to the next one)."""

    role: str = "base"
    first: list[Any] = field(default_factory=list)
    turns: list[tuple[str, list[Any]]] = field(default_factory=list)


def read_transcript(build: str, name: str) -> tuple[str, dict[str, Talk]]:
    """The name of the world, and what each agent said and heard; notes behind commands are taken away."""
    world = ""
    talks: dict[str, Talk] = {}
    codecs: dict[str, Codec] = {}
    path = RECORDINGS / build / f"{name}.transcript.txt"
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        found = _LINE.match(line)
        if not found:
            continue
        _, who, mark, text = found.groups()
        if named := _WORLD.search(text):
            world = named[1]
        talk = talks.setdefault(who, Talk())
        if mark == ">>":
            command = re.sub(r"\s+## .*", "", text)
            if command.lower() in ("base", "helper"):
                talk.role = command.lower()
            else:
                talk.turns.append((command, []))
        elif mark == "<<":
            events = codecs.setdefault(who, Codec()).feed(text.encode() + b"\n")
            told = talk.turns[-1][1] if talk.turns else talk.first
            told.extend(event for event in events if not isinstance(event, AgentId))
    return world, {who: talk for who, talk in talks.items() if talk.first or talk.turns}


def packets(events: list[Any]) -> list[Percept]:
    return [event for event in events if isinstance(event, Percept)]
