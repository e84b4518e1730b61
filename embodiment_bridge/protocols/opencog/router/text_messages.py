# SPDX-License-Identifier: Apache-2.0
"""Messages other than XML: loading and unloading of an OAC, and its texts for people."""

from dataclasses import dataclass, field
from typing import Final

TICK: Final = "TICK_MESSAGE"  # body of a message of type TICK; an OAC ignores it
LONGEST_TEXT: Final = 4000  # characters


@dataclass(frozen=True, slots=True)
class AgentLoaded:
    """``SUCCESS LOAD element agent``: the OAC runs and accepts perceptions."""

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
    """``id***text`` in a message of type FEEDBACK; ``id`` may be the agent or its owner. For people only."""

    id: str
    text: str
    offset: int = field(default=0, kw_only=True, compare=False)


def read_text(payload: bytes) -> AgentLoaded | AgentUnloaded | None:
    """The event in a text of type STRING, or None if it is another text (mostly XML)."""
    words = payload[:1000].decode("utf-8", "replace").split()
    match words:
        case ["SUCCESS", "LOAD", element, agent]:
            return AgentLoaded(element, agent)
        case ["SUCCESS", "UNLOAD", element, agent]:
            return AgentUnloaded(element, agent)
    return None


def read_feedback(payload: bytes) -> Feedback:
    """The text of a message of type FEEDBACK; the id is empty without a separator."""
    text = payload[: 4 * LONGEST_TEXT].decode("utf-8", "replace")[:LONGEST_TEXT]
    identity, mark, rest = text.partition("***")
    return Feedback(identity, rest) if mark else Feedback("", text)
