# SPDX-License-Identifier: Apache-2.0
"""Brings a player into a game of rcssserver3d.

It joins, finds its side, and is beamed to where it begins; and notices when it is out of the game again.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.protocols.simspark import convert
from embodiment_bridge.protocols.simspark.codec import Beam, Init
from embodiment_bridge.protocols.simspark.convert import camera_pose
from embodiment_bridge.protocols.simspark.events import Percept, Vision
from embodiment_bridge.scene.locator import Locator

# Where a player begins: rcssserver3d lets all robots appear in one place, where they push each other over.

Place = tuple[float, float, float]

LINE_UP: Final[Mapping[int, Place]] = {
    1: (-14.0, 0.0, 0.0),
    2: (-10.0, -3.0, 0.0),
    3: (-10.0, 3.0, 0.0),
    4: (-10.0, 0.0, 0.0),
    5: (-7.0, -6.0, 0.0),
    6: (-7.0, 6.0, 0.0),
    7: (-6.0, -2.0, 0.0),
    8: (-6.0, 2.0, 0.0),
    9: (-3.0, -5.0, 0.0),
    10: (-3.0, 5.0, 0.0),
    11: (-2.5, 0.0, 0.0),
}
"""By player number: x, y (m) and heading (rad) as in ``beam``, relative to the own side."""

BEAM_MODES: Final = ("BeforeKickOff", "Goal_Left", "Goal_Right")
SETTLE: Final = 1.0  # s after joining in which the robots fall down and the joints find their rest pose
LOOK: Final = 2.0  # s after a beam until the robot stands, or lies and is beamed again
TRIES: Final = 5
UPRIGHT: Final = 0.5  # rad


class StartPlace:
    """The beams that put a player where it begins; ``text`` is the parameter ``start_pose``.

    Raises:
        ConfigError: it is none of the choices.
    """

    def __init__(self, text: str) -> None:
        self._fixed: Place | None = None
        self._wanted = text != "server"
        if text not in ("line_up", "server"):
            self._fixed = _place(text)
        self.restart()

    def restart(self) -> None:
        """Another connection."""
        self._due: float | None = None
        self._tries = 0

    def leave(self) -> None:
        """Somebody else has said where the player is to be."""
        self._tries = TRIES

    def beam(self, number: int, mode: str, time: float, tilt: float) -> Beam | None:
        """The beam that is due now for a player that has joined, if the game allows it.

        Args:
            number: of the player.
            mode: of the game.
            time: s, of the server.
            tilt: rad; 0 if unknown.
        """
        if not self._wanted or self._tries >= TRIES:
            return None
        if self._due is None:
            self._due = time + SETTLE
        if time < self._due:
            return None
        place = self._fixed or LINE_UP.get(number)
        if mode not in BEAM_MODES or place is None or (self._tries and tilt < UPRIGHT):
            self._tries = TRIES  # the game goes on, or the player stands
            return None
        self._tries += 1
        self._due = time + LOOK
        return convert.beam(*place)


def _place(text: str) -> Place:
    try:
        x, y, yaw = (float(word) for word in text.split())
    except ValueError:
        x = y = yaw = math.nan
    if not (-100.0 <= x <= 0.0 and abs(y) <= 100.0 and abs(yaw) <= 2 * math.pi):
        raise ConfigError(
            f"parameter start_pose is {text!r}; it must be line_up, server, or x, y (m, x not above 0) and heading "
            "(rad) with blanks between, as -3.0 1.0 0.0"
        )
    return x, y, yaw


# Finds the side of a player that was not told it: the server turns the place of a player of the right team.

# m by which one place has to be nearer to that of the landmarks; at the centre both are the same
CLEAR: Final = 1.0


def side_of(vision: Vision, points: Sequence[tuple[str, Vector]], located: Locator) -> str:
    """``left`` or ``right`` where the picture has ``mypos`` and landmarks that agree with one of them; else empty.

    Args:
        vision: the picture.
        points: the points in it by name, m in the frame of the body.
        located: knows the tilt of the body.
    """
    left, right = camera_pose(vision, "left"), camera_pose(vision, "right")
    seen = located.another()
    seen.look(points)
    if left is None or right is None or not seen.known:
        return ""
    further = math.dist(seen.place[:2], left[0][:2]) - math.dist(seen.place[:2], right[0][:2])
    if abs(further) < CLEAR:
        return ""
    return "right" if further > 0.0 else "left"


# Where the flags of a field are.

GOAL_HALF_WIDTH = 1.05  # m
GOAL_HEIGHT = 0.8  # m


def landmarks(length: float, width: float) -> dict[str, Vector]:
    """The flags of a field (m) in ``map``: corners ``F`` and tops of goal posts ``G``, 1 is the upper one (+y)."""
    flags: dict[str, Vector] = {}
    for side, x in (("L", -0.5 * length), ("R", 0.5 * length)):
        for number, up in ((1, 1.0), (2, -1.0)):
            flags[f"F{number}{side}"] = (x, up * 0.5 * width, 0.0)
            flags[f"G{number}{side}"] = (x, up * GOAL_HALF_WIDTH, GOAL_HEIGHT)
    return flags


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
        """Take the side that the percepts show."""
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
