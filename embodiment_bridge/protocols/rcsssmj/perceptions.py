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
        elif kind in _MANY:
            name, read = _MANY[kind]
            fields[name] = (*fields.get(name, ()), read(perception))
    return Percept(0, **fields)


def _game_state(p: Any) -> GameState:
    return GameState(
        float(p.play_time), p.play_mode, p.team_left, p.team_right, int(p.score_left), int(p.score_right)
    )


def _joints(p: Any) -> Joints:
    return Joints(tuple(p.joint_names), _floats(p.joint_axs), _floats(p.joint_vxs))


def _orientation(p: Any) -> Orientation:
    return Orientation(p.name, *_floats((p.qw, p.qx, p.qy, p.qz)))


def _position(p: Any) -> Position:
    return Position(p.name, *_floats((p.x, p.y, p.z)))


def _gyro(p: Any) -> Gyro:
    return Gyro(p.name, *_floats((p.rx, p.ry, p.rz)))


def _accelerometer(p: Any) -> Accelerometer:
    return Accelerometer(p.name, *_floats((p.ax, p.ay, p.az)))


def _microphone(p: Any) -> Microphone:
    said = zip(_floats(p.azimuths), p.messages, strict=True)
    return Microphone(p.name, tuple(Heard(azimuth, bytes(message)) for azimuth, message in said))


def _vision(p: Any) -> Vision:
    points = [seen for seen in p.obj_detections if not hasattr(seen, "body_detections")]
    agents = [seen for seen in p.obj_detections if hasattr(seen, "body_detections")]
    return Vision(
        tuple(_point(seen) for seen in points),
        tuple(
            AgentDetection(
                seen.team_name, int(seen.player_no), tuple(_point(part) for part in seen.body_detections)
            )
            for seen in agents
        ),
    )


def _point(p: Any) -> PointDetection:
    return PointDetection(p.name, float(p.distance), float(p.azimuth), float(p.inclination))


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


Reader = Callable[[Any], Any]
_ONE: Final[Mapping[str, tuple[str, Reader]]] = {
    "TimePerception": ("time_s", lambda p: float(p.time)),
    "GameStatePerception": ("game_state", _game_state),
    "JointStatePerception": ("joints", _joints),
    "VisionPerception": ("vision", _vision),
}
_MANY: Final[Mapping[str, tuple[str, Reader]]] = {
    "OrientationPerception": ("orientations", _orientation),
    "PositionPerception": ("positions", _position),
    "GyroPerception": ("gyros", _gyro),
    "AccelerometerPerception": ("accelerometers", _accelerometer),
    "TouchPerception": ("touches", lambda p: Touch(p.name, int(p.active))),
    "MicrophonePerception": ("microphones", _microphone),
}
