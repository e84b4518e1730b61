# SPDX-License-Identifier: Apache-2.0
"""The description of a body as data: joints, channels, skills, battery and gait (a file in ``config/bodies``)."""

from bisect import bisect_right
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from typing import Protocol

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.kick_section import BallKick
from embodiment_bridge.body.skill_info import Parameter, TextParameter, describe_parameter, describe_skill
from embodiment_bridge.body.stance import IdleMotion, Stance
from embodiment_bridge.body.state import SkillInfo

# The section ``battery`` of a body file: how full a battery is at which voltage.

MAX_POINTS = 100
HIGHEST_V = 1000.0


@dataclass(frozen=True, slots=True)
class BatteryCurve:
    """Points (V, share of the full charge), both rising. Between them it is straight, outside as at the nearest end."""

    points: tuple[tuple[float, float], ...]

    def charge(self, voltage: float) -> float:
        """The share of the full charge, 0 to 1, at a voltage in V."""
        after = bisect_right([volts for volts, _ in self.points], voltage)
        if after == 0 or after == len(self.points):
            return self.points[min(after, len(self.points) - 1)][1]
        (low_v, low), (high_v, high) = self.points[after - 1], self.points[after]
        return low + (high - low) * (voltage - low_v) / (high_v - low_v)


def read_battery(section: Section) -> BatteryCurve:
    """``curve: [[V, share], ...]``.

    Raises:
        ConfigError: fewer than two points, or they do not rise.
    """
    rows = section.value("curve")
    form = "a list of 2 to 100 points [V, share], V above 0 and rising, share from 0 to 1 and not falling"
    if not isinstance(rows, list) or not 2 <= len(rows) <= MAX_POINTS:
        raise section.wrong("curve", form)
    points = []
    for row in rows:
        numbers = isinstance(row, list) and all(type(one) in (int, float) for one in row)
        if not numbers or len(row) != 2 or not (0.0 < row[0] <= HIGHEST_V and 0.0 <= row[1] <= 1.0):
            raise section.wrong("curve", form)
        points.append((float(row[0]), float(row[1])))
    if not all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(points)):
        raise section.wrong("curve", form)
    section.close()
    return BatteryCurve(tuple(points))


CHANNELS = ("eyes", "face", "head", "waist", "arm_l", "arm_r", "hand_l", "hand_r", "legs")
LEGS = "legs"
AUDIO = "audio"  # what is heard: no body file has it, and a skill that speaks with the sound player claims it
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
    """The light of the eyes; ``color`` is red, green, blue (0..1); None keeps it and changes only the pattern."""

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
class Fall:
    """Fallen: base_link below ``height`` m or beyond ``tilt`` rad; up again after ``recover_s`` of neither."""

    height: float
    tilt: float
    recover_s: float


@dataclass(frozen=True, slots=True)
class WalkLimits:
    """The measured speeds of the gait at full command, and how fast commands may change.

    forward, backward: m/s (both > 0); turn: rad/s; amplitude_rate, forward_rate, turn_rate: full commands per s;
    brake: m before the goal from which a walk slows down;
    settle_forward: share of full speed (either way) below which a walk that stops may make its steps smaller;
    coast_forward, coast_backward, coast_turn: m and rad that the body still goes from full speed when told to stop
    (< 0: it leans back to where it came from).
    left: m/s to either side, 0 for a body that cannot go sideways; left_rate and coast_left as the others.
    brake_turn: rad before its end from which a turn on the spot slows down; 0: it does not.
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
    brake_turn: float = 0.0


class Carrier(Protocol):
    """The means by which a body moves over the floor: a gait, a base, or what another module of ``carriers`` reads."""

    @property
    def moved_by(self) -> str:
        """The module of ``motion/locomotion`` that moves such a body."""

    @property
    def walk(self) -> WalkLimits:
        """The speeds at full command."""

    def step_at(self, forward: float) -> float:
        """Return the duration of one step at a share ``forward`` of full speed (-1..1), s."""

    @property
    def balances(self) -> bool:
        """Whether it keeps the body upright, so that keyframes and recorded motions leave the legs to it."""

    @property
    def kick(self) -> BallKick | None:
        """The kick of the body; None if it cannot kick."""


@dataclass(frozen=True, slots=True)
class BodyDescription:
    """A body as its file describes it. ``channels`` are those of the body; skills may name others.

    ``carrier``: what moves it over the floor; None for a body that cannot walk.
    """

    name: str
    channels: tuple[str, ...]
    joints: tuple[Joint, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict)
    carrier: Carrier | None = None
    fall: Fall | None = None
    battery: BatteryCurve | None = None
    idle: IdleMotion | None = None

    def available(self, skill: Skill) -> bool:
        """Whether the body has every channel that the skill needs."""
        return all(channel in self.channels or channel in skill.optional for channel in skill.channels)

    def doing(self, native_skills: Container[str]) -> "BodyDescription":
        """The body without the native skills that are not among these, which nothing here does for it."""
        skills = {n: s for n, s in self.skills.items() if s.kind != "native" or n in native_skills}
        return replace(self, skills=skills)

    def skill_infos(self) -> tuple[SkillInfo, ...]:
        """The public information on each skill, in the order of the file."""
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
