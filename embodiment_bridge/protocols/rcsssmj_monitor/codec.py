# SPDX-License-Identifier: Apache-2.0
"""Codec of RCSSServerMJ's monitor port (RSMP 1.0).

Frames to events, trainer commands to bytes, and what rcssservermj 0.2.1 does with those.
"""

import re
from itertools import islice
from typing import Final

from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded
from embodiment_bridge.protocols.soccer.list_fields import NUMBER, BadListError
from embodiment_bridge.protocols.soccer_monitor.codec import MonitorCodec
from embodiment_bridge.protocols.soccer_monitor.commands import RCSSSMJ_COMMANDS, Dialect
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event, MessageParts
from embodiment_bridge.wire.codec import Malformed, excerpt
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME
from embodiment_bridge.wire.sexpr import split

# What rcssservermj 0.2.1 does with trainer commands. The world is our ``map`` as it is.

_UNKNOWN: Final = "0.2.1 does not know this command and ignores it"
_NOTHING: Final = "0.2.1 takes this command and does nothing"

DIALECT: Final = Dialect(
    server="rcssservermj",
    yaw_offset_deg=0.0,
    can_ask=False,
    can_weaken=False,
    needs_position=True,
    free_poses=True,
    ignored={
        "set_play_mode": _NOTHING,
        "kill_simulator": _NOTHING,
        "select_agent": _UNKNOWN,
        "kill_agent": _UNKNOWN,
        "reposition_agent": _UNKNOWN,
        "set_game": _UNKNOWN,
        "request_full_state": f"{_UNKNOWN}; it sends a full state every 5 s",
        "get_ack": _UNKNOWN,
    },
    notes={},
)


# Turns the payload of one frame of RCSSServerMJ's monitor port (RSMP 1.0) into events.
#
# rcssservermj 0.2.1 writes one list of components, each of which begins with its name and version:
# ``((RSMP 1 0)((gt 1 0)3.44)((sg 1 0)full(nd ..))((gs 1 0)(time 0.0)..)((ge 1 0)(FieldLength 55)..))``.

_BEGIN: Final = re.compile(r"\s*\(\s*\(\s*RSMP\s+([0-9]{1,6})\s+([0-9]{1,6})\s*\)")
_COMPONENT: Final = re.compile(r"\(\s*\(\s*([^\s()]{1,40})\s+([0-9]{1,6})\s+([0-9]{1,6})\s*\)")
_KNOWN: Final = ("gt", "sg", "gs", "ge")  # time, scene graph, game state, environment
_GRAPH: Final = re.compile(r"\s*(full|diff)(?![^\s()])")
MAX_COMPONENTS: Final = 100


def read_frame(offset: int, payload: bytes) -> list[Event]:
    """The message in a frame, then an event for each component that is unknown or broken; never raises."""
    try:
        text = decoded(payload)
    except NotUtf8Error as error:
        return [Malformed(offset, str(error), excerpt(payload))]
    begin = _BEGIN.match(text)
    end = text.rstrip()
    parts = MessageParts(offset)
    if begin is None:
        parts.loose(payload)
    elif not end.endswith(")") or begin.end() >= len(end):
        parts.malformed("'(' without its ')'", payload)
    else:
        inside = end[begin.end() : -1]
        pieces = _quick_cut(inside)
        if pieces:
            _read_all(parts, pieces)
        if not pieces or parts.broken:
            parts = MessageParts(offset)
            _read_all(parts, _careful_cut(inside))
    return parts.events()


def _quick_cut(text: str) -> list[str]:
    """The components, cut where they seem to begin; nothing where that does not come out even."""
    heads = list(_COMPONENT.finditer(text))
    places = [head.start() for head in heads]
    pieces = [text[a:b] for a, b in zip(places, [*places[1:], len(text)], strict=False)]
    even = all(piece.count("(") == piece.count(")") for piece in pieces)
    known = all(head[1] in _KNOWN for head in heads)
    return pieces if places[:1] == [0] and even and known else []


def _careful_cut(text: str) -> list[str]:
    """The lists in ``text``, and whatever else stands there."""
    data = text.encode()
    pieces = islice(split(data), MAX_COMPONENTS)
    return [data[piece.start : piece.end].decode() for piece in pieces]


def _read_all(parts: MessageParts, components: list[str]) -> None:
    for component in components:
        head = _COMPONENT.match(component)
        if component.count("(") != component.count(")") or component[-1] != ")" or component[0] != "(":
            parts.malformed("brackets that do not pair", component.encode())
        elif head is None or head[1] not in _KNOWN:
            parts.unknown(component.encode())
        else:
            _read(parts, head, component[head.end() : -1])


def _read(parts: MessageParts, head: re.Match[str], inside: str) -> None:
    if head[1] == "gt":
        try:
            parts.time(NUMBER.read(inside.strip()))
        except BadListError as error:
            parts.malformed(f"gt: {error}", inside.encode())
    elif head[1] == "sg":
        kind = _GRAPH.match(inside)
        if kind is None:
            parts.malformed("sg is neither full nor diff", inside.encode())
        else:
            parts.graph(inside[kind.end() :], (int(head[2]), int(head[3])), full=kind[1] == "full")
    else:
        parts.lists(inside.encode())


class Codec(MonitorCodec):
    """Refuses commands with which rcssservermj 0.2.1 does nothing."""

    def __init__(self, max_frame: int = DEFAULT_MAX_FRAME) -> None:
        super().__init__(read_frame, RCSSSMJ_COMMANDS, max_frame, rsmp=True)
