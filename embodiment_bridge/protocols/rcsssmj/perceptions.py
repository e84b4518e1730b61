# SPDX-License-Identifier: Apache-2.0
"""Converts perceptions of the simulator's own classes (``rcsssmj.sim.perceptions`` of 0.2.1) to our percept.

The values are those that the server writes on the wire: it cuts them before it makes these objects. They are told
apart by the names of their classes, so nothing of the simulator is imported here.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from embodiment_bridge.protocols.rcsssmj.events import (
    Accelerometer,
    AgentDetection,
    GameState,
    Gyro,
    Heard,
    Joints,
    Microphone,
    Orientation,
    Percept,
    PointDetection,
    Position,
    Touch,
    Vision,
)


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
    return Microphone(p.name, tuple(map(Heard, _floats(p.azimuths), map(bytes, p.messages))))


def _vision(p: Any) -> Vision:
    points: list[PointDetection] = []
    agents: list[AgentDetection] = []
    for seen in p.obj_detections:
        if hasattr(seen, "body_detections"):
            body = tuple(map(_point, seen.body_detections))
            agents.append(AgentDetection(seen.team_name, int(seen.player_no), body))
        else:
            points.append(_point(seen))
    return Vision(tuple(points), tuple(agents))


def _point(p: Any) -> PointDetection:
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
    "VisionPerception": ("vision", _vision),
}
_SENSORS: Final[Mapping[str, tuple[str, Callable[..., Any], tuple[str, ...]]]] = {
    "OrientationPerception": ("orientations", Orientation, ("qw", "qx", "qy", "qz")),
    "PositionPerception": ("positions", Position, ("x", "y", "z")),
    "GyroPerception": ("gyros", Gyro, ("rx", "ry", "rz")),
    "AccelerometerPerception": ("accelerometers", Accelerometer, ("ax", "ay", "az")),
    "TouchPerception": ("touches", lambda name, active: Touch(name, int(active)), ("active",)),
}
"""By the class of a sensor: the field of the percept, what is made, and the attributes of its numbers."""
