# SPDX-License-Identifier: Apache-2.0
"""A learned policy that walks a body, as its manifest describes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.body.network_file import Network

# What one frame of an observation is made of, and how many values that gives; 0: one per joint of the network.
TERMS = {
    "gyro": 3,  # rates about x, y and z of base_link, rad/s
    "gravity": 3,  # direction of gravity in base_link, (0, 0, -1) when upright
    "velocity": 3,  # of base_link, in base_link, m/s: the difference of the last two sensed positions
    "forward": 1,  # the commanded velocity, m/s and rad/s, times ``feed``
    "left": 1,
    "turn": 1,
    "joint_position": 0,  # rad beside the default angle
    "joint_velocity": 0,  # rad/s
    "last_action": 0,  # what the network gave before, clipped, before the scale of the action
    "cos_left": 1,  # of the phase of the clock for the left and the right leg
    "cos_right": 1,
    "sin_left": 1,
    "sin_right": 1,
}
PHASES = ("cos_left", "cos_right", "sin_left", "sin_right")
FIRST = ("zeros", "repeat")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a policy comes from: its public address, the sha256 of the file there, and the licence."""

    address: str
    sha256: str
    licence: str


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the observation; ``scale``: one number, or one per value."""

    name: str
    scale: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PolicyJoint:
    """A joint in the order of the network.

    default: angle (rad) that counts as zero. scale: rad per unit of the action. kp (Nm/rad) and kd (Nm s/rad) hold
    while the policy drives the joint. known: whether the body has it; else it is observed as 0 and not driven.
    """

    name: str
    default: float
    scale: float
    kp: float
    kd: float
    known: bool


@dataclass(frozen=True, slots=True)
class Clock:
    """The phase of the steps: ``hz`` periods in a second, ``right`` rad ahead of the left leg.

    standing: what the terms of ``PHASES`` are while the command is zero.
    """

    hz: float
    right: float
    standing: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Felt:
    """The input of an ``observe`` function; joints in the order of the network.

    gyro rad/s and gravity in base_link, velocity m/s in base_link, joint_position rad beside the default angles,
    joint_velocity rad/s, last_action as ``TERMS`` says, phase: the values of ``PHASES``.
    """

    gyro: tuple[float, ...]
    gravity: tuple[float, ...]
    velocity: tuple[float, ...]
    joint_position: Sequence[float]
    joint_velocity: Sequence[float]
    last_action: Sequence[float]
    phase: tuple[float, ...]


Observe = Callable[[Felt, tuple[float, float, float]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy. It gets a frame every ``1 / rate`` s.

    terms: of one frame; observe: makes the frame instead, from what is felt and the command (forward and left m/s,
    turn rad/s, times ``feed``). frames: of the history that goes into the network, the oldest first; first: whether
    it begins with ``zeros`` or with copies of the first frame (``repeat``). clip: largest action.
    feed: what the network is told per m/s forward, m/s left and rad/s, because it lags behind.
    least: the velocities (m/s, m/s, rad/s) below which it does not walk, and the gait of the body does.
    walk: what it does at full command. step_s: how long a step takes, s. tilt: beyond it (rad) it gives up.
    """

    name: str
    source: Source
    network: Network
    rate: float
    joints: tuple[PolicyJoint, ...]
    terms: tuple[Term, ...]
    observe: Observe | None
    frames: int
    first: str
    clip: float
    clock: Clock | None
    feed: tuple[float, float, float]
    least: tuple[float, float, float]
    walk: WalkLimits
    step_s: float
    tilt: float

    @property
    def senses_position(self) -> bool:
        """Whether it needs the position of the body."""
        return self.observe is not None or any(term.name == "velocity" for term in self.terms)
