# SPDX-License-Identifier: Apache-2.0
"""Keeps the scene of a soccer server up to date: places, orientations, and who is who among its objects."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Scene

Array = Any


def poses(worlds: Array) -> tuple[Array, Array]:
    """Take the (n, 3) places, m, and (n, 4) unit quaternions x, y, z, w out of (n, 4, 4) transposed matrices.

    The scale of a matrix is taken out. One that is not finite, or has no orientation, gives nan.
    """
    places = worlds[:, 3, :3]
    with np.errstate(all="ignore"):
        axes = worlds[:, :3, :3] / np.linalg.norm(worlds[:, :3, :3], axis=2, keepdims=True)
        turn = np.swapaxes(axes, 1, 2)  # columns are the axes
        turn = np.where((np.linalg.det(turn) < 0.0)[:, None, None], -turn, turn)  # a mirrored one, turned
        return places, _quaternions(turn)


def _quaternions(turn: Array) -> Array:
    """Shepperd's way: of the four parts the largest is found first, so that no division is by little."""
    xx, yy, zz = turn[:, 0, 0], turn[:, 1, 1], turn[:, 2, 2]
    squares = np.stack([1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], axis=1)
    xy, xz, yz = turn[:, 1, 0] + turn[:, 0, 1], turn[:, 0, 2] + turn[:, 2, 0], turn[:, 2, 1] + turn[:, 1, 2]
    wx, wy, wz = turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]
    x2, y2, z2, w2 = squares.T
    rows = np.stack(
        [
            np.stack([x2, xy, xz, wx], axis=1),
            np.stack([xy, y2, yz, wy], axis=1),
            np.stack([xz, yz, z2, wz], axis=1),
            np.stack([wx, wy, wz, w2], axis=1),
        ],
        axis=1,
    )
    best = rows[np.arange(len(turn)), np.argmax(squares, axis=1)]
    return best / np.linalg.norm(best, axis=1, keepdims=True)


IDENTITY: Final = np.eye(4)
_DETAIL_FIELDS: Final = tuple(field.name for field in fields(Detail))
NO_DETAIL: Final = Detail()


class SceneGraph:
    """A tree of transforms with things to see below them.

    depths, parents: of all nodes, each before its children; a root has depth 0 and parent -1. details: of the nodes
    that are no plain transform, by the number of the node. structure: another number whenever something else
    than places has changed.
    """

    def __init__(self) -> None:
        self.depths: tuple[int, ...] = ()
        self.parents: list[int] = []
        self.details: dict[int, Detail] = {}
        self.structure = 0
        self._local: Array = np.empty((0, 4, 4))  # transposed: rows are the columns of the wire
        self._placed: Array = np.empty(0, dtype=bool)
        self._levels: list[tuple[Array, Array]] = []
        self._worlds: Array | None = None
        self._changed: dict[int, Detail] = {}  # the last change of each node's detail

    def __len__(self) -> int:
        return len(self.depths)

    def apply(self, scene: Scene) -> bool:
        """Take in a whole graph, or the changes of this one.

        Returns:
            whether it fits. Changes of a tree of another shape do not, and nothing of them is taken: a server that
            drops messages for slow readers may have dropped a whole graph, and has to be asked for another.
        """
        if scene.full:
            self._replace(scene)
        elif scene.depths != self.depths:
            return False
        else:
            self._change(scene)
        return True

    def worlds(self) -> Array:
        """(n, 4, 4): for each node the place of what is in it, in the world, m; valid until the next change.

        Transposed, as the wire has it: ``[i, 0:3, 0:3]`` are the axes of node i in the world, ``[i, 3, 0:3]`` its
        origin. What is below a transform that is not finite is not finite.
        """
        if self._worlds is None:
            worlds = self._local.copy()
            with np.errstate(all="ignore"):
                for nodes, parents in self._levels:
                    worlds[nodes] = worlds[nodes] @ worlds[parents]
            self._worlds = worlds
        return self._worlds

    def matrix(self, node: int) -> tuple[float, ...]:
        """The node's own matrix as the wire has it: 16 values, column by column; none for what has no matrix."""
        return tuple(self._local[node].ravel().tolist()) if self._placed[node] else ()

    def has_matrix(self, node: int) -> bool:
        """Whether the node places what is in it."""
        return bool(self._placed[node])

    def path(self, node: int) -> list[int]:
        """The nodes from the root to ``node``, which is the last."""
        found = []
        while node >= 0:
            found.append(node)
            node = self.parents[node]
        return found[::-1]

    def transforms_above(self, node: int) -> list[int]:
        """The nodes of ``path`` that have a matrix."""
        return [index for index in self.path(node) if self._placed[index]]

    def below(self, node: int) -> Iterator[int]:
        """All nodes in ``node``."""
        depth = self.depths[node]
        for index in range(node + 1, len(self.depths)):
            if self.depths[index] <= depth:
                return
            yield index

    def _replace(self, scene: Scene) -> None:
        details = dict(scene.details)
        placed = np.zeros(len(scene.depths), dtype=bool)
        placed[scene.matrices.nodes] = True
        same = scene.depths == self.depths and np.array_equal(placed, self._placed)
        if not same:
            self.depths = scene.depths
            self.parents = _parents(scene.depths)
            self._placed = placed
            self._levels = _levels(scene.depths, self.parents)
        if not same or details != self.details:
            self.structure += 1
        self.details = details
        self._changed = {}
        self._local = np.tile(IDENTITY, (len(scene.depths), 1, 1))
        self._move(scene)

    def _change(self, scene: Scene) -> None:
        self._move(scene)
        changed = self._changed
        for index, change in scene.details:
            if changed.get(index) is change:  # most meshes say the same each time, by the same object
                continue
            changed[index] = change
            old = self.details.get(index, NO_DETAIL)
            new = _merged(old, change)
            if new != old:
                self.details[index] = new
                self.structure += 1

    def _move(self, scene: Scene) -> None:
        if scene.matrices:
            nodes = np.frombuffer(scene.matrices.nodes, np.int64)
            self._local[nodes] = np.frombuffer(scene.matrices.values).reshape(-1, 4, 4)
            self._placed[nodes] = True
            self._worlds = None
        elif scene.full:
            self._worlds = None


def _merged(old: Detail, change: Detail) -> Detail:
    """``old`` with all that ``change`` says; a diff repeats the type or leaves it out."""
    said = {name: value for name in _DETAIL_FIELDS if (value := getattr(change, name)) not in (None, "")}
    if all(getattr(old, name) == value for name, value in said.items()):
        return old
    return replace(old, **said)


def _parents(depths: tuple[int, ...]) -> list[int]:
    above: list[int] = []  # the last node of each depth
    parents = []
    for index, depth in enumerate(depths):
        parents.append(above[depth - 1] if depth else -1)
        del above[depth:]
        above.append(index)
    return parents


def _levels(depths: tuple[int, ...], parents: list[int]) -> list[tuple[Array, Array]]:
    """The nodes of each depth below the roots, and their parents."""
    by_depth: dict[int, list[int]] = {}
    for index, depth in enumerate(depths):
        if depth:
            by_depth.setdefault(depth, []).append(index)
    return [
        (np.array(nodes), np.array([parents[node] for node in nodes]))
        for _, nodes in sorted(by_depth.items())
    ]


BALL_MESH: Final = "soccerball"
SIDES: Final = {"matLeft": "left", "matRight": "right"}
MAX_PLAYERS: Final = 64  # of a scene; a game has 22
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
    """Names the known objects of a scene; ``ball`` is its transform, and None where there is none."""

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
