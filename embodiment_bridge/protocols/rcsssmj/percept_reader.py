# SPDX-License-Identifier: Apache-2.0
"""Turns the payload of one frame from the server into events."""

from typing import Final, TypeAlias

from embodiment_bridge.protocols.contract import Malformed, Unknown, excerpt
from embodiment_bridge.protocols.rcsssmj.dialects import Dialect
from embodiment_bridge.protocols.rcsssmj.events import Percept, ServerError, Sync
from embodiment_bridge.protocols.rcsssmj.list_fields import BadListError, UnknownListError
from embodiment_bridge.protocols.rcsssmj.percept_lists import PerceptParts
from embodiment_bridge.protocols.rcsssmj.percept_patterns import PerceptPatterns
from embodiment_bridge.sexpr import Piece, SexprError, parse, split

Event: TypeAlias = Percept | Sync | ServerError | Unknown | Malformed

# A percept of a T1 has 31 lists. Without a limit one hostile frame could become half a million events.
MAX_LISTS: Final = 1000

_SIGNALS: Final[dict[bytes, type[Sync] | type[ServerError]]] = {b"(syn)": Sync, b"(error)": ServerError}


class PerceptReader:
    """Reads the frames of one connection; it remembers the dialect and which joints to expect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._patterns = PerceptPatterns(dialect)

    def read(self, offset: int, payload: bytes) -> list[Event]:
        """The percept in a frame, then an event for each list that is unknown or broken; never raises."""
        try:
            percept = self._patterns.read(offset, payload.decode())
        except UnicodeDecodeError:
            percept = None
        return [percept] if percept else self._read_lists(offset, payload)

    def _read_lists(self, offset: int, payload: bytes) -> list[Event]:
        parts = PerceptParts(self._dialect)
        others: list[Event] = []
        for count, piece in enumerate(split(payload)):
            if count == MAX_LISTS:
                left = excerpt(payload[piece.start :])
                others.append(Malformed(offset, f"more than {MAX_LISTS} lists; the rest is dropped", left))
                break
            other = _read_piece(offset, piece, payload[piece.start : piece.end], parts)
            if other:
                others.append(other)
        percept = parts.percept(offset)
        if percept and not others:
            self._patterns.learn(percept)
        if percept:
            return [percept, *others]
        return others or [Malformed(offset, "nothing but white space in the frame")]


def _read_piece(offset: int, piece: Piece, raw: bytes, parts: PerceptParts) -> Event | None:
    """Put one list into ``parts``, or return the event for what cannot go there."""
    if piece.problem:
        return Malformed(offset, f"{piece.problem} at byte {piece.start}", excerpt(raw))
    if raw in _SIGNALS:
        return _SIGNALS[raw](offset)
    try:
        parts.read(parse(raw))
    except SexprError as error:
        return Malformed(offset, f"{error.reason} at byte {piece.start + error.position}", excerpt(raw))
    except BadListError as error:
        return Malformed(offset, f"{error} in the list at byte {piece.start}", excerpt(raw))
    except UnknownListError:
        return Unknown(offset, raw)
    return None
