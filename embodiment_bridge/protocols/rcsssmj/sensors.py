# SPDX-License-Identifier: Apache-2.0
"""The sensors of a percept by the names in the robot's data: a second gyro is not taken for that of the torso."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.robots import Robot
from embodiment_bridge.protocols.soccer.left_out import LeftOut


class Named(Protocol):
    """A sensor in a percept."""

    @property
    def name(self) -> str:
        """As the server calls it."""
        ...


Sensor = TypeVar("Sensor", bound=Named)


def named(sensors: Iterable[Sensor], name: str) -> Sensor | None:
    """The sensor of that name, None when the percept lacks it."""
    for sensor in sensors:
        if sensor.name == name:
            return sensor
    return None


def note_others(percept: Percept, robot: Robot, left_out: LeftOut) -> None:
    """Name the sensors that the robot's data does not have."""
    torso = robot.torso
    for kind, sensors, known in (
        ("quat", percept.orientations, torso.orientation),
        ("pos", percept.positions, torso.position),
        ("GYR", percept.gyros, torso.gyro),
        ("ACC", percept.accelerometers, torso.accelerometer),
    ):
        for sensor in sensors:
            if sensor.name != known:
                left_out.note(
                    f"{kind} {sensor.name!r} is on no topic: robot {robot.name} is known to have {known!r} alone"
                )
