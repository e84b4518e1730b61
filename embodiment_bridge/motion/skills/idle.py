# SPDX-License-Identifier: Apache-2.0
"""Small motions of a body that has nothing to do.

It breathes, shifts its weight, and looks at who speaks, at the ball or around.

Each channel for itself: one that a claim holds, or that was left beside its rest pose, is not moved. Time stands still
while anything is held, and from a stop until something is asked of the body; only legs that walk leave their motion.
"""

from collections.abc import Callable
from math import atan2, hypot, pi, sin
from random import Random

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.stance import Gaze, IdleMotion, Stance
from embodiment_bridge.body.surroundings import Things
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.motion.gait.walk import near
from embodiment_bridge.motion.joints.posture import ChannelArbiter
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.locomotion import Locomotion

# Where a free head looks: at who speaks, at the ball, at what the body does, or around.

LISTEN_S = 4.0  # s for which the head stays turned to a voice
LOOK_S = 0.2  # s between two looks at what is there
GLANCE_S = (3.0, 7.0)  # s between two glances
GLANCE = (0.3, 0.1)  # rad of yaw and pitch
ARM = (0.4, 0.3)  # rad: where an arm is that moves alone
BEHIND = 1.9  # rad: what is further round is not looked at
INTO_TURN = 0.5  # rad at full turn

Angles = tuple[float, float]  # yaw + to the left, pitch + down, rad


class GazeTarget:
    """Chooses where to look.

    Args:
        description: of the body.
        gaze: its head.
        arbiter: tells what moves.
        things: that the body sees or remembers.
        turn: the share of full turning speed, -1..1.
    """

    def __init__(
        self,
        description: BodyDescription,
        gaze: Gaze,
        arbiter: ChannelArbiter,
        things: Things,
        turn: Callable[[], float],
    ) -> None:
        self._gaze, self._arbiter, self._things, self._turn = gaze, arbiter, things, turn
        joints = {joint.name: joint for joint in description.joints}
        yaw, pitch = joints[gaze.yaw], joints[gaze.pitch]
        self._yaw = list(joints).index(gaze.yaw)
        self._limits = ((yaw.lower, yaw.upper), (pitch.lower, pitch.upper))
        self._chance = Random(0)
        self._glance: Angles = (0.0, 0.0)
        self._glance_s = self._look_s = self._listen_s = 0.0
        self._ball: Angles | None = None
        self._voice = 0.0  # rad in map, or from the start while that is not known

    def hear(self, azimuth: float, sensed: Sensed, *, by_head: bool) -> None:
        """Look towards a sound, ``azimuth`` rad to the left of where base_link, or the head, faces."""
        turned = sensed.position[self._yaw] if by_head else 0.0
        self._voice, self._listen_s = sensed.yaw + turned + azimuth, LISTEN_S

    def step(self, sensed: Sensed, dt: float) -> Angles:
        """Return where to look now, within the range of the head."""
        self._listen_s -= dt
        self._glance_s -= dt
        self._look_s -= dt
        yaw, pitch = self._wanted(sensed)
        (left, right), (up, down) = self._limits
        return min(max(yaw, left), right), min(max(pitch, up), down)

    def _wanted(self, sensed: Sensed) -> Angles:
        if self._listen_s > 0.0:
            return wrap_angle(self._voice - sensed.yaw), 0.0
        if self._look_s <= 0.0:
            self._look_s, self._ball = LOOK_S, self._find_ball(sensed)
        if self._ball is not None:
            return self._ball
        if turn := self._turn():
            return INTO_TURN * turn, 0.0
        left, right = (self._arbiter.holder(channel) is not None for channel in ("arm_l", "arm_r"))
        if left != right:
            return (ARM[0] if left else -ARM[0]), ARM[1]
        if self._glance_s <= 0.0:
            self._glance_s = self._chance.uniform(*GLANCE_S)
            yaw, pitch = (self._chance.uniform(-most, most) for most in GLANCE)
            self._glance = yaw, pitch
        return self._glance

    def _find_ball(self, sensed: Sensed) -> Angles | None:
        """Return the direction of the nearest ball; None without one, or if the body does not know where it is."""
        if not sensed.base_fresh:
            return None
        eye = sensed.z + self._gaze.height
        places = (thing.position for thing in self._things().values() if thing.kind == "ball")
        ways = [(hypot(x - sensed.x, y - sensed.y), x - sensed.x, y - sensed.y, z) for x, y, z in places]
        if not ways:
            return None
        far, dx, dy, z = min(ways)
        yaw = wrap_angle(atan2(dy, dx) - sensed.yaw)
        return (yaw, atan2(eye - z, far)) if abs(yaw) < BEHIND else None


WAIT_S = 3.0  # s that a channel is free before it moves
JOIN_S = 2.0  # s in which its motion grows to full size
LEAVE_S = 0.4  # s in which the legs leave it
BREATH_S, SHIFT_S = 4.0, 11.0  # s of a breath, and of a shift of the weight to both sides
AT_REST = 0.02  # rad from the rest pose
SPEED = 1.5  # rad/s of the head, and of joints that leave
SLOWS = 0.3  # rad before its goal the head becomes slower


class Idle:
    """Runs the idle motions of one body.

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
        """Count how long each channel has been free, s."""
        away = {
            j.channel for j, angle in zip(self._joints, goal, strict=True) if abs(angle - j.rest) > AT_REST
        }
        for channel in self._free_s:
            free = upright and channel not in held and (channel == "legs" or channel not in away)
            self._free_s[channel] = self._free_s[channel] + dt if free else 0.0

    def _share(self, channel: str) -> float:
        """Return the share of its motion that a channel does, 0..1."""
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
