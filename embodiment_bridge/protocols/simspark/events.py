# SPDX-License-Identifier: Apache-2.0
"""The percepts of rcssserver3d, in the units of the wire: metres, degrees, seconds.

The body's frame is x right, y forward, z up. Numbers may be nan. Source: rcssserver3d 0.7.3 on SimSpark 0.3.2.
"""

from dataclasses import dataclass

from embodiment_bridge.protocols.soccer.percepts import (
    Accelerometer,
    AgentDetection,
    Gyro,
    PointDetection,
    Touch,
)

__all__ = [
    "Accelerometer",
    "AgentDetection",
    "AgentState",
    "Force",
    "GameState",
    "Gyro",
    "Heard",
    "Joints",
    "LineDetection",
    "Percept",
    "PointDetection",
    "Touch",
    "UniversalJoint",
    "Vision",
]


@dataclass(frozen=True, slots=True)
class GameState:
    """``(GS (unum 1) (team left) (sl 0) (sr 0) (t 0.00) (pm PlayOn))``.

    number and side (``left`` or ``right``) come once, right after an ``init`` that was accepted. Servers from
    before 2014 do not tell scores.
    """

    play_time_s: float
    play_mode: str
    score_left: int | None = None
    score_right: int | None = None
    number: int | None = None
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Joints:
    """All ``(HJ (n laj3) (ax -1.02))`` of a percept, in the order of the wire; the tuples run in parallel."""

    names: tuple[str, ...]
    positions_deg: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class UniversalJoint:
    """``(UJ (n laj1) (ax1 -1.32) (ax2 2.00))``: a joint with two axes, of old soccerbots."""

    name: str
    first_deg: float
    second_deg: float


@dataclass(frozen=True, slots=True)
class Force:
    """``(FRP (n lf) (c 0.01 -0.02 -0.01) (f 0.02 0.00 22.59))``: what the ground pushes a foot with, at which point.

    Only while there is contact. In the foot's frame: m, N.
    """

    name: str
    point_m: tuple[float, ...]
    force_n: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LineDetection:
    """``(L (pol ..) (pol ..))``: the part of a line that is in view; the SPL fork puts ``(n name)`` before."""

    start: PointDetection
    end: PointDetection


@dataclass(frozen=True, slots=True)
class Vision:
    """``(See ..)``, every third percept; all is empty when nothing is in view.

    ``(mypos x y z)``, ``(myorien deg)`` and ``(ballpos x y z)`` come when the server is told so: in m and degrees,
    turned by half a turn for the right team. The first two are the place and heading of the head, not of the torso.
    """

    points: tuple[PointDetection, ...] = ()
    agents: tuple[AgentDetection, ...] = ()
    lines: tuple[LineDetection, ...] = ()
    my_position_m: tuple[float, ...] | None = None
    my_orientation_deg: float | None = None
    ball_position_m: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """``(hear alpha 12.3 self hello)``: said by a player of a team, in which direction.

    direction_deg is against the axes of the field (turned for the right team), None for what one said oneself. Servers
    from before 2014 do not tell the team.
    """

    team: str | None
    time_s: float
    direction_deg: float | None
    message: str


@dataclass(frozen=True, slots=True)
class AgentState:
    """``(AgentState (temp 48) (battery 75))``, in some also ``(pan_tilt p t)``; the Nao of 0.7.3 has none."""

    battery_percent: float | None = None
    temperature: float | None = None  # degrees Celsius
    pan_deg: float | None = None
    tilt_deg: float | None = None


@dataclass(frozen=True, slots=True)
class Percept:
    """All that one frame says about one cycle (20 ms).

    ``time_s`` is server time from ``(time (now 3.76))``. What the frame did not have is None or empty;
    ``vision`` is None in a cycle without a picture.
    """

    offset: int
    time_s: float | None = None
    game_state: GameState | None = None
    gyros: tuple[Gyro, ...] = ()
    accelerometers: tuple[Accelerometer, ...] = ()
    joints: Joints | None = None
    universal_joints: tuple[UniversalJoint, ...] = ()
    forces: tuple[Force, ...] = ()
    touches: tuple[Touch, ...] = ()
    heard: tuple[Heard, ...] = ()
    agent_state: AgentState | None = None
    vision: Vision | None = None
