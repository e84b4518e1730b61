# SPDX-License-Identifier: Apache-2.0
"""Velocity commands: what a body can do of one, and the claim on the legs that ends with the last of them."""

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.motion.gait.walk import Pace, WalkCommand
from embodiment_bridge.motion.skills.skill_table import SkillTable
from embodiment_bridge.motion.walking.velocity import LEAST_COMMAND, Velocity
from embodiment_bridge.motion.walking.walk_skills import full_speed, share

CLAIM = "velocity command"  # of the legs


class VelocityCommand:
    """Walks at commanded velocities.

    limits: of the body, at full speed. remark: what the last command asks in vain, for people; else empty.
    """

    def __init__(self, walker: Pace, table: SkillTable) -> None:
        self._walker, self._table = walker, table
        self.limits = walker.limits
        self._velocity = Velocity(self.limits)
        self.remark = ""

    @property
    def program(self) -> Velocity | None:
        """What walks now; None without a command, or when something else has claimed the legs."""
        return self._velocity if self._table.arbiter.holder("legs") == CLAIM else None

    def set(self, forward: float, left: float, turn: float, timeout: float) -> None:
        """Walk at m/s, m/s and rad/s for ``timeout`` s; see ``MotionRunner.set_velocity``."""
        command, remark = possible(self._walker, forward, left, turn)
        if self.program is None:
            if not command.length:
                return
            self._table.claim(CLAIM, ("legs",))
            self._velocity = Velocity(self.limits)
        self.remark = remark
        self._velocity.set(command, timeout)

    def end(self) -> None:
        """Leave the legs to others."""
        self._table.arbiter.release(CLAIM)

    def pass_time(self, dt: float) -> None:
        """Let ``dt`` s pass; when the last command has timed out, leave the legs to others."""
        self._velocity.pass_time(dt)
        if self._velocity.done:
            self.end()


def possible(walker: Pace, forward: float, left: float, turn: float) -> tuple[WalkCommand, str]:
    """The command for a velocity (m/s, m/s, rad/s), and what the body cannot do of it, for people; else empty."""
    limits = walker.limits
    parts = _out_of_range(limits, forward, left, turn)
    ahead, aside = (
        share(forward, full_speed(limits, forward)),
        share(left, limits.left) if limits.left else 0.0,
    )
    asked = WalkCommand(True, ahead, share(turn, limits.turn), aside)
    command = walker.possible(asked)
    if command is not asked:
        parts.append(f"together they are cut to {command.length / asked.length:.0%}")
    if 0.0 < command.length <= LEAST_COMMAND:
        parts.append(f"not faster than {LEAST_COMMAND:.0%} of full speed: it stands")
    return command, ", ".join(parts)


def _out_of_range(limits: WalkLimits, forward: float, left: float, turn: float) -> list[str]:
    parts = []
    if not -limits.backward <= forward <= limits.forward:
        parts.append(f"forward {forward:g} m/s is cut to {-limits.backward:g}..{limits.forward:g}")
    if left and not limits.left:
        parts.append(f"left {left:g} m/s counts as zero: this body cannot go sideways")
    elif abs(left) > limits.left:
        parts.append(f"left {left:g} m/s is cut to {-limits.left:g}..{limits.left:g}")
    if abs(turn) > limits.turn:
        parts.append(f"turn {turn:g} rad/s is cut to {-limits.turn:g}..{limits.turn:g}")
    return parts
