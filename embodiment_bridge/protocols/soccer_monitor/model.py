# SPDX-License-Identifier: Apache-2.0
"""Keeps the model of a monitor: the record of the game, the scene, and who is who in it.

It asks for everything again where needed.
"""

from dataclasses import dataclass, fields, replace
from typing import Final

from embodiment_bridge.protocols.soccer_monitor.commands import Command, RequestFullState
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event
from embodiment_bridge.protocols.soccer_monitor.scene.events import (
    Environment,
    Foul,
    GameState,
    MonitorState,
)
from embodiment_bridge.protocols.soccer_monitor.scene.graph import Objects, SceneGraph, find_objects
from embodiment_bridge.protocols.soccer_monitor.scene.shapes import FieldValues, field_values
from embodiment_bridge.wire.codec import Malformed

# The record of a game, put together from messages that have only what changed.

NO_TEAM: Final = ("<LEFT>", "<RIGHT>")  # what rcssservermj 0.2.1 calls a team that is not there
LEFT, RIGHT = 1, 2  # teams of fouls
FOULS: Final = (
    "crowding",
    "touching",
    "illegal_defence",
    "illegal_attack",
    "incapable",
    "kick_off",
    "charging",
    "self_collision",
    "ball_holding",
    "double_touch",
    "hand_foul",
)
_KEPT: Final = tuple(field.name for field in fields(GameState) if field.name != "fouls")


@dataclass(frozen=True, slots=True)
class ToldFoul:
    """A foul with names: side is left, right or empty."""

    index: int | None
    type: int
    name: str
    side: str
    team: str
    number: int


class GameRecord:
    """One game. ``environment`` is None until the server has told it."""

    def __init__(self) -> None:
        self.environment: Environment | None = None
        self.state = GameState()

    def forget(self) -> None:
        """The next message may be of another game."""
        self.environment = None
        self.state = GameState()

    def take(self, message: MonitorState) -> None:
        """Take in what a message says."""
        if message.environment is not None:
            self.environment = message.environment
        if message.game is not None:
            said = {name: value for name in _KEPT if (value := getattr(message.game, name)) is not None}
            self.state = replace(self.state, **said)
            if message.environment is not None:  # all is said: a wait that is not told is over
                waits = message.game.pass_wait_left_s, message.game.pass_wait_right_s
                self.state = replace(self.state, pass_wait_left_s=waits[0], pass_wait_right_s=waits[1])

    @property
    def play_mode(self) -> str:
        """Its name, or its number where the server has not told the names; empty before it has told any."""
        index = self.state.play_mode
        if index is None:
            return ""
        names = self.play_modes
        return names[index] if 0 <= index < len(names) else str(index)

    @property
    def play_modes(self) -> tuple[str, ...]:
        """The names of all modes, in the server's order."""
        return self.environment.play_modes if self.environment else ()

    def team(self, side: str) -> str:
        """The name of the team of a side; empty where it is not known."""
        name = {"left": self.state.team_left, "right": self.state.team_right}.get(side)
        return "" if name is None or name in NO_TEAM else name

    def side(self, team: str) -> str:
        """The side of a team by its name; empty where it is not known."""
        return next((side for side in ("left", "right") if team and self.team(side) == team), "")

    def foul(self, foul: Foul) -> ToldFoul:
        """A foul with the names of what it tells by numbers."""
        name = FOULS[foul.type] if 0 <= foul.type < len(FOULS) else ""
        side = {LEFT: "left", RIGHT: "right"}.get(foul.team, "")
        return ToldFoul(foul.index, foul.type, name, side, self.team(side), foul.number)


ASK_AGAIN: Final = 50  # messages to wait for a whole scene before it is asked for once more: 2 s


class MonitorModel:
    """One connection. ``can_ask``: the server sends everything when it is asked to.

    in_step: whether the scene is that of the server; nothing of it should be told while it is not. mismatches: how
    often changes did not fit, or came broken. field and objects follow from the rest.
    """

    def __init__(self, *, can_ask: bool) -> None:
        self.game = GameRecord()
        self.graph = SceneGraph()
        self.objects = Objects(None, ())
        self.field = FieldValues({})
        self.time_s: float | None = None
        self.in_step = False
        self.mismatches = 0
        self._can_ask = can_ask
        self._waiting = 0
        self._structure = 0
        self._environment: Environment | None = None

    def take(self, event: Event) -> list[Command]:
        """Take in an event; return what should be asked of the server."""
        if isinstance(event, Malformed):
            return self._lost()
        if not isinstance(event, MonitorState):
            return []
        self.time_s = event.time_s
        self.game.take(event)
        if self.game.environment != self._environment:
            self._environment = self.game.environment
            self.field = field_values(self._environment) if self._environment else FieldValues({})
        if event.scene is None:
            return []
        if event.scene.full:
            self.in_step = True
        elif not self.in_step:
            return self._ask()
        if not self.graph.apply(event.scene):
            return self._lost()
        if self.graph.structure != self._structure:
            self._structure = self.graph.structure
            self.objects = find_objects(self.graph)
        return []

    def lost(self) -> None:
        """The connection has ended; the next one may be to another game."""
        self.game.forget()
        self.in_step = False
        self._waiting = 0

    def _lost(self) -> list[Command]:
        self.mismatches += 1
        if self.in_step:
            self.in_step = False
            self._waiting = 0
        return self._ask()

    def _ask(self) -> list[Command]:
        """Ask once, and again when nothing has come of it: a slow reader may lose the answer too."""
        self._waiting, before = (self._waiting + 1) % ASK_AGAIN, self._waiting
        return [RequestFullState()] if before == 0 and self._can_ask else []
