# SPDX-License-Identifier: Apache-2.0
"""Codec of a soccer simulator's agent port.

Frames to events, by patterns where it can and else list by list; commands to frames.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from typing_extensions import override

from embodiment_bridge.protocols.soccer.list_fields import BadListError, UnknownListError
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt
from embodiment_bridge.wire.framing import Framer, frame
from embodiment_bridge.wire.sexpr import Node, Piece, SexprError, parse, split

# Turns the payload of one frame from a soccer simulator into events: fast by patterns, else list by list.

# A percept of a T1 has 31 lists, one of a Nao 30. Without a limit one hostile frame could become half a million events.
MAX_LISTS: Final = 1000


Percept = TypeVar("Percept")
Signal = TypeVar("Signal")
Percept_co = TypeVar("Percept_co", covariant=True)
Other: TypeAlias = Malformed | Unknown


class Patterns(Protocol[Percept]):
    """The fast way: reads what the server usually sends."""

    def read(self, offset: int, text: str) -> Percept | None:
        """The percept in ``text``, or None when it is not of the usual shape."""
        ...

    def learn(self, percept: Percept) -> None:
        """Expect what ``percept`` has from now on."""
        ...


class Parts(Protocol[Percept_co]):
    """The slow way: a percept while it is put together from its lists."""

    def read(self, message: list[Node]) -> None:
        """Take in a message of one list.

        Raises:
            BadListError: the list, or something in it, is wrong.
            UnknownListError: the list, or something in it, is not known.
        """
        ...

    def percept(self, offset: int) -> Percept_co | None:
        """The percept of the lists so far, or None when there were none."""
        ...


class PerceptReader(Generic[Percept, Signal]):
    """Reads the frames of one connection.

    Args:
        patterns: the fast way, which gives exactly what the slow one would.
        parts: makes what the lists of a frame are put together in.
        signals: lists that are events of their own, by their bytes.
    """

    def __init__(
        self,
        patterns: Patterns[Percept],
        parts: Callable[[], Parts[Percept]],
        signals: Mapping[bytes, Callable[[int], Signal]] = MappingProxyType({}),
    ) -> None:
        self._patterns = patterns
        self._parts = parts
        self._signals = signals

    def read(self, offset: int, payload: bytes) -> list[Percept | Signal | Other]:
        """The percept in a frame, then an event for each list that is unknown or broken; never raises."""
        try:
            percept = self._patterns.read(offset, payload.decode())
        except UnicodeDecodeError:
            percept = None
        return [percept] if percept else self._read_lists(offset, payload)

    def _read_lists(self, offset: int, payload: bytes) -> list[Percept | Signal | Other]:
        parts = self._parts()
        others: list[Percept | Signal | Other] = []
        for count, piece in enumerate(split(payload)):
            if count == MAX_LISTS:
                left = excerpt(payload[piece.start :])
                others.append(Malformed(offset, f"more than {MAX_LISTS} lists; the rest is dropped", left))
                break
            other = self._read_piece(offset, piece, payload[piece.start : piece.end], parts)
            if other:
                others.append(other)
        percept = parts.percept(offset)
        if percept and not others:
            self._patterns.learn(percept)
        if percept:
            return [percept, *others]
        return others or [Malformed(offset, "nothing but white space in the frame")]

    def _read_piece(
        self, offset: int, piece: Piece, raw: bytes, parts: Parts[Percept]
    ) -> Signal | Other | None:
        """Put one list into ``parts``, or return the event for what cannot go there."""
        if piece.problem:
            return Malformed(offset, f"{piece.problem} at byte {piece.start}", excerpt(raw))
        if raw in self._signals:
            return self._signals[raw](offset)
        try:
            parts.read(parse(raw))
        except SexprError as error:
            return Malformed(offset, f"{error.reason} at byte {piece.start + error.position}", excerpt(raw))
        except BadListError as error:
            return Malformed(offset, f"{error} in the list at byte {piece.start}", excerpt(raw))
        except UnknownListError:
            return Unknown(offset, raw)
        return None


Event = TypeVar("Event")
Command = TypeVar("Command")


class Named(Protocol):
    """A dialect."""

    @property
    def name(self) -> str:
        """Its name in ``decode --dialect``."""
        ...


class AgentCodec(codec.Codec[Event | Malformed, Command], Generic[Event, Command]):
    """Decodes what an agent receives and encodes what it sends.

    Args:
        dialect: that of the connection, which ``read`` may still find out.
        read: the events of the payload of one frame, by the offset of the frame.
        payload: the payload of one command.
        max_frame: longest frame accepted, bytes.
    """

    def __init__(
        self,
        dialect: Named,
        read: Callable[[int, bytes], Iterable[Event]],
        payload: Callable[[Command], bytes],
        max_frame: int,
    ) -> None:
        self._dialect = dialect
        self._read = read
        self._payload = payload
        self._framer = Framer(max_frame)

    @property
    def dialect(self) -> str:
        """The dialect in use: as told, or as found so far."""
        return self._dialect.name

    @override
    def feed(self, data: bytes) -> list[Event | Malformed]:
        """Take bytes; return the events that are now whole.

        A frame gives one event, then an ``Unknown`` or ``Malformed`` for each list in it that is not understood; a
        frame of such lists alone gives just these.
        """
        events: list[Event | Malformed] = []
        for found in self._framer.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += self._read(found.offset, found.payload)
        return events

    @override
    def close(self) -> list[Truncated]:
        return self._framer.close()

    @override
    def encode(self, command: Command) -> bytes:
        """One wire frame for one command; a ``commands.Frame`` holds several actions.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(self._payload(command))
