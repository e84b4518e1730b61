# SPDX-License-Identifier: Apache-2.0
"""Makes messages of the game, of the scene graph, and of the ball and players in it."""

import math
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector
from embodiment_bridge.msg import Entity, EntityArray, Foul, GameState, SceneNode, SoccerField
from embodiment_bridge.msg import SceneGraph as SceneGraphMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.soccer_monitor.model import GameRecord, ToldFoul
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail
from embodiment_bridge.protocols.soccer_monitor.scene.graph import (
    NO_DETAIL,
    Objects,
    Player,
    SceneGraph,
    poses,
)
from embodiment_bridge.protocols.soccer_monitor.scene.shapes import NAMES, FieldValues

# A whole scene graph as a message.

_KINDS: Final = {
    "TRF": SceneNode.TRANSFORM,
    "StaticMesh": SceneNode.MESH,
    "SMN": SceneNode.MESH,
    "Light": SceneNode.LIGHT,
    "DSC": SceneNode.OBJECT,
}


def scene_graph(graph: SceneGraph, server_time: float | None, stamp: Stamp, frame: str) -> SceneGraphMessage:
    """All nodes of a scene in ``frame``; ``server_time`` s."""
    return SceneGraphMessage(
        header=Header(stamp=stamp, frame_id=frame),
        server_time=math.nan if server_time is None else server_time,
        nodes=[_node(graph, index) for index in range(len(graph))],
    )


def _node(graph: SceneGraph, index: int) -> SceneNode:
    detail = graph.details.get(index, NO_DETAIL)
    matrix = graph.matrix(index)
    kind = SceneNode.TRANSFORM if matrix else _KINDS.get(detail.type, SceneNode.GROUP)
    node = SceneNode(
        kind=SceneNode.MESH if detail.mesh else kind,
        type=detail.type or ("TRF" if matrix else "BN"),
        parent=graph.parents[index],
        matrix=array("d", matrix),
        visible=detail.visible is not False,
        transparent=bool(detail.transparent),
    )
    if detail is not NO_DETAIL:
        _describe(node, detail)
    return node


def _describe(node: SceneNode, detail: Detail) -> None:
    node.mesh = detail.mesh or ""
    node.parameters = array("d", detail.parameters or ())
    node.scale.x, node.scale.y, node.scale.z = detail.scale or (1.0, 1.0, 1.0)
    node.materials = list(detail.materials or ())
    node.colors = [_float32(value) for value in detail.color or detail.lights or ()]
    node.words = list(detail.words or ())


def _float32(value: float) -> float:
    """A colour within what a float32 can hold; nan stays."""
    return value if math.isnan(value) else max(-3.4e38, min(value, 3.4e38))


# Field, rules and state of a game as messages.

INT32: Final = 2**31 - 1


def soccer_field(field: FieldValues, play_modes: tuple[str, ...], stamp: Stamp, frame: str) -> SoccerField:
    """Field and rules; nan for what was not told."""
    message = SoccerField(header=Header(stamp=stamp, frame_id=frame), play_modes=list(play_modes))
    for name in set(NAMES.values()):
        setattr(message, name, field.values.get(name, math.nan))
    return message


def game_state(game: GameRecord, stamp: Stamp) -> GameState:
    """The state of the game; unknown values are 0 or empty."""
    state = game.state
    return GameState(
        header=Header(stamp=stamp),
        play_time=state.time_s if state.time_s is not None else 0.0,
        play_mode=game.play_mode,
        team_left=game.team("left"),
        team_right=game.team("right"),
        score_left=int32(state.score_left or 0),
        score_right=int32(state.score_right or 0),
        half=min(max(state.half or 0, 0), 255),
    )


def news(game: GameRecord) -> tuple[object, ...]:
    """Return what makes a message of the game news: a change of anything but the clocks, or a second of play."""
    state = game.state
    second = math.floor(state.time_s) if state.time_s is not None and math.isfinite(state.time_s) else None
    shown = (state.half, game.play_mode, state.score_left, state.score_right)
    return (*shown, game.team("left"), game.team("right"), second)


def foul(told: ToldFoul, stamp: Stamp) -> Foul:
    """One foul."""
    return Foul(
        header=Header(stamp=stamp),
        index=-1 if told.index is None else int32(told.index),
        type=int32(told.type),
        name=told.name,
        side=told.side,
        team=told.team,
        number=int32(told.number),
    )


def int32(value: int) -> int:
    """The nearest number of 32 bits."""
    return max(-INT32 - 1, min(value, INT32))


# What looks along y, with x to the right, as what looks along x (REP-103): new x = y, new y = -x.
TURN_FORWARD: Final = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
KEPT: Final = 200  # messages of things; a game has 23
PLAYER_SIZE: Final = (0.3, 0.3, 0.6)  # m; used where the server does not tell a radius
_WORD: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Thing:
    """Something in the world with a finite place, m, unit quaternion; sizes m, 0 where unknown.

    name: the same for the same thing each time, good for topics and frames.
    """

    name: str
    kind: str
    position: Vector
    orientation: Quaternion
    size: Vector
    properties: tuple[tuple[str, str], ...] = ()


class Things:
    """Finds where the known objects of a scene are. Whatever is nowhere (nan) is left out."""

    def __init__(self, game: GameRecord) -> None:
        self._game = game

    def look(self, graph: SceneGraph, objects: Objects, ball_radius: float) -> list[Thing]:
        """The ball, which has no orientation that counts, and the players."""
        nodes = [player.node for player in objects.players]
        if objects.ball is not None:
            nodes.append(objects.ball)
        if not nodes:
            return []
        worlds = graph.worlds()[nodes]
        turned = [index for index, player in enumerate(objects.players) if player.forward_y]
        with np.errstate(all="ignore"):
            worlds[turned, :3, :3] = TURN_FORWARD @ worlds[turned, :3, :3]
        places, turns = poses(worlds)
        rows = np.hstack([places, turns]).tolist()
        things = []
        if objects.ball is not None:
            things.append(_ball(rows.pop(), ball_radius))
        things += [self._player(player, row) for player, row in zip(objects.players, rows, strict=True)]
        return [thing for thing in things if math.isfinite(sum(thing.position) + sum(thing.orientation))]

    def _player(self, player: Player, row: list[float]) -> Thing:
        team = player.team or self._game.team(player.side)
        side = player.side or self._game.side(player.team)
        number = str(player.number)
        properties = (("team", team or side), ("number", number), ("side", side))
        return Thing(
            player_name(side, team, number), "player", _xyz(row), _turn(row), PLAYER_SIZE, properties
        )


def player_name(side: str, team: str, number: str) -> str:
    """``left_1``; where the side is not known the team's name with all else than letters and digits as ``_``."""
    return f"{side or 'team_' + (_WORD.sub('_', team).strip('_') or 'x')}_{number}"


class ObjectMessages:
    """Makes messages of things in ``frame``.

    To fill in a message takes a third of the time of building one, and 22 players have many, so each thing has one that
    is filled in again: a message is good until the next one is made. (A publisher has serialised it by then.)
    """

    def __init__(self, frame: str) -> None:
        self._frame = frame
        self._entities: dict[tuple[object, ...], Entity] = {}
        self._poses: dict[str, PoseStamped] = {}

    def entities(self, things: Iterable[Thing], stamp: Stamp) -> EntityArray:
        """All that has a place, as brains take it."""
        array = EntityArray()
        array.header.stamp = stamp
        array.header.frame_id = self._frame
        array.entities = [self._entity(thing, stamp) for thing in things]
        return array

    def pose(self, thing: Thing, stamp: Stamp) -> PoseStamped:
        """Return the pose of one thing."""
        message = self._poses.get(thing.name)
        if message is None:
            if len(self._poses) >= KEPT:
                self._poses.clear()
            message = self._poses[thing.name] = PoseStamped()
            message.header.frame_id = self._frame
        message.header.stamp = stamp
        _fill_in(message.pose, thing)
        return message

    def _entity(self, thing: Thing, stamp: Stamp) -> Entity:
        key = (thing.name, thing.size, thing.properties)
        message = self._entities.get(key)
        if message is None:
            if len(self._entities) >= KEPT:
                self._entities.clear()
            message = self._entities[key] = _build(thing)
        message.seen = stamp
        _fill_in(message.pose, thing)
        return message


def _build(thing: Thing) -> Entity:
    name = thing.name if thing.kind == "ball" else f"player_{thing.name}"
    message = Entity(id=name, kind=thing.kind, visible=True)
    message.size.x, message.size.y, message.size.z = thing.size
    message.properties = [KeyValue(key=key, value=value) for key, value in thing.properties]
    return message


def _fill_in(message: Any, thing: Thing) -> None:
    place, turn = message.position, message.orientation
    place.x, place.y, place.z = thing.position
    turn.x, turn.y, turn.z, turn.w = thing.orientation


def _ball(row: list[float], radius: float) -> Thing:
    size = 0.0 if math.isnan(radius) else 2.0 * radius
    return Thing("ball", "ball", _xyz(row), IDENTITY, (size, size, size))


def _xyz(row: list[float]) -> Vector:
    return row[0], row[1], row[2]


def _turn(row: list[float]) -> Quaternion:
    return row[3], row[4], row[5], row[6]
