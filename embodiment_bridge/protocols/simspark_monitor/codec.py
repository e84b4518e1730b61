# SPDX-License-Identifier: Apache-2.0
"""Codec of rcssserver3d's monitor port.

Frames to events, trainer commands to bytes, and what rcssserver3d 0.7.3 does with those.
"""

import re
from typing import Final

from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded
from embodiment_bridge.protocols.soccer_monitor.codec import MonitorCodec
from embodiment_bridge.protocols.soccer_monitor.commands import COMMANDS, Dialect
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event, MessageParts
from embodiment_bridge.wire.codec import Malformed, excerpt
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME
from embodiment_bridge.wire.sexpr import split

# What rcssserver3d 0.7.3 on SimSpark 0.3.2 does with trainer commands. The world is our ``map`` as it is.

DIALECT: Final = Dialect(
    server="SimSpark",
    yaw_offset_deg=-90.0,  # its rot of 0 looks along y
    can_ask=True,
    can_weaken=True,
    needs_position=False,
    free_poses=False,
    ignored={"get_ack": "0.3.2 takes this command and never answers it"},
    notes={
        "train_ball": "before kick-off SimSpark puts the ball back to the middle while players are there",
        "kill_agent": "SimSpark does not close the player's connection, it repeats the last percept",
    },
)


# Turns the payload of one frame of SimSpark's monitor port into events.
#
# rcssserver3d 0.7.3 writes three lists side by side, ``((time 0))(RSG 0 1)((nd TRF ...)...)``; its documents also show
# them with one more list around all. Both are read.

_BLANK: Final = r"[ \t\n\r\f\v]*"
_HEADER: Final = re.compile(
    rf"\({_BLANK}(RSG|RDS)[ \t\n\r\f\v]+([0-9]{{1,6}})[ \t\n\r\f\v]+([0-9]{{1,6}}){_BLANK}\)"
)


def read_frame(offset: int, payload: bytes) -> list[Event]:
    """The message in a frame, then an event for each part that is unknown or broken; never raises."""
    try:
        text = decoded(payload)
    except NotUtf8Error as error:
        return [Malformed(offset, str(error), excerpt(payload))]
    parts = MessageParts(offset)
    header = _HEADER.search(text)
    if header is None:
        _read_lists(parts, text)
        return parts.events()
    head, tail = _without_outer_list(text[: header.start()].strip(), text[header.end() :].strip())
    _read_message(parts, head, header, tail)
    if parts.broken:  # perhaps only by lists behind the graph, which no server sends yet
        graph = next((piece.end for piece in split(tail.encode()) if not piece.problem), 0)
        if graph and tail.encode()[graph:].strip():
            parts = MessageParts(offset)
            _read_message(parts, head, header, tail.encode()[:graph].decode())
            parts.loose(tail.encode()[graph:])
    return parts.events()


def _without_outer_list(head: str, tail: str) -> tuple[str, str]:
    """Return the texts before and behind the header; the documents have one more list around all."""
    if head.count("(") == head.count(")") + 1 and tail.count(")") == tail.count("(") + 1:
        return head[1:].strip(), tail[:-1].strip()
    return head, tail


def _read_lists(parts: MessageParts, text: str) -> None:
    """A game without a scene, ``((time 0))``, or something else."""
    stripped = text.strip()
    inside = stripped[1:-1].lstrip()
    if stripped[:1] == "(" and stripped[-1:] == ")" and inside[:1] == "(" and _is_whole(inside):
        parts.lists(inside.encode())
    else:
        parts.loose(text.encode())


def _read_message(parts: MessageParts, head: str, header: re.Match[str], tail: str) -> None:
    if head:
        if head[0] == "(" and head[-1] == ")" and _is_whole(head[1:-1]):
            parts.lists(head[1:-1].encode())
        else:
            parts.malformed("no list before the header of the scene graph", head.encode())
    if tail[:1] == "(" and tail[-1:] == ")":
        parts.graph(tail[1:-1], (int(header[2]), int(header[3])), full=header[1] == "RSG")
    else:
        parts.malformed("no scene graph behind its header", tail.encode())


def _is_whole(text: str) -> bool:
    """Whether brackets pair; such text is the inside of one list, not of two."""
    depth = 0
    for bracket in re.findall(r"[()]", text):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0


class Codec(MonitorCodec):
    """The server tells faults in its own log only."""

    def __init__(self, max_frame: int = DEFAULT_MAX_FRAME) -> None:
        super().__init__(read_frame, COMMANDS, max_frame)
