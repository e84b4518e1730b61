# SPDX-License-Identifier: Apache-2.0
"""How an agent gets into a game of rcssserver3d, and how it notices that it is out of it again."""

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.simspark.commands import Init
from embodiment_bridge.protocols.simspark.events import Percept, Vision

# Two inits take two numbers where the player wants the next that is free, so it is sent again only after more
# percepts than a server that is late sends at once.
REPEAT_INIT = 100  # percepts, 2 s
PATIENCE = 250  # percepts (5 s) until a server that does not confirm has refused
OWN_ARM = 0.3  # m from the camera to a lower arm; those of others are farther away, as heads are wide
LOWER_ARMS = ("llowerarm", "rlowerarm")
FROZEN = 25  # percepts of the same time; a server repeats the last one for ever when the robot was killed


class Joining:
    """One player. ``joined`` once the server confirmed; ``side`` (``left`` or ``right``) and ``number`` as it said.

    replayed: the percepts are a recording, which may begin in the middle of a game. Then the player has joined with the
    first percept, and its team and number are also those of the arms that it sees of itself. Its side is not known
    until ``learn_side`` is called.
    """

    def __init__(self, team: str, number: int, *, replayed: bool = False) -> None:
        self._own_team = team
        self._wanted = number
        self._replayed = replayed
        self.restart()

    def restart(self) -> None:
        """A new connection."""
        self.joined = self._replayed
        self.side, self.number, self.team = "", self._wanted, self._own_team
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
        if self._replayed and percept.vision is not None:
            self._recognise(percept.vision)
        if not self.joined and self._percepts > PATIENCE:
            raise LinkError(
                f"the server did not let number {self._wanted} into team {self._own_team!r}: the number is taken, "
                "there are two other teams already, the team is full, or it has too many robots of this type"
            )
        return not same

    @property
    def wants_side(self) -> bool:
        """Whether only the percepts can tell the side: the recording began after the server's confirmation."""
        return self._replayed and not self.side

    def learn_side(self, side: str) -> None:
        """What the percepts tell of a player who wants its side."""
        self.side = side

    def init(self) -> Init | None:
        """The command that asks to be let in, when it is time for it."""
        if self.joined or self._percepts % REPEAT_INIT != 1:
            return None
        return Init(self._wanted, self._own_team)

    def _recognise(self, vision: Vision) -> None:
        for agent in vision.agents:
            arms = (part for part in agent.body if part.name in LOWER_ARMS)
            if agent.number > 0 and any(part.distance_m < OWN_ARM for part in arms):
                self.team, self.number = agent.team, agent.number
