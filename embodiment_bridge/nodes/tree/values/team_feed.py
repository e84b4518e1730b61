# SPDX-License-Identifier: Apache-2.0
"""The values of ``team_values`` from the topics of a soccer player, for the conditions of its documents."""

from collections.abc import Callable, Mapping
from typing import Final

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.msg import Entity, EntityArray, GameState
from embodiment_bridge.nodes.base.messages import Message, seconds
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.tree.values.team_values import Game, Seen, TeamValues

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
