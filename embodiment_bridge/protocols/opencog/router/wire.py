# SPDX-License-Identifier: Apache-2.0
"""Events and commands between an element and the Router, and the messages in them that are not XML.

Loading, unloading, texts for people.

Each event has ``offset``, the place of its first byte in the stream.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

# Messages other than XML: loading and unloading of an OAC, and its texts for people.

TICK: Final = b"TICK_MESSAGE"  # body of a message of type TICK; an OAC ignores it
LONGEST_TEXT: Final = 4000  # characters


@dataclass(frozen=True, slots=True)
class AgentLoaded:
    """``SUCCESS LOAD element agent``: the OAC runs and accepts perceptions."""

    element_id: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class AgentUnloaded:
    """``SUCCESS UNLOAD element agent``: the OAC has ended."""

    element_id: str
    agent_id: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """``id***text`` in a message of type FEEDBACK; ``id`` may be the agent or its owner. For people only."""

    id: str
    text: str


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


ROUTER: Final = "ROUTER"
SPAWNER: Final = "SPAWNER"
ROUTER_PORT: Final = 16312
PROXY_PORT: Final = 16315  # by convention; a proxy may take any


class MessageType(IntEnum):
    """Type of the payload of a message (MessagingSystem/NetworkElementCommon.h). A proxy uses 1, 8, 9 and 12."""

    STRING = 1  # XML, or the text of a command
    LEARN = 2
    REWARD = 3
    SCHEMA = 4
    LS_CMD = 5
    ROUTER = 6
    CANDIDATE_SCHEMA = 7
    TICK = 8  # the OAC thinks once
    FEEDBACK = 9  # text for people
    TRY = 10
    STOP_LEARNING = 11
    RAW = 12  # the OAC passes it on to its language server


@dataclass(frozen=True, slots=True)
class Message:
    """A delivered message. ``last``: it ends its batch, which has to be answered by ``Ack`` in ack mode."""

    offset: int
    sender: str
    to: str
    type: int
    payload: bytes
    last: bool


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """The end of a batch whose last message was too long or malformed; in ack mode it also has to be acknowledged."""

    offset: int


@dataclass(frozen=True, slots=True)
class Available:
    """``cAVAILABLE_ELEMENT``: an element can be reached; of the Router itself it is the heartbeat."""

    offset: int
    id: str


@dataclass(frozen=True, slots=True)
class Unavailable:
    """``cUNAVAILABLE_ELEMENT``: an element is gone; of the Router itself: log in again."""

    offset: int
    id: str


@dataclass(frozen=True, slots=True)
class NewMessages:
    """``cNOTIFY_NEW_MESSAGE``: number of messages to fetch. Routers are compiled not to send it."""

    offset: int
    count: int


@dataclass(frozen=True, slots=True)
class Ok:
    """``OK``: the answer to a command, in ack mode. A real Router gives two of them for one delivered message."""

    offset: int


@dataclass(frozen=True, slots=True)
class Failed:
    """``FAILED - reason``: the answer to a command, in ack mode."""

    offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class Login:
    """``LOGIN``: the element ``id`` listens at ``host``, ``port``, where the Router connects back."""

    id: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Logout:
    """``LOGOUT``: forget the element and its waiting messages."""

    id: str


@dataclass(frozen=True, slots=True)
class NewMessage:
    """``NEW_MESSAGE``: a message to another element. ``type`` is one of ``MessageType``; NUL cannot be sent."""

    sender: str
    to: str
    type: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class RequestUnread:
    """``REQUEST_UNREAD_MESSAGES``: deliver at most ``limit`` waiting messages; all if it is negative."""

    id: str
    limit: int


@dataclass(frozen=True, slots=True)
class Ack:
    """``OK``: the answer to a notice or a batch, on the connection that it came by, in ack mode only."""


Event: TypeAlias = Message | BatchEnd | Available | Unavailable | NewMessages | Ok | Failed
Command: TypeAlias = Login | Logout | NewMessage | RequestUnread | Ack
COMMANDS: Final = (Login, Logout, NewMessage, RequestUnread, Ack)
