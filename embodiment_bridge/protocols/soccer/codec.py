# SPDX-License-Identifier: Apache-2.0
"""Codec of a soccer simulator's agent port.

Frames to events, by patterns where it can and else list by list; commands to frames.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Generic, TypeAlias, TypeVar

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.soccer.list_fields import BadListError, UnknownListError, as_list
from embodiment_bridge.protocols.soccer.percepts import Named
from embodiment_bridge.protocols.soccer.wire_table import Form, Row
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt
from embodiment_bridge.wire.framing import Framer, frame
from embodiment_bridge.wire.sexpr import Node, Piece, SexprError, parse, split

# A percept of a T1 has 31 lists, one of a Nao 30. Without a limit one hostile frame could become half a million events.
MAX_LISTS: Final = 1000


Percept = TypeVar("Percept")
Signal = TypeVar("Signal")
Other: TypeAlias = Malformed | Unknown
PerceptFields: TypeAlias = dict[str, Any]


class PerceptReader(ABC, Generic[Percept, Signal]):
    """Reads the frames of one connection: by the pattern of its ``form``, or else list by list."""

    form: Form
    """The lists that the server usually sends."""
    rows: Mapping[str, Row]
    """All lists of a percept, by their words."""
    signals: Mapping[bytes, Callable[[int], Signal]] = MappingProxyType({})
    """Lists that are events of their own, by their bytes."""

    @abstractmethod
    def percept(self, offset: int, fields: PerceptFields) -> Percept:
        """The percept of its fields."""

    @property
    @abstractmethod
    def names(self) -> Collection[str] | None:
        """The names that points of a picture may have, by what was read last; None where any is possible."""

    def read(self, offset: int, payload: bytes) -> Sequence[Percept | Signal | Other]:
        """The percept in a frame, then an event for each list that is unknown or broken; never raises."""
        try:
            fields = self.quick(payload.decode())
        except UnicodeDecodeError:
            fields = None
        return self._whole(offset, payload, fields) if fields else self.read_lists(offset, payload)

    def _whole(self, offset: int, payload: bytes, fields: PerceptFields) -> list[Percept | Signal | Other]:
        """The percept of its fields, then an event for each name of a point that is unknown."""
        percept = self.percept(offset, fields)
        names = self.names if "vision" in fields else None
        if names is None:
            return [percept]
        strange = {point.name for point in fields["vision"].points}.difference(names)
        return [percept, *(Unknown(offset, _point(payload, name.encode())) for name in sorted(strange))]

    def quick(self, text: str) -> PerceptFields | None:
        """The fields of the percept in ``text``, or None when it has not the usual form."""
        return self.form.read(text)

    def read_lists(self, offset: int, payload: bytes) -> Sequence[Percept | Signal | Other]:
        """Read a frame as ``read`` does, list by list."""
        fields: PerceptFields = {}
        others: list[Percept | Signal | Other] = []
        for count, piece in enumerate(split(payload)):
            if count == MAX_LISTS:
                left = excerpt(payload[piece.start :])
                others.append(Malformed(offset, f"more than {MAX_LISTS} lists; the rest is dropped", left))
                break
            other = self._read_piece(offset, piece, payload[piece.start : piece.end], fields)
            if other:
                others.append(other)
        for row in self.rows.values():
            if row.joins and row.field in fields:
                fields[row.field] = row.joined(*zip(*fields[row.field], strict=True))
        if fields:
            others[:0] = self._whole(offset, payload, fields)
        return others or [Malformed(offset, "nothing but white space in the frame")]

    def take(self, word: str, items: list[Node], fields: PerceptFields) -> None:
        """Put a list that begins with ``word`` into the fields of its percept.

        Raises:
            BadListError: the list, or something in it, is wrong.
            UnknownListError: the list, or something in it, is not known.
        """
        if word not in self.rows:
            raise UnknownListError
        if word == "TCH" and len(items) == 5 and items[1] == "n" and items[3] == "val":
            items = [word, items[1:3], items[3:]]  # (TCH n bumper val 1), as rcssservermj writes it
        row = self.rows[word]
        self.put(row, *row.read(items), fields)

    def put(self, row: Row, value: object, problem: ValueError | None, fields: PerceptFields) -> None:
        """Put what a row has read into its field; raise the problem that it had."""
        if row.many:
            fields[row.field] = (*fields.get(row.field, ()), value)
        elif row.field in fields:
            raise BadListError("twice in one percept")
        elif value is not None:
            fields[row.field] = value
        if problem:
            raise problem

    def _read_piece(
        self, offset: int, piece: Piece, raw: bytes, fields: PerceptFields
    ) -> Signal | Other | None:
        """Put one list into ``fields``, or return the event for what cannot go there."""
        if piece.problem:
            return Malformed(offset, f"{piece.problem} at byte {piece.start}", excerpt(raw))
        if raw in self.signals:
            return self.signals[raw](offset)
        try:
            (items,) = map(as_list, parse(raw))
            if not items:
                raise BadListError("empty list")
            self.take(items[0] if isinstance(items[0], str) else "", items, fields)
        except SexprError as error:
            return Malformed(offset, f"{error.reason} at byte {piece.start + error.position}", excerpt(raw))
        except BadListError as error:
            return Malformed(offset, f"{error} in the list at byte {piece.start}", excerpt(raw))
        except UnknownListError:
            return Unknown(offset, raw)
        return None


def _point(payload: bytes, name: bytes) -> bytes:
    """The first detection of that name in a frame."""
    found = re.search(rb"\(\s*" + re.escape(name) + rb"\s*\([^()]*\)\s*\)", payload)
    return found[0] if found else name


Event = TypeVar("Event")
Command = TypeVar("Command")
Robot = TypeVar("Robot")


class FrameCodec(codec.Codec[Event | Malformed, Command], Generic[Event, Command]):
    """Decodes the frames of one connection and encodes commands as frames.

    Args:
        read: the events of the payload of one frame, by the offset of the frame.
        payload: the payload of one command.
        max_frame: longest frame accepted, bytes.
    """

    def __init__(
        self,
        read: Callable[[int, bytes], Iterable[Event]],
        payload: Callable[[Command], bytes],
        max_frame: int,
    ) -> None:
        self._read = read
        self._payload = payload
        self._framer = Framer(max_frame)

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
        """One wire frame for one command; a ``Frame`` holds several.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(self._payload(command))


def robot_named(name: str, robots: Mapping[str, Robot]) -> Robot:
    """Return the robot that the server calls ``name``.

    Raises:
        ConfigError: there is none.
    """
    if name not in robots:
        raise ConfigError(unknown("robot", name, robots))
    return robots[name]


class AgentCodec(FrameCodec[Event, Command]):
    """Decodes what an agent receives and encodes what it sends, in a dialect which ``read`` may still find out."""

    def __init__(
        self,
        dialect: Named,
        read: Callable[[int, bytes], Iterable[Event]],
        payload: Callable[[Command], bytes],
        max_frame: int,
    ) -> None:
        super().__init__(read, payload, max_frame)
        self._dialect = dialect

    @property
    def dialect(self) -> str:
        """The dialect in use: as told, or as found so far."""
        return self._dialect.name
