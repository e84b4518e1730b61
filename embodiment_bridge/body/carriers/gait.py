# SPDX-License-Identifier: Apache-2.0
"""A gait on two legs, by itself or beside a learned policy: the section ``gait`` of a body file."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import BodyDescription, Carrier, Joint, WalkLimits
from embodiment_bridge.body.kick_section import KickParameters, read_kick
from embodiment_bridge.body.policy_file import default_of, read_walk
from embodiment_bridge.core.errors import ConfigError

if TYPE_CHECKING:
    from embodiment_bridge.body.policy import Policy


@dataclass(frozen=True, slots=True)
class Leg:
    """Joint names of one leg, and the shoulder pitch that swings against it.

    From the torso on, the axes of the hip are pitch, roll and yaw.
    """

    hip_pitch: str
    hip_roll: str
    hip_yaw: str
    knee: str
    ankle_pitch: str
    ankle_roll: str
    shoulder_pitch: str


@dataclass(frozen=True, slots=True)
class LegLengths:
    """Lengths of a leg in m: see ``motion.leg_ik``."""

    knee_back: float
    thigh: float
    shank: float


@dataclass(frozen=True, slots=True)
class GaitParameters:
    """The numbers of the gait, in m, rad and Hz.

    frequency: of a step of both legs. height: of the hip pitch axes over the ankles. lift: of the swinging foot.
    stride: length of a step; ahead: of the feet before the hips; lean: of the torso, + forward; each with ``_v``
    for the part that is proportional to the forward command (-1..1). sway: roll of both hips to the side of the
    standing foot, sway_phase: its lead in periods, ankle_sway: share of it that the ankles undo. droop: roll added
    to the standing hip, which the weight pulls down; inward: roll of both feet towards each other while walking.
    twist: yaw of the hips against each other at full turn command. arm_swing: of the shoulders.
    The gains (rad per rad, rad per rad/s) turn torso tilt into ankle pitch, hip and ankle roll, and hip yaw;
    swing_level is the share of a wrong pitch of the torso (0..1) that the swinging leg does not follow;
    place_gain (s) puts the feet ahead, side_gain (rad per m/s) to the side, to which the body moves while walking.
    backward_share: part of a forward command < 0 that the gait makes of it, for backwards it falls more easily.

    The others are 0 for a gait without them. side: m that a step at full command goes to the side. capture_x,
    capture_y (s): how far beside its place a foot lands per m/s that the body is too fast;
    sway_speed (m/s), sway_speed_phase: the speed to the side that belongs to the sway, and its lead in periods.
    timing_gain (s/m): share by which a step is shorter per m/s towards the foot that swings. hip_gain,
    hip_rate_gain: like pitch_gain, at the hip of the standing leg. arm_stride: swing of the shoulders against the
    legs at full forward command, rad. frequency_v, lift_v, sway_v, droop_v: added at full command forward, nothing
    backward. swing_roll: the share of the torso's roll (0..1) that the swinging leg does not follow, beside what
    roll_gain does.
    """

    frequency: float
    height: float
    lift: float
    stride: float
    stride_v: float
    ahead: float
    ahead_v: float
    lean: float
    lean_v: float
    sway: float
    sway_phase: float
    ankle_sway: float
    droop: float
    inward: float
    twist: float
    arm_swing: float
    pitch_gain: float
    pitch_rate_gain: float
    roll_gain: float
    roll_rate_gain: float
    yaw_rate_gain: float
    place_gain: float
    backward_share: float
    side_gain: float
    swing_level: float
    side: float = 0.0
    capture_x: float = 0.0
    capture_y: float = 0.0
    sway_speed: float = 0.0
    sway_speed_phase: float = 0.0
    timing_gain: float = 0.0
    hip_gain: float = 0.0
    hip_rate_gain: float = 0.0
    arm_stride: float = 0.0
    frequency_v: float = 0.0
    lift_v: float = 0.0
    sway_v: float = 0.0
    droop_v: float = 0.0
    swing_roll: float = 0.0

    def frequency_at(self, forward: float) -> float:
        """Return the frequency of a step of both legs at a share ``forward`` of full speed (-1..1), Hz."""
        return self.frequency + max(forward, 0.0) * self.frequency_v


@dataclass(frozen=True, slots=True)
class Gait:
    """A gait on two legs. ``waist`` names the yaw joint between base_link and the hips, empty without one.

    ``kick``: the step that kicks a ball, None for a gait without one.
    """

    left: Leg
    right: Leg
    lengths: LegLengths
    parameters: GaitParameters
    walk: WalkLimits
    waist: str = ""
    kick: KickParameters | None = None
    moved_by: str = "legs"
    balances: bool = True

    def step_at(self, forward: float) -> float:
        """Return the duration of one step at a share ``forward`` of full speed (-1..1), s."""
        return 0.5 / self.parameters.frequency_at(forward)


@dataclass(frozen=True, slots=True)
class PolicyGait:
    """A learned policy that walks; its ``gait`` stands, goes slowly, and takes over when the policy fails."""

    gait: Gait
    policy: "Policy"
    moved_by: str = "policy_legs"
    balances: bool = True

    @property
    def walk(self) -> WalkLimits:
        """The speeds of the policy at full command."""
        return self.policy.walk

    def step_at(self, forward: float) -> float:
        """Return the duration of one step of the policy, s: the same at every speed."""
        return self.policy.step_s

    @property
    def kick(self) -> KickParameters | None:
        """The kick of the gait."""
        return self.gait.kick


def gait_of(body: BodyDescription) -> Gait:
    """The gait of a body on two legs, also where a policy walks.

    Raises:
        ConfigError: the body has none.
    """
    carrier = body.carrier.gait if isinstance(body.carrier, PolicyGait) else body.carrier
    if not isinstance(carrier, Gait):
        raise ConfigError(f"body {body.name!r} has no gait on two legs")
    return carrier


def read(section: Section, joints: Mapping[str, Joint], folder: Path | None) -> Carrier:
    """The gait, or the learned policy that walks for it where there is one."""
    numbers = section.section("parameters")
    parameters = GaitParameters(
        **{f.name: numbers.number(f.name, -10.0, 10.0, default_of(f)) for f in fields(GaitParameters)}
    )
    ends = parameters.frequency, parameters.frequency_at(1.0)
    if min(ends) < 0.1 or max(ends) > 10.0:
        raise numbers.wrong("frequency", "within 0.1..10, also with frequency_v")
    numbers.close()
    walk = read_walk(section.section("walk"))
    numbers = section.section("lengths")
    lengths = LegLengths(
        numbers.number("knee_back", -1.0, 1.0),
        numbers.number("thigh", 0.01, 10.0),
        numbers.number("shank", 0.01, 10.0),
    )
    numbers.close()
    legs = [_leg(section.section(side), joints) for side in ("left", "right")]
    waist = section.text("waist", joints) if section.has("waist") else ""
    kick = read_kick(section.section("kick")) if section.has("kick") else None
    policy = _policy(section, joints, folder) if section.has("policy") else None
    section.close()
    gait = Gait(legs[0], legs[1], lengths, parameters, walk, waist, kick)
    return PolicyGait(gait, policy) if policy else gait


def _policy(section: Section, joints: Mapping[str, Joint], folder: Path | None) -> "Policy":
    from embodiment_bridge.body.policy_file import read_policy  # numpy, which other bodies do not need

    if folder is None:
        raise section.wrong("policy", "possible for a body that is read from a file")
    return read_policy(folder / section.text("policy"), joints)


def _leg(section: Section, joints: Mapping[str, Joint]) -> Leg:
    leg = Leg(**{f.name: section.text(f.name, joints) for f in fields(Leg)})
    section.close()
    return leg
