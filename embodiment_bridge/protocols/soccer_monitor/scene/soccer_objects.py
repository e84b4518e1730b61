# SPDX-License-Identifier: Apache-2.0
"""Who is who in the scene of a soccer server: the ball and the players."""

import re
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail
from embodiment_bridge.protocols.soccer_monitor.scene.graph import SceneGraph

BALL_MESH: Final = "soccerball"
SIDES: Final = {"matLeft": "left", "matRight": "right"}
MAX_PLAYERS: Final = 64  # of a scene; a game has 22
MAX_NUMBER: Final = 999
_NUMBER: Final = re.compile(r"matNum([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Player:
    """A robot in the scene.

    side: left or right; empty where only the team is told. team: name; empty where only the side is told. node: the
    transform of the torso. group: the node that holds all of the robot. forward_y: the torso looks along its y, with
    x to the right, not along its x.
    """

    side: str
    team: str
    number: int
    node: int
    group: int
    forward_y: bool


@dataclass(frozen=True, slots=True)
class Objects:
    """What is known in a scene; ``ball`` is its transform, and None where there is none."""

    ball: int | None
    players: tuple[Player, ...]


def find_objects(graph: SceneGraph) -> Objects:
    """The ball and the players of a scene; each player once.

    rcssservermj says it in DSC nodes. rcssserver3d does not: a player is told by its materials, matNum1 and matLeft,
    of which its torso is the first, and the ball by its mesh. A robot that has joined no team yet is no player.
    """
    ball: int | None = None
    players: dict[tuple[str, str, int], Player] = {}
    for index, detail in sorted(graph.details.items()):
        if ball is None:
            ball = _ball(graph, index, detail)
        player = _told_player(graph, index, detail) or _player_by_material(graph, index, detail)
        if player:
            players.setdefault((player.side, player.team, player.number), player)
        if len(players) == MAX_PLAYERS:
            break
    return Objects(ball, tuple(players.values()))


def _ball(graph: SceneGraph, index: int, detail: Detail) -> int | None:
    if detail.words and detail.words[0] == "ball":
        return _first_transform(graph, index)
    if detail.mesh and BALL_MESH in detail.mesh:
        above = graph.transforms_above(index)
        return above[-1] if above else None
    return None


def _told_player(graph: SceneGraph, index: int, detail: Detail) -> Player | None:
    """``(nd DSC(agent teamBlue 1)(nd TRF ..``; a team name with blanks is several words."""
    if not detail.words or detail.words[0] != "agent" or len(detail.words) < 3:
        return None
    *team, number = detail.words[1:]
    node = _first_transform(graph, index)
    if node is None or not number.isascii() or not number.isdigit() or len(number) > 3:
        return None
    return Player("", " ".join(team), int(number), node, index, forward_y=False)


def _player_by_material(graph: SceneGraph, index: int, detail: Detail) -> Player | None:
    materials = detail.materials or ()
    number = next((match[1] for name in materials if (match := _NUMBER.fullmatch(name))), "")
    side = next((SIDES[name] for name in materials if name in SIDES), "")
    if not number or not side:
        return None
    above = graph.transforms_above(index)
    if not above:
        return None
    torso = above[min(1, len(above) - 1)]  # below the transform of the whole robot
    return Player(side, "", int(number), torso, above[0], forward_y=True)


def _first_transform(graph: SceneGraph, index: int) -> int | None:
    return next((node for node in graph.below(index) if graph.has_matrix(node)), None)
