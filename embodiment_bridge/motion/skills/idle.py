# SPDX-License-Identifier: Apache-2.0
"""Small motions of a body that has nothing to do: it breathes, shifts its weight and looks around.

Each channel for itself: one that a claim holds, or that was left beside its rest pose, is not moved. Time stands still
while anything is held, and from a stop until something is asked of the body; only legs that walk leave their motion.
"""

from math import pi, sin

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.idle import IdleMotion
from embodiment_bridge.body.stance import Stance
from embodiment_bridge.body.things import Things
from embodiment_bridge.motion.gait.walk import near
from embodiment_bridge.motion.joints.arbiter import ChannelArbiter
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.locomotion import Locomotion
from embodiment_bridge.motion.skills.gaze import GazeTarget

WAIT_S = 3.0  # s that a channel is free before it moves
JOIN_S = 2.0  # s in which its motion grows to full size
LEAVE_S = 0.4  # s in which the legs leave it
BREATH_S, SHIFT_S = 4.0, 11.0  # s of a breath, and of a shift of the weight to both sides
AT_REST = 0.02  # rad from the rest pose
SPEED = 1.5  # rad/s of the head, and of joints that leave
SLOWS = 0.3  # rad before its goal the head becomes slower


class Idle:
    """The idle motions of one body.

    Args:
        description: of the body.
        motion: what it does.
        arbiter: tells which channels are held.
        legs: those that balance, if any.
        things: that the body sees or remembers.
    """

    def __init__(
        self,
        description: BodyDescription,
        motion: IdleMotion,
        arbiter: ChannelArbiter,
        legs: Locomotion | None,
        things: Things,
    ) -> None:
        self._joints = description.joints
        self._motion, self._arbiter, self._legs = motion, arbiter, legs
        self._index = {joint.name: i for i, joint in enumerate(description.joints)}
        self._free_s = dict.fromkeys(description.channels, 0.0)
        self._offset = [0.0] * len(self._joints)
        self._last = [joint.rest for joint in self._joints]
        self._legs_share = self._time = 0.0
        self._gaze = (
            GazeTarget(description, motion.gaze, arbiter, things, self._turn) if motion.gaze else None
        )

    def hear(self, azimuth: float, sensed: Sensed, *, by_head: bool) -> None:
        """Look at who speaks, ``azimuth`` rad to the left of where base_link, or the head, faces."""
        if self._gaze is not None:
            self._gaze.hear(azimuth, sensed, by_head=by_head)

    def step(self, goal: list[float], sensed: Sensed, dt: float, *, upright: bool, still: bool) -> None:
        """Let ``dt`` s pass, and add the motions to ``goal`` (rad per joint).

        upright: the body stands or walks. still: something is held, or the body was stopped.
        """
        held = {channel for channel in self._free_s if self._arbiter.holder(channel) is not None}
        self._leave(goal, held, dt)
        passes = 0.0 if still else dt
        self._time += passes
        self._count(goal, held, passes, upright=upright)
        if not still:
            self._breathe()
            self._look(sensed, dt)
        self._sway(dt, still=still)
        for number, offset in enumerate(self._offset):
            goal[number] += offset

    def _leave(self, goal: list[float], held: set[str], dt: float) -> None:
        """Leave the joints that something else moves: at once, because it began where they were."""
        for number, (joint, offset) in enumerate(zip(self._joints, self._offset, strict=True)):
            if goal[number] != self._last[number]:
                self._offset[number], self._last[number] = 0.0, goal[number]
            elif joint.channel in held:
                self._offset[number] = near(offset, 0.0, SPEED * dt)

    def _count(self, goal: list[float], held: set[str], dt: float, *, upright: bool) -> None:
        """How long each channel has been free, s."""
        away = {
            j.channel for j, angle in zip(self._joints, goal, strict=True) if abs(angle - j.rest) > AT_REST
        }
        for channel in self._free_s:
            free = upright and channel not in held and (channel == "legs" or channel not in away)
            self._free_s[channel] = self._free_s[channel] + dt if free else 0.0

    def _share(self, channel: str) -> float:
        """How much of its motion a channel does, 0..1."""
        return min(max((self._free_s[channel] - WAIT_S) / JOIN_S, 0.0), 1.0)

    @property
    def _breath(self) -> float:
        return 0.5 + 0.5 * sin(2 * pi * self._time / BREATH_S)

    def _breathe(self) -> None:
        for name, angle in self._motion.breath.items():
            number = self._index[name]
            if share := self._share(self._joints[number].channel):
                self._offset[number] = angle * self._breath * share

    def _sway(self, dt: float, *, still: bool) -> None:
        if self._legs is None or "legs" not in self._free_s:
            return
        # Somebody may walk while another one is held: not with the weight on one foot.
        stand = self._legs_share if still else self._share("legs")
        wanted = stand if self._legs.standing else 0.0
        self._legs_share = near(self._legs_share, wanted, dt / LEAVE_S)
        full, breath = self._motion.stance, self._legs_share * self._breath
        shift = self._legs_share * sin(2 * pi * self._time / SHIFT_S)
        self._legs.sway_idly(
            Stance(breath * full.lower, breath * full.lean, breath * full.ahead, shift * full.sway)
        )

    def _look(self, sensed: Sensed, dt: float) -> None:
        if self._gaze is None or self._motion.gaze is None:
            return
        target = self._gaze.step(sensed, dt)
        awake = self._free_s["head"] >= WAIT_S
        for name, wanted in zip((self._motion.gaze.yaw, self._motion.gaze.pitch), target, strict=True):
            number = self._index[name]
            way = (wanted - self._joints[number].rest if awake else 0.0) - self._offset[number]
            speed = SPEED * min(abs(way) / SLOWS, 1.0)
            self._offset[number] += min(max(way, -speed * dt), speed * dt)

    def _turn(self) -> float:
        return self._legs.walker.turn if self._legs is not None else 0.0
