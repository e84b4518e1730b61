# SPDX-License-Identifier: Apache-2.0
"""The posture of a body that has nothing to do: the stance of balancing legs, and idle motions."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from embodiment_bridge.body.config_section import Section

STANCE_LIMITS = {"lower": 0.5, "lean": 0.8, "ahead": 0.3, "sway": 0.5}  # m, rad, m, rad


@dataclass(frozen=True, slots=True)
class Stance:
    """Describes the stance of the legs of a gait, relative to their usual stance.

    lower: m that the hips are lower. lean: of the torso, rad, + forward. ahead: m that the feet are further ahead of
    the hips, which keeps the weight over them. sway: roll of both hips, rad, + brings the weight over the left foot.
    """

    lower: float = 0.0
    lean: float = 0.0
    ahead: float = 0.0
    sway: float = 0.0

    def times(self, share: float) -> "Stance":
        """``share`` of it."""
        return Stance(share * self.lower, share * self.lean, share * self.ahead, share * self.sway)

    def plus(self, other: "Stance") -> "Stance":
        """Both together."""
        return Stance(
            self.lower + other.lower,
            self.lean + other.lean,
            self.ahead + other.ahead,
            self.sway + other.sway,
        )


UPRIGHT = Stance()  # the usual stance of a gait


def read_stance(section: Section, *, has_gait: bool) -> Stance | None:
    """The ``stance`` of a section, for the legs of a gait; the usual one without the key, None without a gait.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    if not section.has("stance"):
        return Stance() if has_gait else None
    if not has_gait:
        raise section.wrong("stance", "possible without a gait")
    values = section.section("stance")
    stance = Stance(**{key: values.number(key, -most, most, 0.0) for key, most in STANCE_LIMITS.items()})
    values.close()
    return stance


# Idle motions: what a body does while it has nothing to do.

MOST_RAD = 0.2  # that breathing moves a joint


@dataclass(frozen=True, slots=True)
class Gaze:
    """The joints of the head that look somewhere: names (yaw + to the left, pitch + down).

    height: of the eyes above base_link, m.
    """

    yaw: str
    pitch: str
    height: float


@dataclass(frozen=True, slots=True)
class IdleMotion:
    """Small motions beside the pose in which the body stands.

    breath: rad by joint, of a full breath. stance: ``lower`` and ``lean`` of a full breath, ``sway`` of a shift of the
    weight to the left; ``ahead`` goes with the breath.
    """

    breath: Mapping[str, float] = field(default_factory=dict)
    stance: Stance = UPRIGHT
    gaze: Gaze | None = None


def read_idle(section: Section, joints: Mapping[str, str], *, has_gait: bool) -> IdleMotion:
    """Read ``idle`` of a body file. joints: their channels by name.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    breath: dict[str, float] = {}
    if section.has("breath"):
        angles = section.section("breath")
        angles.require(name for name, channel in joints.items() if channel != "legs")
        breath = {name: angles.number(name, -MOST_RAD, MOST_RAD) for name in angles.names()}
    gaze = None
    if section.has("gaze"):
        head = section.section("gaze")
        choices = [name for name, channel in joints.items() if channel == "head"]
        gaze = Gaze(head.text("yaw", choices), head.text("pitch", choices), head.number("height", -1.0, 3.0))
        head.close()
    stance = read_stance(section, has_gait=has_gait) or UPRIGHT
    section.close()
    return IdleMotion(breath, stance, gaze)
