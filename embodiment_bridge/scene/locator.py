# SPDX-License-Identifier: Apache-2.0
"""Estimates the pose of a body in ``map``: tilt from gyro and accelerometer, place from landmarks, height from feet.

Frames are REP-103. It is for bodies whose simulator does not give their pose. With steady motion and the noise of a
soccer camera the error is a few centimetres; between pictures the gyro updates the heading, and the place stays.
"""

import math
from collections.abc import Mapping, Sequence

from embodiment_bridge.core.rotation import Vector, quaternion_from_rpy, rotate, wrap_angle
from embodiment_bridge.scene.sight import BODY, Pose

GRAVITY = 9.81  # m/s2
STEADY = 0.2  # share by which the acceleration may differ from gravity and still be used for the tilt
LOAD = 5.0  # N upward: with less a foot only touches the ground
LEVEL_TIME = 0.5  # s, time constant with which the accelerometer corrects the gyro
SHARE = 0.3  # weight of a new fix
HEIGHT_SHARE = 0.1
# m: a foot that tells another height than this is believed at once: the body dropped or was put
STEP_DOWN = 0.1
STOOD = 0.2  # s since a foot gave the height before landmarks may: at 20 m, a tilt error of 0.05 rad is 1 m
JUMP = 0.6  # m, rad: a fix that is further off means that the body was beamed
FORGET = 1.0  # s without a fix after which the place is unknown
DISTANCES = (0.5, 1000.0)  # m; nearer landmarks give a bad heading, and none is further away
STEEP = 0.3  # of a camera's view that is level, below which its heading says little of that of the body
FASTEST = 100.0  # rad/s; a faster rate is a bad value
MAX_DT = 0.1  # s


class Locator:
    """The pose estimate of one body.

    landmarks: places, m in ``map``, by the names of the camera's points.
    levelled: whether roll and pitch are known. told: whether the place was given by ``know`` and not estimated.
    """

    def __init__(self, landmarks: Mapping[str, Vector]) -> None:
        self._landmarks = landmarks
        self.forget()

    def forget(self) -> None:
        """Forget the pose, because the body is somewhere else."""
        self.roll = self.pitch = self.yaw = 0.0
        self.place: Vector = (0.0, 0.0, 0.0)
        self._age = self._stood_ago = self._anew_in = math.inf
        self.levelled = False
        self.told = False

    def forget_soon(self, seconds: float) -> None:
        """Forget the pose in ``seconds``, when the body will be elsewhere; until then pictures show the old place."""
        self._anew_in = seconds

    @property
    def known(self) -> bool:
        """Whether the last fix is recent."""
        return self._age < FORGET

    def feel(self, rates: Vector, acceleration: Vector, dt: float) -> None:
        """Update the tilt and heading from the inertial sensors, ``dt`` s after the last call.

        Args:
            rates: rad/s about the body's axes.
            acceleration: m/s2, proper, along them.
            dt: s since the last call.
        """
        dt = min(max(dt, 0.0), MAX_DT)
        self._anew_in -= dt
        if self._anew_in <= 0.0:
            self.forget()
        self._age += dt
        self._stood_ago += dt
        if all(abs(rate) < FASTEST for rate in rates):
            self.roll = wrap_angle(self.roll + rates[0] * dt)
            self.pitch = wrap_angle(self.pitch + rates[1] * dt)
            self.yaw = wrap_angle(self.yaw + rates[2] * dt)
        size = math.hypot(*acceleration)
        if not math.isfinite(size) or abs(size - GRAVITY) > STEADY * GRAVITY:
            return
        ax, ay, az = acceleration
        share = min(dt / LEVEL_TIME, 1.0) if self.levelled else 1.0
        self.levelled = True
        self.roll = wrap_angle(self.roll + share * wrap_angle(math.atan2(ay, az) - self.roll))
        level = math.atan2(-ax, math.hypot(ay, az))
        self.pitch = wrap_angle(self.pitch + share * wrap_angle(level - self.pitch))

    def stand(self, contacts: Sequence[tuple[Vector, Vector]]) -> None:
        """Update the height from contacts: points on the ground (m) and forces at them (N), both in the body's frame.

        The forces are those on the body.
        """
        level = quaternion_from_rpy(self.roll, self.pitch, 0.0)
        total = weighted = 0.0
        for point, force in contacts:
            up = rotate(level, force)[2]
            if up > LOAD:
                total += up
                weighted -= up * rotate(level, point)[2]
        if not total or not math.isfinite(weighted / total):
            return
        self._stood_ago = 0.0
        if self.told and self.known:
            return
        x, y, z = self.place
        off = weighted / total - z
        self.place = (x, y, z + (SHARE if abs(off) < STEP_DOWN else 1.0) * off)

    def look(self, seen: Sequence[tuple[str, Vector]]) -> None:
        """Update the pose from a picture: names and places of points in the body's frame, m."""
        level = quaternion_from_rpy(self.roll, self.pitch, 0.0)
        pairs = [
            (self._landmarks[name], rotate(level, there)) for name, there in seen if name in self._landmarks
        ]
        pairs = [pair for pair in pairs if DISTANCES[0] < math.hypot(*pair[1][:2]) < DISTANCES[1]]
        if len(pairs) > 1:
            self._fix(pairs, _heading(pairs))
        elif pairs and self.known:
            self._fix(pairs, self.yaw)

    def another(self) -> "Locator":
        """One that knows the tilt of this one, and not the place."""
        other = Locator(self._landmarks)
        other.roll, other.pitch, other.levelled = self.roll, self.pitch, self.levelled
        return other

    def know(self, place: Vector, heading: float, part: Pose = BODY) -> None:
        """Set the pose by the place (m) and heading (rad) of a part of the body that are known from elsewhere.

        part: where that part is in the body's frame, such as its camera; the body itself if not given.
        """
        if not math.isfinite(sum(place) + heading):
            return
        ahead = rotate(
            quaternion_from_rpy(self.roll, self.pitch, 0.0), rotate(part.quaternion, (1.0, 0.0, 0.0))
        )
        if not self.known or math.hypot(*ahead[:2]) > STEEP:
            self.yaw = wrap_angle(heading - math.atan2(ahead[1], ahead[0]))
        x, y, z = rotate(quaternion_from_rpy(self.roll, self.pitch, self.yaw), part.position)
        self.place = (place[0] - x, place[1] - y, place[2] - z)
        self._age, self.told = 0.0, True

    def _fix(self, pairs: Sequence[tuple[Vector, Vector]], yaw: float) -> None:
        c, s = math.cos(yaw), math.sin(yaw)
        weights = _weights(pairs)
        total = sum(weights)

        def mean(values: Sequence[float]) -> float:
            return sum(w * v for w, v in zip(weights, values, strict=True)) / total

        x = mean([real[0] - c * there[0] + s * there[1] for real, there in pairs])
        y = mean([real[1] - s * there[0] - c * there[1] for real, there in pairs])
        z = mean([real[2] - there[2] for real, there in pairs])
        if not math.isfinite(x + y + z + yaw):
            return
        off = wrap_angle(yaw - self.yaw)
        standing = not self.told and self._stood_ago < STOOD
        near = self.known and math.hypot(x - self.place[0], y - self.place[1]) < JUMP and abs(off) < JUMP
        if len(pairs) == 1 and not near:
            return  # one landmark corrects a place; where the body was put elsewhere, it would tell a wrong one
        share, up = (SHARE, HEIGHT_SHARE) if near else (1.0, 1.0)
        here = self.place
        self.place = (
            here[0] + share * (x - here[0]),
            here[1] + share * (y - here[1]),
            here[2] if standing else here[2] + up * (z - here[2]),
        )
        self.told = False
        self.yaw = wrap_angle(self.yaw + share * off)
        self._age = 0.0


def _heading(pairs: Sequence[tuple[Vector, Vector]]) -> float:
    """The turn (rad) about z that brings what was seen onto what is there, both about their means."""
    weights = _weights(pairs)
    total = sum(weights)
    rx = ry = sx = sy = 0.0
    for weight, (real, there) in zip(weights, pairs, strict=True):
        share = weight / total
        rx, ry = rx + share * real[0], ry + share * real[1]
        sx, sy = sx + share * there[0], sy + share * there[1]
    dot = cross = 0.0
    for weight, (real, there) in zip(weights, pairs, strict=True):
        a, b, c, d = there[0] - sx, there[1] - sy, real[0] - rx, real[1] - ry
        dot += weight * (a * c + b * d)
        cross += weight * (a * d - b * c)
    return math.atan2(cross, dot)


def _weights(pairs: Sequence[tuple[Vector, Vector]]) -> list[float]:
    """The weights of landmarks: a camera has an error in angle, which in metres grows with the distance."""
    return [1.0 / (there[0] ** 2 + there[1] ** 2 + there[2] ** 2) for _, there in pairs]
