# SPDX-License-Identifier: Apache-2.0
"""The lists of a monitor message that are no scene graph: parameters of the game, and how it stands."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from embodiment_bridge.protocols.soccer.list_fields import (
    BadListError,
    UnknownListError,
    atom,
    integer,
    number,
)
from embodiment_bridge.protocols.soccer_monitor.scene.events import Environment, Foul, GameState
from embodiment_bridge.protocols.soccer_monitor.scene.field_values import NAMES
from embodiment_bridge.wire.sexpr import Node

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
    "time": ("time_s", _one(number)),
    "half": ("half", _one(integer)),
    "play_mode": ("play_mode", _one(integer)),
    "score_left": ("score_left", _one(integer)),
    "score_right": ("score_right", _one(integer)),
    "team_left": ("team_left", _text),
    "team_right": ("team_right", _text),
    "pass_mode_score_wait_left": ("pass_wait_left_s", _one(number)),
    "pass_mode_score_wait_right": ("pass_wait_right_s", _one(number)),
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
                self.values[name] = _one(number)(values)
            elif name == "play_modes":
                self.play_modes = tuple(atom(value) for value in values)
            elif name == "foul":
                self._foul([integer(value) for value in values])
            else:
                raise UnknownListError
        except BadListError as error:
            raise BadListError(f"{name}: {error}") from None

    def environment(self) -> Environment | None:
        """What was said of field and rules, if anything was."""
        return Environment(self.values, self.play_modes) if self.values or self.play_modes else None

    def game_state(self) -> GameState | None:
        """What was said of the game, if anything was."""
        return GameState(**self.game, fouls=tuple(self.fouls)) if self.game or self.fouls else None

    def _foul(self, values: list[int]) -> None:
        if len(values) not in (3, 4):
            raise BadListError(f"{len(values)} values instead of 3 or 4")
        if len(self.fouls) < MAX_FOULS:
            self.fouls.append(Foul(None, *values) if len(values) == 3 else Foul(*values))
