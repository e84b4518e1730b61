# SPDX-License-Identifier: Apache-2.0
"""Detects a fall, chooses the get-up motion for the side on which the body lies, and starts it without being asked."""

from dataclasses import replace
from math import hypot

from embodiment_bridge.body.description import Fall, Skill
from embodiment_bridge.body.skill_info import FALL_S
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.sensing import Sensed

# A body on its side gets up as from its front, which rolls it over: rad of pitch to the back up to which it counts so.
ON_ITS_SIDE = 0.5


def side_of(pitch: float) -> str:
    """Return the side, ``front`` or ``back``, on which a fallen body lies that is pitched so (rad, + forward)."""
    return "back" if pitch < -ON_ITS_SIDE else "front"


# rad/s of roll and pitch: a body that stands sways less, one that tips over is past it in 0.2 s
QUIET_RATE = 0.4
QUIET_SPEED = 0.1  # m/s over ground: a lower speed dies away without another step
QUIET_S = 0.1  # s for which it has to be slower


class FallDetector:
    """Detects a fall at once when the body is too low or too tilted, and its end after ``recover_s`` of neither.

    Only the tilt is used if the height is unknown or estimated.

    side: on which the body lies or lay last, ``front`` or ``back``; empty before the first fall.
    after: while fallen, how long after which motion, for people; empty if it was not soon after one.
    """

    def __init__(self, fall: Fall | None) -> None:
        self._fall = fall
        self._upright_s = 0.0
        self._quiet_s = QUIET_S
        self.fallen = False
        self.side = self.after = self._motion = ""
        self._motion_s = 0.0

    @property
    def quiet(self) -> bool:
        """Whether it has neither swayed nor moved over ground for ``QUIET_S``, as far as that is sensed."""
        return self._quiet_s >= QUIET_S

    def reset(self) -> None:
        """Assume that the body is upright, and quiet."""
        self.fallen, self._upright_s, self.side = False, 0.0, ""
        self.after = self._motion = ""
        self._quiet_s = QUIET_S

    def ended(self, motion: str) -> None:
        """Note that a motion of this name has just ended; an empty name is none."""
        if motion and not self.fallen:
            self._motion, self._motion_s = motion, 0.0

    def update(self, sensed: Sensed, dt: float) -> None:
        """Update with sensed values, ``dt`` s after the last; without a sensed tilt nothing changes."""
        sways = sensed.tilt_fresh and hypot(*sensed.rates[:2]) >= QUIET_RATE
        self._quiet_s = 0.0 if sways or sensed.speed >= QUIET_SPEED else self._quiet_s + dt
        self._motion_s += dt
        if self._fall is None or not sensed.tilt_fresh:
            return
        tilt = max(abs(sensed.roll), abs(sensed.pitch))
        low = sensed.height_known and sensed.z < self._fall.height
        if low or tilt > self._fall.tilt:
            if not self.fallen and self._motion and self._motion_s <= FALL_S:
                self.after = f"fallen {self._motion_s:.1f} s after the end of {self._motion!r}"
            self.fallen, self._upright_s = True, 0.0
            self.side = side_of(sensed.pitch)
            return
        self._upright_s += dt
        if self._upright_s >= self._fall.recover_s:
            self.fallen, self.after = False, ""


# Skills for a fallen body: chooses the motion for the side on which it lies.

STILL_FALLEN = "the body is still fallen"
TRIES = 3  # motions of one skill; a body that slips is on its way up at the second or third


def as_it_lies(skill: Skill, fall: FallDetector) -> Skill:
    """Return ``skill`` with the keyframes for the side on which the body lies; without a fall it has length 0.

    Raises:
        CommandError: the skill has no keyframes for that side.
    """
    if not fall.fallen:
        return replace(skill, nominal_s=0.0)
    frames = skill.lying[fall.side]
    if not frames:
        raise CommandError(f"skill {skill.name!r} has no motion for a body that lies on its {fall.side}")
    return replace(skill, keyframes=frames)


# Gets a fallen body up without being asked.

SKILL = "get_up"
LYING_S = 1.0  # s that the body lies before it gets up: one that still rolls would be on its other side


class AutoGetUp:
    """Decides when to start the skill ``get_up``: after a second of lying without another skill for that."""

    def __init__(self) -> None:
        self._lying_s = 0.0
        self._tries = 0

    def request(self, fallen: bool, busy: bool, dt: float) -> str:
        """Return the id of a request to start now, ``dt`` s after the last call; empty: none.

        busy: a skill for fallen bodies runs, or everything is held.
        """
        self._lying_s = self._lying_s + dt if fallen and not busy else 0.0
        if self._lying_s < LYING_S:
            return ""
        self._lying_s = 0.0
        self._tries += 1
        return f"auto_get_up {self._tries}"
