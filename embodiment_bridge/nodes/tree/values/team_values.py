# SPDX-License-Identifier: Apache-2.0
"""Values for conditions that a soccer player needs to take its part in a team. Without ROS."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import hypot
from typing import Final

from embodiment_bridge.bml.base.conditions import Value

LYING_M: Final = 0.4  # high: a player that seems lower lies, and does not count
FRESH_S: Final = 20.0  # s out of sight after which a player counts no more, if its place was not seen empty
NOBODY_M: Final = 1000.0  # m: so far away is the nearest player where none is seen
TOUCH_M: Final = 0.6  # from the ball: so near a player may have touched it
TAKEN_M: Final = 1.5  # from the ball, which may have rolled: so near is who has just taken a kick
SWING_S: Final = 1.5  # s from the first touch in which the taker of a kick goes on with it
ALONE_S: Final = 8.0  # s after which the taker of a kick may go to the ball again: a mate has not come
KEYS: Final = (
    "team.phase",
    "team.ball",
    "team.ball_x",
    "team.ball_y",
    "team.lead",
    "team.rival",
    "team.edge",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """Represents the ball or another player: where it is (m), its height, and how long ago it was seen (s).

    team: its name; empty for the ball.
    """

    id: str
    team: str
    x: float
    y: float
    height: float
    age_s: float


@dataclass(frozen=True, slots=True)
class Game:
    """Holds the play mode as the server names it, the own side (``left``, ``right`` or empty) and team name."""

    mode: str
    side: str
    team: str


def phase(mode: str, side: str) -> str:
    """Map a play mode to a phase for the team on ``side``; empty for an unknown one, or without a side.

    ``before`` kick-off, ``scored`` and ``conceded`` just now, ``ours`` and ``theirs``: who has the ball, ``play``,
    ``over``. RCSSServerMJ and rcssserver3d have names such as KickOff_Left, corner_kick_right, Goal_Left, PlayOn.
    """
    name = mode.lower().replace("_", "")
    fixed = {"beforekickoff": "before", "playon": "play", "gameover": "over"}.get(name)
    whose = next((one for one in ("left", "right") if name.endswith(one)), "")
    if fixed is not None or not (whose and side):
        return fixed or ""
    if name == f"goal{whose}":
        return "scored" if whose == side else "conceded"
    return "ours" if whose == side else "theirs"


class TeamValues:
    """Computes the values of one player. It remembers who took a kick: rules forbid a second touch."""

    def __init__(self) -> None:
        self._phase = ""
        self._taker: str | None = None  # id of a mate, empty: this player; None: anybody may touch the ball
        self._alone_s = 0.0

    def of(
        self, game: Game, place: tuple[float, float] | None, seen: Iterable[Seen], dt: float
    ) -> Mapping[str, Value]:
        """Return the values now, ``dt`` s after the last time; None is for what is not known.

        place: of this player (m), in the frame of what it has ``seen``.
        """
        now = phase(game.mode, game.side)
        values: dict[str, Value] = dict.fromkeys(KEYS)
        values["team.phase"] = now or None
        things = list(seen)
        ball = next((thing for thing in things if not thing.team), None)
        if ball is None or place is None:
            self._phase = now
            return values
        mine = hypot(ball.x - place[0], ball.y - place[1])
        away = {
            thing.id: (thing.team, hypot(ball.x - thing.x, ball.y - thing.y))
            for thing in things
            if thing.team and thing.height >= LYING_M and thing.age_s <= FRESH_S
        }
        mates = {id_: far for id_, (team, far) in away.items() if team == game.team}
        others = [far for team, far in away.values() if team != game.team]
        self._watch(now, mine, mates, others, dt)
        if self._taker == "" and self._alone_s > SWING_S:
            lead = -NOBODY_M
        else:
            lead = min((far for id_, far in mates.items() if id_ != self._taker), default=NOBODY_M) - mine
        values.update({"team.ball": mine, "team.ball_x": ball.x, "team.ball_y": ball.y, "team.lead": lead})
        values["team.rival"] = min(others, default=NOBODY_M) - mine
        values["team.edge"] = min(others, default=NOBODY_M) - min([mine, *mates.values()])
        return values

    def _watch(
        self, now: str, mine: float, mates: Mapping[str, float], others: Iterable[float], dt: float
    ) -> None:
        """Find out who took the kick, and remember that until somebody else comes to the ball."""
        if now != "play":
            self._taker = None
        elif self._phase == "ours":
            nearest = min(mates, key=lambda id_: mates[id_], default="")
            taker, far = (nearest, mates[nearest]) if nearest and mates[nearest] < mine else ("", mine)
            self._taker = taker if far < TAKEN_M else None  # None: the time for the kick was over
            self._alone_s = 0.0
        elif self._taker is not None:
            self._alone_s += dt
            rest = [far for id_, far in mates.items() if id_ != self._taker]
            touched = min([*others, *rest, *([mine] if self._taker else [])], default=NOBODY_M) < TOUCH_M
            if touched or self._alone_s > ALONE_S:
                self._taker = None
        self._phase = now
