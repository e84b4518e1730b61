# SPDX-License-Identifier: Apache-2.0
"""The parts of the mock body.

A base that follows velocity commands around obstacles, servos with a lag, and a battery.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, exp, isfinite, sin

from embodiment_bridge.body.description import Joint
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.mock.obstacles import Obstacle, slide

# A battery that discharges slowly.

CAPACITY_AH = 4.0
FULL_V, EMPTY_V = 12.6, 10.2  # three lithium cells
IDLE_A, DRIVE_A = 1.0, 6.0  # drawn at rest, and drawn in addition at full speed
FULL_SPEED = 0.5  # m/s


@dataclass(slots=True)
class Battery:
    """charge: 0..1 of the capacity; current: A drawn in the last step."""

    charge: float = 1.0
    current: float = IDLE_A

    @property
    def voltage(self) -> float:
        """The voltage, V."""
        return EMPTY_V + (FULL_V - EMPTY_V) * self.charge

    def step(self, speed: float, dt: float) -> None:
        """Let ``dt`` s pass at ``speed`` m/s of the base."""
        self.current = IDLE_A + DRIVE_A * min(abs(speed) / FULL_SPEED, 1.0)
        self.charge = max(self.charge - self.current * dt / (3600.0 * CAPACITY_AH), 0.0)


# Joints that follow their targets as servos do: with a lag, and within their speed and range.

LAG_S = 0.03  # s, time constant


class Servos:
    """The servos of all joints.

    position: rad, velocity: rad/s, in the order of ``joints``. They start at rest in the rest pose.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._limits = tuple((joint.lower, joint.upper, joint.velocity) for joint in joints)
        self.position = [min(max(joint.rest, joint.lower), joint.upper) for joint in joints]
        self.velocity = [0.0] * len(self.position)

    def step(self, targets: Sequence[float], dt: float) -> None:
        """Move towards ``targets`` (rad) for ``dt`` s; with a target that is not finite the joint stays where it is."""
        if dt <= 0.0:
            return
        share = 1.0 - exp(-dt / LAG_S)
        for i, (lower, upper, fastest) in enumerate(self._limits):
            here, target = self.position[i], targets[i]
            reach = fastest * dt
            way = (min(max(target, lower), upper) - here) * share if isfinite(target) else 0.0
            there = min(max(here + min(max(way, -reach), reach), lower), upper)
            # in a tiny step a rounding error is fast
            speed = min(max((there - here) / dt, -fastest), fastest)
            self.position[i], self.velocity[i] = there, speed


RADIUS = 0.18  # m
ACCELERATION = 4.0  # m/s2
TURN_ACCELERATION = 20.0  # rad/s2
FASTEST = 2.0  # m/s
FASTEST_TURN = 6.0  # rad/s


@dataclass(slots=True)
class Base:
    """x, y m and yaw rad in ``map``; forward, left m/s, turn rad/s (+ left); acceleration m/s2 of the last step."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    forward: float = 0.0
    turn: float = 0.0
    acceleration: float = 0.0
    left: float = 0.0

    @property
    def velocity(self) -> tuple[float, float]:
        """The velocity along x and y of ``map``, m/s."""
        c, s = cos(self.yaw), sin(self.yaw)
        return self.forward * c - self.left * s, self.forward * s + self.left * c

    def drive(
        self, forward: float, turn: float, dt: float, obstacles: Iterable[Obstacle], left: float = 0.0
    ) -> None:
        """Accelerate towards ``forward``, ``left`` m/s and ``turn`` rad/s for ``dt`` s.

        The way must be less than the radius.
        """
        if dt <= 0.0:
            return
        before = self.forward
        self.forward = _towards(self.forward, _within(forward, FASTEST), ACCELERATION * dt)
        self.left = _towards(self.left, _within(left, FASTEST), ACCELERATION * dt)
        self.turn = _towards(self.turn, _within(turn, FASTEST_TURN), TURN_ACCELERATION * dt)
        heading = self.yaw + 0.5 * self.turn * dt
        self.yaw = wrap_angle(self.yaw + self.turn * dt)
        if self.forward or self.left:
            c, s = cos(heading), sin(heading)
            dx, dy = (self.forward * c - self.left * s) * dt, (self.forward * s + self.left * c) * dt
            x, y = slide((self.x, self.y), (self.x + dx, self.y + dy), RADIUS, obstacles)
            # An obstacle reduces the speed to what was really driven.
            gone, aside = (x - self.x) * c + (y - self.y) * s, (y - self.y) * c - (x - self.x) * s
            if abs(gone) < abs(self.forward) * dt:
                self.forward = gone / dt
            if abs(aside) < abs(self.left) * dt:
                self.left = aside / dt
            self.x, self.y = x, y
        self.acceleration = (self.forward - before) / dt


def _towards(value: float, goal: float, step: float) -> float:
    return value + _within(goal - value, step)


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
