# SPDX-License-Identifier: Apache-2.0
"""Puts a message of a monitor port together from its parts, and names those that cannot be read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from embodiment_bridge.protocols.soccer.list_fields import (
    NUMBER,
    WHOLE,
    BadListError,
    UnknownListError,
    atom,
)
from embodiment_bridge.protocols.soccer_monitor.graph_reader import read_graph
from embodiment_bridge.protocols.soccer_monitor.scene.events import (
    Ack,
    Environment,
    Foul,
    GameState,
    MonitorState,
    Scene,
)
from embodiment_bridge.protocols.soccer_monitor.scene.shapes import NAMES
from embodiment_bridge.wire.codec import Malformed, Unknown, excerpt
from embodiment_bridge.wire.sexpr import Node, SexprError, parse, split

# The lists of a monitor message that are no scene graph: parameters of the game, and how it stands.

MAX_FOULS: Final = 64  # of one message; there are 22 players


def _text(values: list[Node]) -> str:
    """A name; the servers split at blanks, so one with blanks is several words."""
    return " ".join(atom(value) for value in values)


def _one(read: Callable[[Node], Any]) -> Callable[[list[Node]], Any]:
    def reader(values: list[Node]) -> Any:
        if len(values) != 1:
            raise BadListError(f"{len(values)} values instead of 1")
        return read(values[0])

    return reader


_GAME: Final[dict[str, tuple[str, Callable[[list[Node]], Any]]]] = {
    "time": ("time_s", _one(NUMBER.read)),
    "half": ("half", _one(WHOLE.read)),
    "play_mode": ("play_mode", _one(WHOLE.read)),
    "score_left": ("score_left", _one(WHOLE.read)),
    "score_right": ("score_right", _one(WHOLE.read)),
    "team_left": ("team_left", _text),
    "team_right": ("team_right", _text),
    "pass_mode_score_wait_left": ("pass_wait_left_s", _one(NUMBER.read)),
    "pass_mode_score_wait_right": ("pass_wait_right_s", _one(NUMBER.read)),
}


@dataclass(slots=True)
class GameLists:
    """Collects what the lists of one message say."""

    values: dict[str, float] = field(default_factory=dict)
    play_modes: tuple[str, ...] = ()
    game: dict[str, Any] = field(default_factory=dict)
    fouls: list[Foul] = field(default_factory=list)

    def read(self, item: Node) -> None:
        """Take one list, such as ``(half 1)``.

        Raises:
            BadListError: it is known, but has other values than it should.
            UnknownListError: it has no meaning here.
        """
        if not isinstance(item, list) or not item or not isinstance(item[0], str):
            raise UnknownListError
        name, values = item[0], item[1:]
        try:
            if name in _GAME:
                key, read = _GAME[name]
                self.game[key] = read(values)
            elif name in NAMES:
                self.values[name] = _one(NUMBER.read)(values)
            elif name == "play_modes":
                self.play_modes = tuple(atom(value) for value in values)
            elif name == "foul":
                self._foul([WHOLE.read(value) for value in values])
            else:
                raise UnknownListError
        except BadListError as error:
            raise BadListError(f"{name}: {error}") from None

    def environment(self) -> Environment | None:
        """Return what was said of field and rules, if anything was."""
        return Environment(self.values, self.play_modes) if self.values or self.play_modes else None

    def game_state(self) -> GameState | None:
        """Return what was said of the game, if anything was."""
        return GameState(**self.game, fouls=tuple(self.fouls)) if self.game or self.fouls else None

    def _foul(self, values: list[int]) -> None:
        if len(values) not in (3, 4):
            raise BadListError(f"{len(values)} values instead of 3 or 4")
        if len(self.fouls) < MAX_FOULS:
            self.fouls.append(Foul(None, *values) if len(values) == 3 else Foul(*values))


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
