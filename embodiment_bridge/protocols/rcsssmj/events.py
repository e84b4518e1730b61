# SPDX-License-Identifier: Apache-2.0
"""The percepts of an agent from the server, in the units of the wire: metres, degrees, seconds.

Names are as sent: rcssservermj 0.2.1 writes joints as ``q_hj1``, its older documentation as ``hj1``.
Numbers may be nan or inf when a simulation blows up. Sensor frames are x forward, y left, z up.
"""

from dataclasses import dataclass

from embodiment_bridge.protocols.soccer.percepts import (
    Accelerometer,
    AgentDetection,
    Gyro,
    PointDetection,
    Touch,
)


@dataclass(frozen=True, slots=True)
class GameState:
    """``(GS (t 2.54)(pm PlayOn)(tl teamBlue)(tr teamRed)(sl 0)(sr 0))``; a team is None until it exists."""

    play_time_s: float
    play_mode: str
    team_left: str | None
    team_right: str | None
    score_left: int
    score_right: int


@dataclass(frozen=True, slots=True)
class Orientation:
    """``(quat (n torso_quat) (q w x y z))``: the sensor's frame in the world's, for both teams alike."""

    name: str
    w: float
    x: float
    y: float
    z: float


@dataclass(frozen=True, slots=True)
class Position:
    """``(pos (n torso_pos) (p x y z))``, in older documents ``(pos (n torso_pos) (pos x y z))``.

    In the world's frame, for both teams alike: origin in the centre of the field, x to the right team's goal.
    """

    name: str
    x_m: float
    y_m: float
    z_m: float


@dataclass(frozen=True, slots=True)
class Joints:
    """All ``(HJ (n q_hj1)(ax 1.43)(vx 0.03))`` of a percept, or its ``(JS (names ..) (axs ..) (vxs ..))``.

    The three tuples run in parallel. The order is the robot model's, not that of its effectors.
    """

    names: tuple[str, ...]
    positions_deg: tuple[float, ...]
    velocities_deg_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Vision:
    """``(See ..)``, every second percept; both tuples are empty when nothing is in view.

    letters: master wrote it. Landmarks have a letter for a name, teams are ``0`` (left) and ``1`` (right), and what is
    seen is noisy: things are missed, taken for others, and seen where none are.
    """

    points: tuple[PointDetection, ...]
    agents: tuple[AgentDetection, ...]
    letters: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """``(-2 aGVsbG8=)``: one message; azimuth in the microphone's frame, in whole degrees, positive left."""

    azimuth_deg: float
    message: bytes


@dataclass(frozen=True, slots=True)
class Microphone:
    """``(MIC hear (-2 aGVsbG8=)..)``, only in cycles in which somebody spoke; may hold nothing for us."""

    name: str
    heard: tuple[Heard, ...]


@dataclass(frozen=True, slots=True)
class Percept:
    """All that one frame says about one simulation cycle (20 ms).

    ``time_s`` is server time from ``(time (now 4.01))``, cut to 10 ms. What the frame did not have is None or
    empty; ``vision`` is None in a cycle without a picture, and empty when the picture shows nothing.
    """

    offset: int
    time_s: float | None = None
    game_state: GameState | None = None
    orientations: tuple[Orientation, ...] = ()
    positions: tuple[Position, ...] = ()
    gyros: tuple[Gyro, ...] = ()
    accelerometers: tuple[Accelerometer, ...] = ()
    joints: Joints | None = None
    touches: tuple[Touch, ...] = ()
    microphones: tuple[Microphone, ...] = ()
    vision: Vision | None = None


@dataclass(frozen=True, slots=True)
class Sync:
    """``(syn)``: a cycle in which the server had nothing to say to this agent."""

    offset: int


@dataclass(frozen=True, slots=True)
class ServerError:
    """``(error)``: the server could not encode the percept of this cycle."""

    offset: int
