# SPDX-License-Identifier: Apache-2.0
"""What a body is made of: joints, channels, skills and gait, as data (a file in ``config/bodies``)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, sqrt

from embodiment_bridge.body.state import SkillInfo

PEAK_SPEED = 1.875  # of a minimum-jerk move from rest to rest, as a multiple of its mean speed (way / time)
PEAK_ACCELERATION = 5.7735  # likewise, as a multiple of way / time^2

CHANNELS = ("eyes", "face", "head", "waist", "arm_l", "arm_r", "hand_l", "hand_r", "legs")
KINDS = ("motion", "light", "walk", "native")
ON_STOP = ("hold", "reset", "finish")
WALKS = ("line", "turn", "place", "twist", "free")
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
class Parameter:
    """A numeric parameter of a skill: its range and, if it has one, its default."""

    name: str
    lower: float
    upper: float
    unit: str = ""
    default: float | None = None


@dataclass(frozen=True, slots=True)
class TextParameter:
    """A text parameter of a skill: at most ``longest`` characters and, if it has one, its default."""

    name: str
    longest: int
    default: str | None = None


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


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """What the gait does at full command, measured, and how fast commands may change.

    forward, backward: m/s (both > 0); turn: rad/s; amplitude_rate, forward_rate, turn_rate: full commands per s;
    brake: m before the goal from which a walk slows down;
    settle_forward: share of full speed (either way) below which a walk that stops may make its steps smaller;
    coast_forward, coast_backward, coast_turn: m and rad that the body still goes from full speed when told to stop
    (< 0: it leans back to where it came from).
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


@dataclass(frozen=True, slots=True)
class Gait:
    """A two-legged gait. ``waist`` names the yaw joint between base_link and the hips, empty without one."""

    left: Leg
    right: Leg
    lengths: LegLengths
    parameters: GaitParameters
    walk: WalkLimits
    waist: str = ""

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
    forward and turn: what is added at full speed forward and to the left.
    """

    step: Mapping[str, tuple[float, ...]]
    forward: Mapping[str, tuple[float, ...]]
    turn: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Fall:
    """Fallen: base_link below ``height`` m or beyond ``tilt`` rad; up again after ``recover_s`` of neither."""

    height: float
    tilt: float
    recover_s: float


@dataclass(frozen=True, slots=True)
class BodyDescription:
    """A body as its file describes it. ``channels`` are those of the body; skills may name others."""

    name: str
    channels: tuple[str, ...]
    joints: tuple[Joint, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict)
    gait: Gait | None = None
    fall: Fall | None = None
    base: Base | None = None

    @property
    def carrier(self) -> Gait | Base | None:
        """The gait or base that moves the body over the floor; None for a body that cannot walk."""
        return self.gait or self.base

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
            )
            for s in self.skills.values()
        )


def shortest_move(joints: Iterable[Joint], start: Iterable[float], goals: Iterable[float]) -> float:
    """The shortest time (s) of a minimum-jerk move from rest at ``start`` to rest at ``goals`` (rad)."""
    return max(
        (_shortest(joint, abs(goal - here)) for joint, here, goal in zip(joints, start, goals, strict=True)),
        default=0.0,
    )


def _shortest(joint: Joint, way: float) -> float:
    return max(PEAK_SPEED * way / joint.velocity, sqrt(PEAK_ACCELERATION * way / joint.acceleration))


def shortest_motion(keyframes: Iterable[Keyframe], joints: Mapping[str, Joint]) -> float:
    """The shortest time (s) of a motion from the rest pose that keeps the limits of every joint."""
    here = {name: joint.rest for name, joint in joints.items()}
    at = length = 0.0
    for frame in keyframes:
        goals = frame.position
        moved = [joints[name] for name in goals]
        length = max(length, shortest_move(moved, [here[n] for n in goals], goals.values()) / (frame.at - at))
        here.update(goals)
        at = frame.at
    return length


def shortest_track(track: Track, joints: Mapping[str, Joint]) -> float:
    """The shortest time (s) of a recorded motion, played straight from point to point, that every joint can follow."""
    speeds = [0.0]
    for number, row in enumerate(track.angles[1:]):
        dt = track.times[number + 1] - track.times[number]
        before = track.angles[number]
        ways = zip(track.joints, before, row, strict=True)
        speeds += [abs(there - here) / dt / joints[name].velocity for name, here, there in ways]
    return track.length * max(speeds)
