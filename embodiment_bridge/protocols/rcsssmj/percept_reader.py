# SPDX-License-Identifier: Apache-2.0
"""Describes the lists of RCSSServerMJ's percepts as rows, and reads them in the dialect of the server.

In a simulation in this process the percept is made of perceptions of the simulator's own classes
(``rcsssmj.sim.perceptions`` of 0.2.1). Their values are those that the server writes, which cuts them before it makes
these objects. They are told apart by the names of their classes, so nothing of the simulator is imported here.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj.events import (
    GameState,
    Heard,
    Joints,
    Microphone,
    Orientation,
    Percept,
    Position,
    ServerError,
    Sync,
    Vision,
)
from embodiment_bridge.protocols.rcsssmj.field import LETTERS, NAMES
from embodiment_bridge.protocols.soccer import codec
from embodiment_bridge.protocols.soccer.codec import PerceptFields
from embodiment_bridge.protocols.soccer.list_fields import NUMBER, TEXT, WHOLE, Fields, UnknownListError
from embodiment_bridge.protocols.soccer.percepts import (
    ACCELEROMETER,
    AGENT,
    BALL,
    GYRO,
    NAME,
    PLAYER,
    POINT,
    TOUCH,
    Accelerometer,
    AgentDetection,
    Gyro,
    PointDetection,
    Touch,
)
from embodiment_bridge.protocols.soccer.wire_table import BASE64, Form, Row, Value
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.sexpr import Node


def percept_of(perceptions: Iterable[Any]) -> Percept:
    """One percept of all perceptions of a cycle; those of classes that are not known are left out."""
    fields: dict[str, Any] = {}
    for perception in perceptions:
        kind = type(perception).__name__
        if kind in _ONE:
            name, read = _ONE[kind]
            fields[name] = read(perception)
        elif kind == "MicrophonePerception":
            fields["microphones"] = (*fields.get("microphones", ()), _microphone(perception))
        elif kind in _SENSORS:
            name, made, values = _SENSORS[kind]
            sensor = made(perception.name, *_floats(getattr(perception, value) for value in values))
            fields[name] = (*fields.get(name, ()), sensor)
    return Percept(0, **fields)


def _game_state(p: Any) -> GameState:
    return GameState(
        float(p.play_time), p.play_mode, p.team_left, p.team_right, int(p.score_left), int(p.score_right)
    )


def _microphone(p: Any) -> Microphone:
    said = zip(_floats(p.azimuths), p.messages, strict=True)
    return Microphone(p.name, tuple(Heard(azimuth, bytes(message)) for azimuth, message in said))


def _simulated_vision(p: Any) -> Vision:
    points: list[PointDetection] = []
    agents: list[AgentDetection] = []
    for seen in p.obj_detections:
        if hasattr(seen, "body_detections"):
            body = tuple(map(_simulated_point, seen.body_detections))
            agents.append(AgentDetection(seen.team_name, int(seen.player_no), body))
        else:
            points.append(_simulated_point(seen))
    return Vision(tuple(points), tuple(agents))


def _simulated_point(p: Any) -> PointDetection:
    return PointDetection(p.name, *_floats((p.distance, p.azimuth, p.inclination)))


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(map(float, values))


_ONE: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "TimePerception": ("time_s", lambda p: float(p.time)),
    "GameStatePerception": ("game_state", _game_state),
    "JointStatePerception": (
        "joints",
        lambda p: Joints(tuple(p.joint_names), _floats(p.joint_axs), _floats(p.joint_vxs)),
    ),
    "VisionPerception": ("vision", _simulated_vision),
}
_SENSORS: Final[Mapping[str, tuple[str, Callable[..., Any], tuple[str, ...]]]] = {
    "OrientationPerception": ("orientations", Orientation, ("qw", "qx", "qy", "qz")),
    "PositionPerception": ("positions", Position, ("x", "y", "z")),
    "GyroPerception": ("gyros", Gyro, ("rx", "ry", "rz")),
    "AccelerometerPerception": ("accelerometers", Accelerometer, ("ax", "ay", "az")),
    "TouchPerception": ("touches", lambda name, active: Touch(name, int(active)), ("active",)),
}
"""By the class of a sensor: the field of the percept, what is made, and the attributes of its numbers."""


Event: TypeAlias = Percept | Sync | ServerError | Unknown | Malformed

TIME: Final = Row(
    "time", float, Value(NUMBER, "now", any_name=True), field="time_s"
)  # 0.2.1 calls its clock now
GAME: Final = Row(
    "GS",
    GameState,
    Value(NUMBER, "t"),
    Value(TEXT, "pm"),
    Value(TEXT, "tl", optional=True),
    Value(TEXT, "tr", optional=True),
    Value(WHOLE, "sl"),
    Value(WHOLE, "sr"),
    field="game_state",
)
ORIENTATION: Final = Row("quat", Orientation, NAME, Value(NUMBER, "q", 4), field="orientations", many=True)
POSITION: Final = Row("pos", Position, NAME, Value(NUMBER, "p", 3, older="pos"), field="positions", many=True)
JOINT: Final = Row(
    "HJ",
    lambda *values: values,
    NAME,
    Value(NUMBER, "ax"),
    Value(NUMBER, "vx"),
    field="joints",
    many=True,
    joined=lambda *columns: Joints(*map(tuple, columns)),
)
HEARD: Final = Row("", Heard, Value(NUMBER), Value(BASE64))
MICROPHONE: Final = Row("MIC", Microphone, Value(TEXT), HEARD, field="microphones", many=True)
SEE: Final = Row("See", Vision, POINT, AGENT, field="vision")
ROWS: Final = (
    TIME, GAME, ORIENTATION, POSITION, GYRO, ACCELEROMETER, JOINT, MICROPHONE, SEE, TOUCH,
)  # fmt: skip
USUAL: Final = Form(
    TIME, GAME, ORIENTATION, POSITION, GYRO, ACCELEROMETER, (JOINT, "*"), (MICROPHONE, "?"), (SEE, "?")
)  # fmt: skip

CURRENT: Final = "0.2.1"  # (pol distance azimuth elevation): what rcssservermj sends
MASTER: Final = "master"  # what follows on 0.2.1: landmarks have a letter for a name, see Vision
SEED: Final = "seed"  # (pol azimuth elevation distance): what the text of its older documentation says
DIALECTS: Final = (CURRENT, MASTER, SEED)


class Dialect:
    """Tells how pictures are written on one connection: as told, or else found from what the server sends."""

    def __init__(self, name: str | None = None) -> None:
        """Use the dialect ``name``; None finds it from the stream, beginning with that of 0.2.1.

        Raises:
            ConfigError: there is no such dialect.
        """
        if name not in (None, *DIALECTS):
            raise ConfigError(unknown("dialect", str(name), DIALECTS))
        self.name = name or CURRENT
        self._told = name is not None

    def vision(self, seen: Vision) -> Vision:
        """A picture that was taken to be of 0.2.1, as one of this connection."""
        if not self._told:
            self._learn(seen)
        if self.name == CURRENT:
            return seen
        if self.name == MASTER:
            return replace(seen, letters=True)
        agents = (AgentDetection(a.team, a.number, _turned(a.body)) for a in seen.agents)
        return Vision(_turned(seen.points), tuple(agents))

    @property
    def names(self) -> Collection[str] | None:
        """The names that things other than players may have; None where any is possible."""
        return {CURRENT: _NAMED, MASTER: _LETTERED}.get(self.name)

    def _learn(self, seen: Vision) -> None:
        """Learn from the names, and from the first and third numbers of all detections: no distance is negative."""
        if self.name != MASTER and not LETTERS.isdisjoint(point.name for point in seen.points):
            self.name = MASTER
        points = [*seen.points, *(marker for agent in seen.agents for marker in agent.body)]
        first, third = (any(p.distance_m < 0.0 for p in points), any(p.elevation_deg < 0.0 for p in points))
        if self.name == CURRENT and first and not third:
            self.name = SEED
        elif self.name == SEED and third and not first:
            self.name = CURRENT


_NAMED: Final = NAMES | {BALL, PLAYER}
_LETTERED: Final = LETTERS | {BALL}


def _turned(points: Iterable[PointDetection]) -> tuple[PointDetection, ...]:
    return tuple(
        PointDetection(point.name, point.elevation_deg, point.distance_m, point.azimuth_deg)
        for point in points
    )


class PerceptReader(codec.PerceptReader[Percept, Sync | ServerError]):
    """Reads the frames of one connection in its dialect."""

    form = USUAL
    rows = MappingProxyType({row.word: row for row in ROWS})
    signals = MappingProxyType({b"(syn)": Sync, b"(error)": ServerError})

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @override
    def percept(self, offset: int, fields: PerceptFields) -> Percept:
        if "vision" in fields:
            fields["vision"] = self._dialect.vision(fields["vision"])
        return Percept(offset, **fields)

    @property
    @override
    def names(self) -> Collection[str] | None:
        return self._dialect.names

    @override
    def take(self, word: str, items: list[Node], fields: PerceptFields) -> None:
        if word == "JS":
            _take_joint_set(Fields(items[1:]), fields)
        else:
            super().take(word, items, fields)


def _take_joint_set(said: Fields, fields: PerceptFields) -> None:
    """Put ``(JS (names ..) (axs ..) (vxs ..))`` to the joints."""
    names = said.text("names").split(" ")
    columns = [[NUMBER.read(value) for value in said.take(name, len(names))] for name in ("axs", "vxs")]
    fields["joints"] = (*fields.get("joints", ()), *zip(names, *columns, strict=True))
    if said:
        raise UnknownListError
