# SPDX-License-Identifier: Apache-2.0
"""Scores a gait by driving it with velocity commands, pushes and stops; more points are better, about 25 is good."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from robot_model import CYCLE, Placed, RobotModel

from embodiment_bridge.body.carriers.gait import gait_of
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.motion.runner import MotionRunner

STAND_S = 1.2  # s to get from the first pose to a stand
PUSH_S = 0.1  # s that a push lasts
LATE_SHARE = 0.03  # of cycles in which a target comes a cycle later than usual
STALL_SHARE = 0.003  # of cycles in which answers stop for STALL_CYCLES, as on a busy machine
STALL_CYCLES = 4
UPRIGHT_RAD = 0.06  # mean lean of the torso that costs nothing
CLEARANCE_M = 0.035  # foot height that gives all points
BACK_LEAN = 1.0  # points per 0.1 rad

Velocity = tuple[float, float, float]  # m/s forward, m/s left, rad/s


@dataclass
class Drive:
    """The outcome of one command: s, m and rad in the frame of the start, mean pitch, mean height of lifted feet.

    headings: of the torso in each cycle, rad in the frame of the start; the last one is ``turned``.
    """

    seconds: float
    forward: float
    left: float
    turned: float
    pitch: float
    wobble: float
    clearance: float
    headings: list[float]


class Driven:
    """A robot in the model that follows velocity commands; ``stalls``: some targets come later than the others."""

    def __init__(self, model: RobotModel, body: BodyDescription, seed: int, *, stalls: bool = True) -> None:
        self._stalls = stalls
        self._model = model
        self.things: dict[str, Placed] = {}
        self.runner = MotionRunner(body, things=self.known)
        self._chance = np.random.default_rng(seed)
        self._ball: tuple[float, float] = ()
        self.state = model.reset(seed)
        self._yaw = self.state.yaw
        self.lowest = math.inf
        for _ in range(int(STAND_S / CYCLE)):
            self._cycle()
        self._sole = min(self._heights_of_feet())

    @property
    def fallen(self) -> bool:
        """Whether the robot fell."""
        return self.runner.status == "fallen"

    def drive(self, seconds: float, velocity: Velocity, push: tuple[float, float] = (0.0, 0.0)) -> Drive:
        """Command a velocity for so long, or until it falls; push the torso first, N s forward and left."""
        begin, yaw = self.state, self._yaw
        pitches, feet, headings, left_s = [], [], [], PUSH_S
        for cycle in range(int(seconds / CYCLE)):
            force = self._model.data.xfrc_applied[self._model.torso]
            c, s = math.cos(self._yaw), math.sin(self._yaw)
            share = 1.0 / PUSH_S if left_s > 1e-9 else 0.0
            force[0], force[1] = (
                share * (c * push[0] - s * push[1]),
                share * (s * push[0] + c * push[1]),
            )
            left_s -= CYCLE
            if cycle % 5 == 0:
                self.runner.set_velocity(velocity[0], velocity[2], left=velocity[1])
            self._cycle()
            pitches.append(self.state.pitch)
            headings.append(self._yaw - yaw)
            feet.append(max(self._heights_of_feet()) - self._sole)
            if self.fallen:
                break
        self._model.data.xfrc_applied[self._model.torso] = 0.0
        dx, dy = (self.state.base_position[i] - begin.base_position[i] for i in (0, 1))
        c, s = math.cos(yaw), math.sin(yaw)
        peaks = [max(feet[i : i + 10]) for i in range(0, len(feet), 10)]
        return Drive(
            len(pitches) * CYCLE,
            c * dx + s * dy,
            c * dy - s * dx,
            self._yaw - yaw,
            float(np.mean(pitches)),
            float(np.std(pitches)),
            float(np.mean(peaks)),
            headings,
        )

    def until_report(self, seconds: float) -> tuple[float, str]:
        """Let cycles pass until a skill has ended, at most so long; s, and how it ended ("" if it did not)."""
        for cycle in range(int(seconds / CYCLE)):
            self._cycle()
            for report in self.runner.take_reports():
                if report.status.ended:
                    return cycle * CYCLE, report.status.value
        return seconds, ""

    @staticmethod
    def placed(kind: str, x: float, y: float) -> Placed:
        """A thing for ``things``, at (x, y) m on the floor."""
        return Placed(kind, (x, y, 0.0))

    def known(self) -> dict[str, Placed]:
        """The things for the skills: ``things``, and the ball."""
        return {**self.things, **self._model.things()}

    def cycles(self, seconds: float, until: Callable[[], bool] = bool) -> None:
        """Let cycles pass without a command, for so long or until something is so."""
        for _ in range(int(seconds / CYCLE)):
            self._cycle()
            if until():
                return

    @property
    def yaw(self) -> float:
        """Heading of the robot, rad, without a jump at half a turn."""
        return self._yaw

    def place_ball(self, ahead: float, left: float) -> None:
        """Put the ball on the ground, m from the robot."""
        c, s = math.cos(self._yaw), math.sin(self._yaw)
        x, y, _ = self.state.base_position
        self._ball = (x + c * ahead - s * left, y + s * ahead + c * left)
        self._model.place_ball(*self._ball)

    def ball_moved(self) -> tuple[float, float]:
        """How far the ball went since it was placed, m along x and y of the field."""
        x, y = self._model.ball.qpos[:2].tolist()
        return x - self._ball[0], y - self._ball[1]

    @property
    def ball_velocity(self) -> tuple[float, float]:
        """Of the ball, m/s along x and y of the field."""
        x, y = self._model.ball.qvel[:2].tolist()
        return x, y

    def _heights_of_feet(self) -> list[float]:
        return [float(self._model.data.xpos[foot][2]) for foot in self._model.feet]

    def _cycle(self) -> None:
        before = self.state
        targets = self.runner.step(before, CYCLE)
        chance = self._chance.random() if self._stalls else 1.0
        for _ in range(STALL_CYCLES if chance < STALL_SHARE else 1 if chance < LATE_SHARE else 0):
            self._model.step(targets)
        self.state = self._model.step(targets)
        self._yaw += math.remainder(self.state.yaw - before.yaw, 2 * math.pi)
        self.lowest = min(self.lowest, self.state.base_position[2])


def points(model: RobotModel, body: BodyDescription, seed: int) -> float:
    """Points of a gait in one model: speed, side steps, curves, random commands, pushes. A fall ends it."""
    total = 0.0
    for number, scenario in enumerate((_straight, _sideways, _random, _pushes)):
        driven = Driven(model, body, seed + 7 * number)
        total += scenario(driven, body, np.random.default_rng(seed + number))
        if driven.fallen and number < 2:
            break  # the rest would tell little, and bad gaits shall be quick to judge
    return total


def _style(drive: Drive) -> float:
    """Up to 0: what leaning, wobbling and shuffling cost."""
    lean = max(abs(drive.pitch) - UPRIGHT_RAD, 0.0)
    low = max(CLEARANCE_M - drive.clearance, 0.0) / CLEARANCE_M
    return -10.0 * BACK_LEAN * lean - 10.0 * max(drive.wobble - 0.03, 0.0) - 1.5 * low


def _straight(driven: Driven, body: BodyDescription, _: np.random.Generator) -> float:
    walk = gait_of(body).walk
    there = driven.drive(11.0, (walk.forward, 0.0, 0.0))
    total = 2.0 * there.seconds / 11.0 + 5.0 * min(max(there.forward, 0.0) / (11.0 * walk.forward), 1.0)
    if driven.fallen:
        return total
    total += _style(there) - abs(there.left) - 2.0 * abs(there.turned)
    driven.drive(1.0, (walk.forward, 0.0, 0.4 * walk.turn))
    stop = driven.drive(1.5, (0.0, 0.0, 0.0))
    back = driven.drive(4.0, (-walk.backward, 0.0, 0.0))
    total += 0.5 * (not driven.fallen) + min(max(-back.forward, 0.0) / (4.0 * walk.backward), 1.0)
    return total - max(abs(stop.forward) - 0.1, 0.0)


def _sideways(driven: Driven, body: BodyDescription, _: np.random.Generator) -> float:
    walk, total = gait_of(body).walk, 0.0
    for sign in (1.0, -1.0):
        did = driven.drive(4.0, (0.0, sign * walk.left, 0.0))
        total += 1.5 * min(max(sign * did.left, 0.0) / (4.0 * walk.left), 1.0) - 0.5 * abs(did.forward)
        if driven.fallen:
            return total
        did = driven.drive(3.0, (0.0, 0.0, sign * walk.turn))
        total += 1.0 * min(max(sign * did.turned, 0.0) / (3.0 * walk.turn), 1.0)
        total -= 0.5 * math.hypot(did.forward, did.left)
        if driven.fallen:
            return total
    slow = driven.drive(4.0, (0.1, 0.0, 0.0))
    return total + 1.0 - min(abs(slow.forward - 0.4) / 0.4, 1.0)


def _random(driven: Driven, body: BodyDescription, chance: np.random.Generator) -> float:
    walk, done, length = gait_of(body).walk, 0.0, 16.0
    while done < length and not driven.fallen:
        shares = np.clip(chance.uniform(-1.4, 1.4, 3), -1.0, 1.0)
        if chance.random() < 0.2:
            shares = np.zeros(3)
        full = walk.forward if shares[0] > 0.0 else walk.backward
        wanted = (float(shares[0]) * full, float(shares[1]) * walk.left, float(shares[2]) * walk.turn)
        done += driven.drive(float(chance.uniform(0.6, 2.0)), wanted).seconds
    return 5.0 * min(done / length, 1.0)


def _pushes(driven: Driven, body: BodyDescription, chance: np.random.Generator) -> float:
    walk, total = gait_of(body).walk, 0.0
    driven.drive(1.5, (0.6 * walk.forward, 0.0, 0.0))
    for strength in (5.0, 8.0, 11.0, 14.0, 17.0, 20.0):
        for angle in (0.5 * math.pi, -0.5 * math.pi, 0.0, math.pi):
            push = strength * math.cos(angle), strength * math.sin(angle)
            driven.drive(1.2 + 0.3 * float(chance.random()), (0.6 * walk.forward, 0.0, 0.0), push)
            if driven.fallen:
                return total
            total += 0.25
    return total
