# SPDX-License-Identifier: Apache-2.0
"""Where a free head looks: at who speaks, at the ball, at what the body does, or around."""

from collections.abc import Callable
from math import atan2, hypot
from random import Random

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.idle import Gaze
from embodiment_bridge.body.things import Things
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.motion.joints.arbiter import ChannelArbiter
from embodiment_bridge.motion.joints.sensing import Sensed

LISTEN_S = 4.0  # s for which the head stays turned to a voice
LOOK_S = 0.2  # s between two looks at what is there
GLANCE_S = (3.0, 7.0)  # s between two glances
GLANCE = (0.3, 0.1)  # rad of yaw and pitch
ARM = (0.4, 0.3)  # rad: where an arm is that moves alone
BEHIND = 1.9  # rad: what is further round is not looked at
INTO_TURN = 0.5  # rad at full turn

Angles = tuple[float, float]  # yaw + to the left, pitch + down, rad


class GazeTarget:
    """Says where to look.

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
        """Somebody spoke, ``azimuth`` rad to the left of where base_link, or the head, faces."""
        turned = sensed.position[self._yaw] if by_head else 0.0
        self._voice, self._listen_s = sensed.yaw + turned + azimuth, LISTEN_S

    def step(self, sensed: Sensed, dt: float) -> Angles:
        """Where to look now, within the range of the head."""
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
        """The direction of the nearest ball; None without one, or if the body does not know where it is."""
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
