# SPDX-License-Identifier: Apache-2.0
"""Defines the parts of a percept of any soccer simulator, in units of the wire (metres, degrees, seconds), with rows.

Numbers may be nan or inf when a simulation blows up. The frame of a sensor is that of its simulator.
"""

from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from embodiment_bridge.protocols.soccer.list_fields import NUMBER, TEXT, WHOLE
from embodiment_bridge.protocols.soccer.wire_table import Row, Value


class Named(Protocol):
    """Something that the simulator has a name for: a sensor, a motor, a dialect."""

    @property
    def name(self) -> str:
        """Its name on the wire."""
        ...


@dataclass(frozen=True, slots=True)
class Gyro:
    """``(GYR (n torso_gyro) (rt x y z))``: turning rates about the sensor's axes."""

    name: str
    x_deg_s: float
    y_deg_s: float
    z_deg_s: float


@dataclass(frozen=True, slots=True)
class Accelerometer:
    """``(ACC (n torso_acc) (a x y z))``: proper acceleration, so z is +9.81 at rest and upright."""

    name: str
    x_m_s2: float
    y_m_s2: float
    z_m_s2: float


@dataclass(frozen=True, slots=True)
class Touch:
    """``(TCH n bumper val 1)``: 0 is no contact. No robot of rcssservermj 0.2.1 or rcssserver3d 0.7.3 has one."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class PointDetection:
    """``(B (pol distance azimuth elevation))`` in the camera's frame: azimuth positive left, elevation up."""

    name: str
    distance_m: float
    azimuth_deg: float
    elevation_deg: float


@dataclass(frozen=True, slots=True)
class AgentDetection:
    """``(P (team teamRed)(id 1)(head (pol ..))(lfoot (pol ..)))``: a robot's markers, perhaps one's own.

    A server that tells no parts writes ``(P (team teamRed)(id 1)(pol ..))``: one marker, with the name ``P``. Without
    team and number, ``(P (pol ..))``, it is a point (see ``convert.sight``).
    """

    team: str
    number: int
    body: tuple[PointDetection, ...]


NAME: Final = Value(TEXT, "n")
GYRO: Final = Row("GYR", Gyro, NAME, Value(NUMBER, "rt", 3), field="gyros", many=True)
ACCELEROMETER: Final = Row(
    "ACC", Accelerometer, NAME, Value(NUMBER, "a", 3), field="accelerometers", many=True
)
TOUCH: Final = Row("TCH", Touch, NAME, Value(WHOLE, "val"), field="touches", many=True)
PLAYER, BALL = "P", "B"  # names that points of a picture have
PLACE: Final = Value(NUMBER, "pol", 3)
POINT: Final = Row("", PointDetection, Value(TEXT), PLACE)  # also that of a part, and (P (pol ..))


def _agent(team: str, number: int, distance: Any, azimuth: Any, elevation: Any, body: Any) -> AgentDetection:
    whole = () if distance is None else (PointDetection(PLAYER, distance, azimuth, elevation),)
    return AgentDetection(team, number, (*whole, *body))


AGENT: Final = Row(
    PLAYER,
    _agent,
    Value(TEXT, "team", optional=True, missing=""),  # team and number are left out until they are known
    Value(WHOLE, "id", optional=True, missing=-1),
    replace(PLACE, optional=True),
    POINT,
)
