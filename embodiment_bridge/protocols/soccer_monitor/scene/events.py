# SPDX-License-Identifier: Apache-2.0
"""The messages of a soccer server to its monitors, in the units of the wire: metres, seconds; kept as sent.

Numbers may be nan or inf when a simulation blows up. The world is x to the right team's goal, y left of that, z up.
"""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Matrix = tuple[float, ...]  # 16 values of a 4x4 matrix, column by column: the place is in 12, 13 and 14


@dataclass(frozen=True, slots=True)
class Foul:
    """``(foul index type team number)``, of rcssservermj without the index; team 1 is left, 2 right."""

    index: int | None
    type: int
    team: int
    number: int


@dataclass(frozen=True, slots=True)
class GameState:
    """``((time 0)(half 1)(score_left 0)(score_right 0)(play_mode 0))``; what did not change may be left out (None).

    ``play_mode`` is an index into ``Environment.play_modes``. ``pass_wait``: s until a goal may be shot after a pass.
    """

    time_s: float | None = None
    half: int | None = None
    play_mode: int | None = None
    score_left: int | None = None
    score_right: int | None = None
    team_left: str | None = None
    team_right: str | None = None
    pass_wait_left_s: float | None = None
    pass_wait_right_s: float | None = None
    fouls: tuple[Foul, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """``((FieldLength 30)..(play_modes BeforeKickOff ..))``: ``values`` by the names of the wire."""

    values: Mapping[str, float]
    play_modes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Detail:
    """All but the matrix of one node: ``(nd SMN (setVisible 1) (load StdUnitBox) (sSc 1 51 1) (sMat matGrey))``.

    None is what was not sent; a diff says only what changed. lights: diffuse, ambient and specular colour in a row.
    words: ``("ball",)`` or ``("agent", team, number)`` of a DSC node.
    """

    type: str = ""
    mesh: str | None = None
    parameters: tuple[float, ...] | None = None
    scale: tuple[float, ...] | None = None
    visible: bool | None = None
    transparent: bool | None = None
    materials: tuple[str, ...] | None = None
    color: tuple[float, ...] | None = None
    lights: tuple[float, ...] | None = None
    words: tuple[str, ...] | None = None


class Matrices:
    """Pairs of a node's number and its matrix, kept as two arrays, which numpy takes as they are.

    nodes: int64. values: 16 float64 for each node.
    """

    __slots__ = ("nodes", "values")

    def __init__(self, nodes: "array[int] | None" = None, values: "array[float] | None" = None) -> None:
        self.nodes = array("q") if nodes is None else nodes
        self.values = array("d") if values is None else values

    def add(self, node: int, matrix: Matrix) -> None:
        """One more."""
        self.nodes.append(node)
        self.values.extend(matrix)

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[tuple[int, Matrix]]:
        for index, node in enumerate(self.nodes):
            yield node, tuple(self.values[16 * index : 16 * index + 16])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrices):
            return NotImplemented
        return self.nodes == other.nodes and self.values == other.values

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene graph, whole (``full``) or as the changes of the last one: the same tree with most nodes empty.

    depths: of all nodes, each before its children; the roots have 0. matrices: of transforms, by the number of the
    node in ``depths``. details: of the nodes that say something else.
    """

    full: bool
    version: tuple[int, int]
    depths: tuple[int, ...]
    matrices: Matrices
    details: tuple[tuple[int, Detail], ...]


@dataclass(frozen=True, slots=True)
class MonitorState:
    """One message of the server; what it did not have is None. ``time_s``: of the simulation, where it is told."""

    offset: int
    time_s: float | None = None
    environment: Environment | None = None
    game: GameState | None = None
    scene: Scene | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """``(ack cookie)``: SimSpark's documents say that ``getAck`` is answered so; 0.3.2 never does."""

    offset: int
    cookie: str
