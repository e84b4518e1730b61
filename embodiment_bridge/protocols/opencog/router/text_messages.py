# SPDX-License-Identifier: Apache-2.0
"""Messages that are no XML: what an OAC says of its life, and what it wants people to read."""

from dataclasses import dataclass, field
from typing import Final

TICK: Final = "TICK_MESSAGE"  # body of a message of type TICK; an OAC does not look at it
LONGEST_TEXT: Final = 4000  # characters


@dataclass(frozen=True, slots=True)
class AgentLoaded:
    """``SUCCESS LOAD element agent``: the OAC is up, and can be sent perceptions."""

    element_id: str
    agent_id: str
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class AgentUnloaded:
    """``SUCCESS UNLOAD element agent``: the OAC has ended."""

    element_id: str
    agent_id: str
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Feedback:
    """``id***text`` in a message of type FEEDBACK; ``id`` may be the agent or its owner. To show, not to parse."""

    id: str
    text: str
    offset: int = field(default=0, kw_only=True, compare=False)


def read_text(payload: bytes) -> AgentLoaded | AgentUnloaded | None:
    """What a text of type STRING tells, or None when it is nothing of the sort (XML, mostly)."""
    words = payload[:1000].decode("utf-8", "replace").split()
    match words:
        case ["SUCCESS", "LOAD", element, agent]:
            return AgentLoaded(element, agent)
        case ["SUCCESS", "UNLOAD", element, agent]:
            return AgentUnloaded(element, agent)
    return None


def read_feedback(payload: bytes) -> Feedback:
    """The text of a message of type FEEDBACK; without an id where nothing separates one."""
    text = payload[: 4 * LONGEST_TEXT].decode("utf-8", "replace")[:LONGEST_TEXT]
    identity, mark, rest = text.partition("***")
    return Feedback(identity, rest) if mark else Feedback("", text)
