# SPDX-License-Identifier: Apache-2.0
"""How an agent gets into a game of rcssserver3d, and how it notices that it is out of it again."""

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.simspark.commands import Init
from embodiment_bridge.protocols.simspark.events import Percept

REPEAT_INIT = 25  # percepts (half a second) until an init is sent again
PATIENCE = 250  # percepts (5 s) until a server that does not confirm has refused
FROZEN = 25  # percepts of the same time; a server repeats the last one for ever when the robot was killed


class Joining:
    """One player. ``joined`` once the server confirmed; ``side`` (``left`` or ``right``) and ``number`` as it said."""

    def __init__(self, team: str, number: int) -> None:
        self._team = team
        self._wanted = number
        self.restart()

    def restart(self) -> None:
        """A new connection."""
        self.joined = False
        self.side, self.number = "", self._wanted
        self._percepts = self._repeats = 0
        self._time: float | None = None

    def see(self, percept: Percept) -> bool:
        """Take in a percept; whether it is news, not the last one again.

        Raises:
            LinkError: the server refused the player, or took it out of the game.
        """
        self._percepts += 1
        same = percept.time_s is not None and percept.time_s == self._time
        self._repeats = self._repeats + 1 if same else 0
        self._time = percept.time_s
        if self._repeats >= FROZEN:
            raise LinkError("the server repeats its last percept: the robot was taken out of the game")
        game = percept.game_state
        if game is not None and game.number is not None and game.side in ("left", "right"):
            self.joined, self.side, self.number = True, game.side, game.number
        if not self.joined and self._percepts > PATIENCE:
            raise LinkError(
                f"the server did not let number {self._wanted} into team {self._team!r}: the number is taken, there "
                "are two other teams already, the team is full, or it has too many robots of this type"
            )
        return not same

    def init(self) -> Init | None:
        """The command that asks to be let in, when it is time for it."""
        if self.joined or self._percepts % REPEAT_INIT != 1:
            return None
        return Init(self._wanted, self._team)
