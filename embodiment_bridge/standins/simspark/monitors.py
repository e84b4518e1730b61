# SPDX-License-Identifier: Apache-2.0
"""The monitor port of the stand-in, and the scene graph that it sends, as rcssserver3d 0.7.3 does."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from typing_extensions import override

from embodiment_bridge.standins.simspark.agents import Conversation, Faults, Recorded
from embodiment_bridge.standins.simspark.anatomy import IDENTITY, Matrix, Pose, Vector
from embodiment_bridge.standins.simspark.orders import Trainer
from embodiment_bridge.standins.simspark.player import Player
from embodiment_bridge.standins.simspark.world import (
    AGENT_RADIUS,
    BALL_RADIUS,
    FIELD_LENGTH,
    FIELD_WIDTH,
    GOAL_WIDTH,
    HALF_TIME_S,
    PLAY_MODES,
    World,
)

# The scene graph for monitors, complete or changes only, written as rcssserver3d 0.7.3 does.

THRESHOLD: Final = 0.005  # smaller changes of a matrix are not sent
ORIGIN: Final[Vector] = (0.0, 0.0, 0.0)
LYING: Final[Matrix] = ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))  # meshes have y up
GOAL_HEIGHT: Final = 0.8
LIGHT: Final = "(nd Light (setDiffuse 1 1 1 1) (setAmbient 0.8 0.8 0.8 1) (setSpecular 0.1 0.1 0.1 1))"
SPHERES: Final = ("shoulder", "elbow", "hip1", "hip2", "ankle")  # parts without meshes
SIZES: Final = {"upperarm": 0.07, "lowerarm": 0.05, "thigh": 0.07, "shank": 0.08, "foot": 0.08}


@dataclass(slots=True)
class Item:
    """One node: a transform, with ``pose`` and ``inside``, or a leaf with ``text`` and perhaps ``visible``."""

    pose: Pose | None = None
    inside: "list[Item]" = field(default_factory=list)
    text: str = ""
    kind: str = ""
    visible: bool = True


class SceneWriter:
    """Writes the scene for one monitor, and remembers what was sent."""

    def __init__(self) -> None:
        self._told: list[tuple[float, ...]] = []
        self._visible: list[bool | None] = []

    def full(self, world: World, selected: Player | None) -> str:
        """The whole graph, with its header."""
        self._told, self._visible = [], []
        return "(RSG 0 1)(" + "".join(self._whole(item) for item in scene(world, selected)) + ")"

    def changes(self, world: World, selected: Player | None) -> str:
        """The same tree with its header, with content only for what has moved since it was sent."""
        places, meshes = iter(range(len(self._told))), iter(range(len(self._visible)))
        nodes = (self._changed(item, places, meshes) for item in scene(world, selected))
        return "(RDS 0 1)(" + "".join(nodes) + ")"

    def _whole(self, item: Item) -> str:
        if item.pose is None:
            if item.kind:
                self._visible.append(None)  # the first change sends it once more
            return item.text.replace("VISIBLE", str(int(item.visible)))
        values = _values(item.pose)
        self._told.append(values)
        return f"(nd TRF {_slt(values)}" + "".join(self._whole(inner) for inner in item.inside) + ")"

    def _changed(self, item: Item, places: Iterator[int], meshes: Iterator[int]) -> str:
        if item.pose is None:
            if not item.kind:
                return "(nd)"
            at = next(meshes)
            told, self._visible[at] = self._visible[at], item.visible
            said = f" (setVisible {int(item.visible)})" if told is not item.visible else ""
            return f"(nd {item.kind}{said})"
        at = next(places)
        values = _values(item.pose)
        moved = any(abs(new - old) > THRESHOLD for new, old in zip(values, self._told[at], strict=True))
        text = f" {_slt(values)}" if moved else ""
        if moved:
            self._told[at] = values
        return f"(nd{text}" + "".join(self._changed(inner, places, meshes) for inner in item.inside) + ")"


def scene(world: World, selected: Player | None) -> list[Item]:
    """Lights, field, goals, walls, flags, the ball, and each player as a flat list of its parts."""
    half_x, half_y = FIELD_LENGTH / 2, FIELD_WIDTH / 2
    items = [_at((x, -x, 10.0), [Item(text=LIGHT)]) for x in (-10.0, 10.0)]
    items.append(_at(ORIGIN, [_mesh("naosoccerfield", 2.5, "None_rcs-naofield.png")], LYING))
    items.append(_at(ORIGIN, [_mesh("skybox", 10.0, "Material_skyrender_0001.tif")], LYING))
    for side, x, color in (("left", -half_x - 0.3, "yellow"), ("right", half_x + 0.3, "sky-blue")):
        inside = [
            _at((0.3, 0.0, -0.5 * GOAL_HEIGHT), [_mesh(f"{side}soccergoal", 1.0, f"naogoalnet {color}")])
        ]
        turn = IDENTITY if side == "left" else ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
        items.append(_at((x, 0.0, 0.5 * GOAL_HEIGHT), inside, turn))
    for x, y, sx, sy in ((-25, 0, 1, 51), (25, 0, 1, 51), (0, 25, 51, 1), (0, -25, 51, 1)):
        items.append(_at((x, y, 0.0), [_solid("StdUnitBox", f"{sx} {sy} 1", "matGrey")]))
    items += [_at((x, y, 0.0), []) for x in (-half_x, half_x) for y in (half_y, -half_y)]
    items.append(_at(world.ball.place, [_mesh("soccerball", 0.042, "soccerball_rcs-soccerball.png")]))
    items += [_robot(player, player is selected) for player in world.players]
    return items


def _robot(player: Player, selected: bool) -> Item:
    team = {"left": "matLeft", "right": "matRight"}.get(player.side, "matTeam")
    number = f"matNum{player.number}" if player.side else "matNum"
    kind = player.robot.name.removeprefix("nao") or "0"
    type_name = "" if kind == "4" else f" matType{kind}"
    parts = []
    for name, pose in player.parts_in_world().items():
        limb, side = name[1:], name[0]
        if name == "torso":
            body = _mesh(f"naobody{kind}", 0.1, f"{number} {team}{type_name} naowhite")
            mark = _solid("StdUnitCylinder 1 1", "0.2 0.2 0.02", "matSelect", "(setTransparent) ")
            mark.visible = selected
            inside = [_at(ORIGIN, [body], LYING), _at(ORIGIN, [mark])]
        elif name == "neck":
            inside = [_solid("StdCapsule 0.015 0.08", "1 1 1", "matDarkGrey")]
        elif name == "head":
            inside = [_at(ORIGIN, [_mesh("naohead", 0.1, f"{team} naoblack naogrey naowhite")], LYING)]
        elif limb in SPHERES:
            inside = [_solid("StdUnitSphere", "0.01 0.01 0.01", "matRed" if limb == "ankle" else "matYellow")]
        else:
            typed = limb in ("upperarm", "shank")
            file = f"{side}{limb}{kind if typed else ''}"
            materials = f"{team}{type_name} naowhite" if typed else f"{team} naowhite"
            inside = [_mesh(file, SIZES[limb], f"{number} {materials}" if name == "rthigh" else materials)]
        parts.append(Item(pose, inside))
    return _at(ORIGIN, parts)


def _at(place: Vector, inside: list[Item], turn: Matrix = IDENTITY) -> Item:
    return Item(Pose(place, turn), inside)


def _mesh(name: str, scale: float, materials: str) -> Item:
    text = (
        f"(nd StaticMesh (setVisible VISIBLE) (load models/{name}.obj) (sSc {scale:g} {scale:g} {scale:g})"
        f"(resetMaterials {materials}))"
    )
    return Item(text=text, kind="StaticMesh")


def _solid(name: str, scale: str, material: str, more: str = "") -> Item:
    text = f"(nd SMN (setVisible VISIBLE) {more}(load {name}) (sSc {scale}) (sMat {material}))"
    return Item(text=text, kind="SMN")


def _values(pose: Pose) -> tuple[float, ...]:
    (a, b, c), (d, e, f), (g, h, i) = pose.turn
    return (a, d, g, 0.0, b, e, h, 0.0, c, f, i, 0.0, *pose.place, 1.0)


def _slt(values: tuple[float, ...]) -> str:
    return "(SLT " + " ".join([f"{value:g}" for value in values]) + ")"


STEP: Final = 2  # cycles of the world for one message: 25 a second
ENVIRONMENT: Final = (
    f"(FieldLength {FIELD_LENGTH:g})(FieldWidth {FIELD_WIDTH:g})(FieldHeight 40)(GoalWidth {GOAL_WIDTH:g})"
    f"(GoalDepth 0.6)(GoalHeight 0.8)(BorderSize 0)(FreeKickDistance 2)(WaitBeforeKickOff 30)"
    f"(AgentRadius {AGENT_RADIUS:g})(BallRadius {BALL_RADIUS:g})(BallMass 0.026)(RuleGoalPauseTime 3)"
    f"(RuleKickInPauseTime 1)(RuleHalfTime {HALF_TIME_S:g})(PassModeMinOppBallDist 1)(PassModeDuration 4)"
    f"(play_modes {' '.join(PLAY_MODES)})"
)


class RecordedMonitor(Recorded):
    """A recorded monitor stream, at its own rate."""

    _cycle = 0

    @override
    def message(self) -> str:
        self._cycle += 1
        return "" if self._cycle % STEP else super().message()


class MonitorConversation(Conversation):
    """Sends a monitor everything at first and when objects come or go, else changes. Monitors are trainers."""

    def __init__(self, world: World, trainer: Trainer, faults: Faults, random: Random) -> None:
        self._world = world
        self._trainer = trainer
        self._faults = faults
        self._random = random
        self._writer = SceneWriter()
        self._version = -1
        self._told: dict[str, str] = {}

    @override
    def hear(self, payload: bytes) -> None:
        self._trainer.obey(payload)

    @override
    def message(self) -> str:
        world, selected = self._world, self._trainer.selected
        if world.cycle % STEP:
            return ""
        game = self._game()
        if world.scene_version != self._version:
            self._version = world.scene_version
            lists = ENVIRONMENT + "".join(game.values())
            text = f"({lists}){self._writer.full(world, selected)}"
        else:
            changed = [item for name, item in game.items() if name == "time" or self._told.get(name) != item]
            text = f"({''.join(changed)}){self._writer.changes(world, selected)}"
        self._told = game
        return self._faults.spoil(text, self._random)

    def _game(self) -> dict[str, str]:
        game = self._world.game
        items = {"time": f"(time {game.time:g})"}
        items |= {f"team_{side}": f"(team_{side} {name})" for side, name in sorted(game.teams.items())}
        items["half"] = f"(half {game.half})"
        items |= {f"score_{side}": f"(score_{side} {goals})" for side, goals in game.scores.items()}
        items["play_mode"] = f"(play_mode {PLAY_MODES.index(game.play_mode)})"
        return items
