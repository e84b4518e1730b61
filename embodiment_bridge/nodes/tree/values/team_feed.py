# SPDX-License-Identifier: Apache-2.0
"""Makes the values that a soccer player needs to take its part in a team, for conditions, from its topics."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import hypot
from typing import Final

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.msg import Entity, EntityArray, GameState
from embodiment_bridge.nodes.base.messages import Message, seconds
from embodiment_bridge.nodes.base.qos import profile

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
    """The ball or another player: where it is (m), how high it is, and how long ago it was seen (s).

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
    """The play mode as the server calls it, the own side (``left``, ``right`` or empty) and the own team's name."""

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
    """The values of one player. It remembers who took a kick: the rules forbid that player a second touch."""

    def __init__(self) -> None:
        self._phase = ""
        self._taker: str | None = None  # id of a mate, empty: this player; None: anybody may touch the ball
        self._alone_s = 0.0

    def of(
        self, game: Game, place: tuple[float, float] | None, seen: Iterable[Seen], dt: float
    ) -> Mapping[str, Value]:
        """The values now, ``dt`` s after the last time; None is for what is not known.

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
            self._taker = taker if far < TAKEN_M else None  # else the time for the kick was over
            self._alone_s = 0.0
        elif self._taker is not None:
            self._alone_s += dt
            rest = [far for id_, far in mates.items() if id_ != self._taker]
            touched = min([*others, *rest, *([mine] if self._taker else [])], default=NOBODY_M) < TOUCH_M
            if touched or self._alone_s > ALONE_S:
                self._taker = None
        self._phase = now


EVERY_S: Final = 0.1  # so often the values are made anew, as entities come 25 times a second
PARAMETERS: Final = (
    Parameter(
        "team_values",
        False,
        "Whether conditions know the part of a soccer player in its team: team.phase, team.ball, team.lead, ...",
    ),
)


class TeamFeed:
    """Listens to `pose`, `entities` and `game_state`; messages wait as bytes until the values are asked for.

    now: the node's time in s. wanted: whether anybody wants the values.
    """

    def __init__(self, node: Node, now: Callable[[], float], *, wanted: bool) -> None:
        self._node, self._now = node, now
        self._latest: dict[str, bytes] = {}
        self._values = TeamValues()
        self._known: Mapping[str, Value] = {}
        self._made_s = 0.0
        topics: Mapping[str, tuple[type[Message], str]] = {
            "pose": (PoseStamped, "sensor"),
            "entities": (EntityArray, "sensor"),
            "game_state": (GameState, "latched"),
        }
        self._kinds = {name: kind for name, (kind, _) in topics.items()}
        self._subscriptions = [
            node.create_subscription(kind, name, self._keeper(name), profile(role), raw=True)
            for name, (kind, role) in (topics.items() if wanted else ())
        ]

    def values(self) -> Mapping[str, Value]:
        """Return the present values; empty where they are not wanted."""
        gap = abs(self._now() - self._made_s)  # a simulated clock may begin again
        if self._subscriptions and gap >= EVERY_S:
            self._known = self._make(min(gap, 1.0))
            self._made_s = self._now()
        return self._known

    def _keeper(self, name: str) -> Callable[[bytes], None]:
        def keep(data: bytes) -> None:
            self._latest[name] = data

        return keep

    def _make(self, dt: float) -> Mapping[str, Value]:
        found = {name: deserialize_message(data, self._kinds[name]) for name, data in self._latest.items()}
        pose, entities, game = (found.get(name) for name in ("pose", "entities", "game_state"))
        place = None if pose is None else (pose.pose.position.x, pose.pose.position.y)
        seen = [] if entities is None else _seen(entities)
        return self._values.of(_game(game), place, seen, dt)


def _game(message: GameState | None) -> Game:
    if message is None:
        return Game("", "", "")
    own = {"left": message.team_left, "right": message.team_right}.get(message.own_side, "")
    return Game(message.play_mode, message.own_side, own)


def _seen(message: EntityArray) -> list[Seen]:
    """Return the ball and the players."""
    now = seconds(message.header.stamp)
    return [
        Seen(
            entity.id,
            _property(entity, "team"),
            entity.pose.position.x,
            entity.pose.position.y,
            entity.size.z,
            now - seconds(entity.seen),
        )
        for entity in message.entities
        if entity.kind in ("ball", "player")
    ]


def _property(entity: Entity, key: str) -> str:
    return next((item.value for item in entity.properties if item.key == key), "")
