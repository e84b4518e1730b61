# SPDX-License-Identifier: Apache-2.0
"""What a body is made of: joints, channels, skills and gait, as data (a file in ``config/bodies``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Protocol

from embodiment_bridge.body.battery_section import BatteryCurve
from embodiment_bridge.body.idle import IdleMotion
from embodiment_bridge.body.kick_section import KickParameters
from embodiment_bridge.body.parameter import Parameter, TextParameter
from embodiment_bridge.body.stance import Stance
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.body.usual_skills import describe_parameter, describe_skill

if TYPE_CHECKING:
    from embodiment_bridge.body.policy import Policy

CHANNELS = ("eyes", "face", "head", "waist", "arm_l", "arm_r", "hand_l", "hand_r", "legs")
KINDS = ("motion", "light", "walk", "native")
ON_STOP = ("hold", "reset", "finish")
WALKS = ("line", "side", "turn", "place", "twist", "free", "to", "find", "kick", "dribble")
LYING = ("front", "back")  # what a fallen body lies on
LIGHT_PATTERNS = ("steady", "blink", "open", "close")


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint. Angles rad, ``velocity`` rad/s and ``effort`` Nm are limits, ``kp`` Nm/rad, ``kd`` Nm s/rad.

    ``mirror`` is the joint on the other side (or the joint itself), ``mirror_sign`` -1 where the mirror image
    of a motion has the opposite angle (roll and yaw).
    """

    name: str
    channel: str
    lower: float
    upper: float
    velocity: float
    effort: float
    kp: float
    kd: float
    rest: float = 0.0
    mirror: str = ""
    mirror_sign: float = 1.0
    acceleration: float = inf  # rad/s2, limit of planned motions


@dataclass(frozen=True, slots=True)
class Keyframe:
    """Joint positions (rad) at fraction ``at`` (0..1) of the motion; joints not named keep their position."""

    at: float
    position: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Track:
    """A recorded motion: ``angles`` (rad, one row per time, one value per joint) at ``times`` (s, the first is 0)."""

    joints: tuple[str, ...]
    times: tuple[float, ...]
    angles: tuple[tuple[float, ...], ...]

    @property
    def length(self) -> float:
        """Length of the recording, s."""
        return self.times[-1]


@dataclass(frozen=True, slots=True)
class Light:
    """What the eyes show; ``color`` is red, green, blue (0..1); None keeps the colour and changes the pattern only."""

    pattern: str
    color: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill of the body. ``walk`` and ``direction`` say what a skill of kind ``walk`` does.

    ``keyframes`` move joints, ``light`` is shown meanwhile; a skill of kind ``native`` may have both, in addition to
    what the body does by itself.

    ``on_stop``: what a cancel does: ``hold`` the joints at their present angles, ``reset`` them to the rest pose, or
    ``finish`` the skill first.

    ``lying``: keyframes by the side on which a fallen body lies (each of ``LYING``; empty where none are known).
    Such a skill is for a fallen body only, has a fixed length whatever its slot is, and fails if the body does not
    get up.

    ``track``: a recorded motion instead of keyframes. ``optional``: channels that the skill uses if the body has them.
    ``description``: one sentence, for people and models.
    ``stance``: how the legs of a gait stand from then on, until they walk or another skill has them.
    """

    name: str
    kind: str
    channels: tuple[str, ...]
    nominal_s: float
    min_s: float
    on_stop: str = "hold"
    parameters: tuple[Parameter | TextParameter, ...] = ()
    keyframes: tuple[Keyframe, ...] = ()
    walk: str = ""
    direction: float = 1.0
    light: Light | None = None
    lying: Mapping[str, tuple[Keyframe, ...]] = field(default_factory=dict)
    track: Track | None = None
    optional: tuple[str, ...] = ()
    description: str = ""
    stance: Stance | None = None


@dataclass(frozen=True, slots=True)
class Leg:
    """Joint names of one leg, and the shoulder pitch that swings against it."""

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
    capture_y (s): how far beside its place a foot lands per m/s that the body is too fast (see ``capture.py``);
    sway_speed (m/s), sway_speed_phase: the speed to the side that belongs to the sway, and its lead in periods.
    timing_gain (s/m): share by which a step is shorter per m/s towards the foot that swings. hip_gain,
    hip_rate_gain: like pitch_gain, at the hip of the standing leg. arm_stride: swing of the shoulders against the
    legs at full forward command, rad.
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


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """What the gait does at full command, measured, and how fast commands may change.

    forward, backward: m/s (both > 0); turn: rad/s; amplitude_rate, forward_rate, turn_rate: full commands per s;
    brake: m before the goal from which a walk slows down;
    settle_forward: share of full speed (either way) below which a walk that stops may make its steps smaller;
    coast_forward, coast_backward, coast_turn: m and rad that the body still goes from full speed when told to stop
    (< 0: it leans back to where it came from).
    left: m/s to either side, 0 for a body that cannot go sideways; left_rate and coast_left as the others.
    """

    forward: float
    backward: float
    turn: float
    amplitude_rate: float
    forward_rate: float
    turn_rate: float
    brake: float
    settle_forward: float
    coast_forward: float
    coast_backward: float
    coast_turn: float
    left: float = 0.0
    left_rate: float = 1.0
    coast_left: float = 0.0


@dataclass(frozen=True, slots=True)
class Gait:
    """A two-legged gait. ``waist`` names the yaw joint between base_link and the hips, empty without one.

    ``kick``: the step that kicks a ball, None for a gait without one.
    """

    left: Leg
    right: Leg
    lengths: LegLengths
    parameters: GaitParameters
    walk: WalkLimits
    waist: str = ""
    kick: KickParameters | None = None

    @property
    def step_s(self) -> float:
        """How long one step takes, s."""
        return 0.5 / self.parameters.frequency


@dataclass(frozen=True, slots=True)
class Base:
    """A base that moves at the commanded speed and cannot fall: wheels, or legs that are only drawn.

    step_s: duration of one step, s. swing: amplitude of each leg joint at full speed, rad. cycle: gait of legs that
    carry the body; a base with a cycle has no swing.
    """

    walk: WalkLimits
    step_s: float
    swing: Mapping[str, float] = field(default_factory=dict)
    cycle: "Cycle | None" = None


@dataclass(frozen=True, slots=True)
class Cycle:
    """A gait of keyframes: angles (rad, relative to the rest pose) by leg joint over two steps, the left one first.

    All tables have the same number of angles, equally spaced in time, and are periodic. step: stepping on the spot;
    forward and turn: what is added at full speed forward and to the left. backward_share: of ``forward``, for a walk
    backward at full speed.
    """

    step: Mapping[str, tuple[float, ...]]
    forward: Mapping[str, tuple[float, ...]]
    turn: Mapping[str, tuple[float, ...]]
    backward_share: float = 1.0


@dataclass(frozen=True, slots=True)
class Fall:
    """Fallen: base_link below ``height`` m or beyond ``tilt`` rad; up again after ``recover_s`` of neither."""

    height: float
    tilt: float
    recover_s: float


class Carrier(Protocol):
    """What moves a body over the floor: a gait, a base or a policy."""

    @property
    def walk(self) -> WalkLimits:
        """What it does at full command."""

    @property
    def step_s(self) -> float:
        """How long one step takes, s."""


@dataclass(frozen=True, slots=True)
class BodyDescription:
    """A body as its file describes it. ``channels`` are those of the body; skills may name others.

    ``policy`` walks instead of the ``gait``, which stands, goes slowly, and takes over when the policy fails.
    """

    name: str
    channels: tuple[str, ...]
    joints: tuple[Joint, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict)
    gait: Gait | None = None
    fall: Fall | None = None
    base: Base | None = None
    battery: BatteryCurve | None = None
    policy: "Policy | None" = None
    idle: IdleMotion | None = None

    @property
    def carrier(self) -> "Carrier | None":
        """What moves the body over the floor; None for a body that cannot walk."""
        return self.policy or self.gait or self.base

    def available(self, skill: Skill) -> bool:
        """Whether the body has every channel that the skill needs."""
        return all(channel in self.channels or channel in skill.optional for channel in skill.channels)

    def skill_infos(self) -> tuple[SkillInfo, ...]:
        """What clients may know of each skill, in the order of the file."""
        return tuple(
            SkillInfo(
                s.name,
                s.kind,
                s.channels,
                s.nominal_s,
                s.min_s,
                tuple(p.name for p in s.parameters),
                self.available(s),
                s.description or describe_skill(s.name),
                tuple(p.info(describe_parameter(p.name)) for p in s.parameters),
            )
            for s in self.skills.values()
        )
