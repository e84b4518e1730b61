# SPDX-License-Identifier: Apache-2.0
"""Puts a message of a monitor port together from its parts, with the parts that cannot be read."""

from collections.abc import Callable
from typing import Final, TypeAlias

from embodiment_bridge.protocols.soccer.list_fields import BadListError, UnknownListError
from embodiment_bridge.protocols.soccer_monitor.game_lists import GameLists
from embodiment_bridge.protocols.soccer_monitor.graph_reader import read_graph
from embodiment_bridge.protocols.soccer_monitor.scene.events import Ack, MonitorState, Scene
from embodiment_bridge.wire.events import Malformed, Unknown, excerpt
from embodiment_bridge.wire.sexpr import SexprError, parse, split

Event: TypeAlias = MonitorState | Ack | Unknown | Malformed

MAX_OTHERS: Final = 1000  # events for what is unknown or broken in one frame


class MessageParts:
    """The parts of one message; ``offset`` is that of its frame."""

    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._lists = GameLists()
        self._scene: Scene | None = None
        self._time_s: float | None = None
        self._others: list[Event] = []

    @property
    def broken(self) -> bool:
        """Whether something is not of the protocol."""
        return any(isinstance(other, Malformed) for other in self._others)

    def time(self, seconds: float) -> None:
        """The time of the simulation."""
        self._time_s = seconds

    def graph(self, text: str, version: tuple[int, int], *, full: bool) -> None:
        """Take the nodes of a scene graph."""
        try:
            graph = read_graph(text)
        except BadListError as error:
            self.malformed(str(error), text.encode())
            return
        self._scene = Scene(full, version, tuple(graph.depths), graph.matrices, tuple(graph.details))
        for unknown in graph.unknown:
            self.unknown(unknown.encode())

    def lists(self, inside: bytes) -> None:
        """Take the lists of the game in ``inside``, which stand side by side."""
        try:
            for item in parse(inside):
                self._lists.read(item)
        except (SexprError, BadListError, UnknownListError):
            self._lists = GameLists()  # again, one by one, to tell good ones from others
            self._each(inside, self._list)

    def loose(self, data: bytes) -> None:
        """Take lists that belong to no message, such as an ``(ack cookie)``."""
        self._each(data, self._loose_list)

    def malformed(self, reason: str, raw: bytes) -> None:
        """Something is not of the protocol."""
        if len(self._others) < MAX_OTHERS:
            self._others.append(Malformed(self._offset, reason, excerpt(raw)))

    def unknown(self, raw: bytes) -> None:
        """Something is well-formed but has no meaning here."""
        if len(self._others) < MAX_OTHERS:
            self._others.append(Unknown(self._offset, raw))

    def events(self) -> list[Event]:
        """The message, if there was any of it, and an event for each other part."""
        environment, game = self._lists.environment(), self._lists.game_state()
        if environment or game or self._scene or self._time_s is not None:
            state = MonitorState(self._offset, self._time_s, environment, game, self._scene)
            return [state, *self._others]
        return self._others or [Malformed(self._offset, "nothing that a monitor could be told")]

    def _each(self, data: bytes, take: Callable[[bytes], None]) -> None:
        for piece in split(data):
            raw = data[piece.start : piece.end]
            if piece.problem:
                self.malformed(f"{piece.problem} at byte {piece.start}", raw)
            elif len(self._others) < MAX_OTHERS:
                take(raw)

    def _list(self, raw: bytes) -> None:
        try:
            self._lists.read(parse(raw)[0])
        except (SexprError, BadListError) as error:
            self.malformed(str(error), raw)
        except UnknownListError:
            self.unknown(raw)

    def _loose_list(self, raw: bytes) -> None:
        try:
            node = parse(raw)[0]
        except SexprError as error:
            self.malformed(str(error), raw)
            return
        match node:
            case ["ack", str(cookie)]:
                self._others.append(Ack(self._offset, cookie))
            case _:
                self.unknown(raw)
