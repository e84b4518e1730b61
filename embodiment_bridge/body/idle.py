# SPDX-License-Identifier: Apache-2.0
"""Idle motions: what a body does while it has nothing to do."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.stance import UPRIGHT, Stance, read_stance

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
