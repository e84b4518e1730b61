# SPDX-License-Identifier: Apache-2.0
"""A base on two driven wheels that turns by their difference in speed: the section ``wheels`` of a body file."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

from embodiment_bridge.body.carriers.base import Base, even_limits
from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import Joint

RAMP_S = 0.5  # s to full speed, for wheels whose joints have no limit of acceleration
STEP_S = 0.5  # s that one of the `steps` of a walk takes, as there are none


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheels(Base):
    """A base on two wheels; a growing angle of ``left`` and ``right`` (joint names) rolls it forward.

    radius: of a wheel; distance: between the wheels; both m. ``balances``, because keyframes leave the wheels alone:
    at a rest pose they would roll away.
    """

    left: str
    right: str
    radius: float
    distance: float
    moved_by: str = "wheels"
    balances: bool = True

    def speeds(self, forward: float, turn: float) -> tuple[float, float]:
        """Return the speeds of left and right wheel, rad/s, for ``forward`` m/s and ``turn`` rad/s (+ left)."""
        difference = 0.5 * self.distance * turn
        return (forward - difference) / self.radius, (forward + difference) / self.radius


def read(section: Section, joints: Mapping[str, Joint], folder: Path | None) -> Wheels:
    """The base."""
    left, right = _wheel(section, "left", joints), _wheel(section, "right", joints)
    if left == right:
        raise section.wrong("right", "another joint than that of the left wheel")
    radius, distance = section.number("radius", 0.001, 10.0), section.number("distance", 0.001, 100.0)
    fastest = section.number("speed", 0.01, min(left.velocity, right.velocity))
    section.close()
    acceleration = min(left.acceleration, right.acceleration)
    rate = acceleration / fastest if acceleration < inf else 1.0 / RAMP_S
    forward, turn = radius * fastest, 2.0 * radius * fastest / distance
    walk = even_limits(forward, forward, turn, rate, rate)
    return Wheels(walk, STEP_S, left=left.name, right=right.name, radius=radius, distance=distance)


def _wheel(section: Section, key: str, joints: Mapping[str, Joint]) -> Joint:
    joint = joints[section.text(key, joints)]
    if joint.channel != "legs" or joint.upper < inf:
        raise section.wrong(key, "a joint of the channel legs with the range continuous")
    return joint
