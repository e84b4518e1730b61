# SPDX-License-Identifier: Apache-2.0
"""The record of a game, put together from messages that have only what changed."""

from dataclasses import dataclass, fields, replace
from typing import Final

from embodiment_bridge.protocols.soccer_monitor.scene.events import (
    Environment,
    Foul,
    GameState,
    MonitorState,
)

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
