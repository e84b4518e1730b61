# SPDX-License-Identifier: Apache-2.0
"""Ramps the commands of a gait so that they never jump, and swings free arms with the walk."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, pi, sin

from embodiment_bridge.body.carriers.gait import Gait
from embodiment_bridge.body.description import Joint, WalkLimits
from embodiment_bridge.body.stance import UPRIGHT, Stance
from embodiment_bridge.motion.gait.gait import GaitPattern, Step
from embodiment_bridge.motion.gait.steps import Kick, KickStep
from embodiment_bridge.motion.joints.posture import ChannelArbiter
from embodiment_bridge.motion.joints.sensing import LEVEL, Balance

STILL = 1e-9
TOGETHER = 1.1  # length of (forward, turn, left): all three at full command throw a robot over
MOST_HURRY = 0.3  # share of the frequency by which balance may change it


@dataclass(frozen=True, slots=True)
class WalkCommand:
    """Says whether to step, and in which direction.

    ``forward``, ``turn`` and ``left`` (to the side): -1..1 of full speed, + forward and left. ``kick``: the next step
    of this foot kicks, if the gait has a kick.
    """

    stepping: bool = False
    forward: float = 0.0
    turn: float = 0.0
    left: float = 0.0
    kick: Kick | None = None

    @property
    def length(self) -> float:
        """The length of the vector (forward, turn, left)."""
        return hypot(self.forward, self.turn, self.left)


STAND = WalkCommand()


class Pace:
    """Holds the pace: ``forward``, ``turn``, ``left`` are -1..1 of full speed and follow commands without a jump.

    ``limits``: at full speed. ``kicking``: a kick is under way, which only legs have. ``kicks``: so many have begun.
    ``stands_to_kick``: the body comes to a stand between the command to kick and the kick.
    """

    kicking = False
    kicks = 0
    stands_to_kick = False

    def __init__(self, limits: WalkLimits) -> None:
        self.limits = limits
        self.reset()

    def reset(self) -> None:
        """Stand."""
        self.forward = self.turn = self.left = 0.0
        self.kicking = False

    @property
    def standing(self) -> bool:
        """Whether the walk has ended."""
        return max(abs(self.forward), abs(self.turn), abs(self.left)) < STILL

    @property
    def velocity(self) -> tuple[float, float, float]:
        """The commanded velocity: m/s forward, m/s left, rad/s (+ left)."""
        limits = self.limits
        full = limits.forward if self.forward > 0.0 else limits.backward
        return self.forward * full, self.left * limits.left, self.turn * limits.turn

    def possible(self, command: WalkCommand) -> WalkCommand:
        """Return ``command``, slower if its three axes together are too much."""
        return command

    def step(self, command: WalkCommand, dt: float) -> None:
        """Advance by ``dt`` s towards the command."""
        limits, stepping = self.limits, command.stepping
        self.forward = near(self.forward, command.forward if stepping else 0.0, limits.forward_rate * dt)
        self.turn = near(self.turn, command.turn if stepping else 0.0, limits.turn_rate * dt)
        self.left = near(self.left, command.left if stepping else 0.0, limits.left_rate * dt)


def together(command: WalkCommand) -> WalkCommand:
    """Return ``command``, slower in the same direction if its three axes together exceed ``TOGETHER``."""
    if command.length <= TOGETHER:
        return command
    share = TOGETHER / command.length
    return replace(
        command, forward=share * command.forward, turn=share * command.turn, left=share * command.left
    )


class LegWalker(Pace, ABC):
    """Drives legs at a pace."""

    @abstractmethod
    def step(self, command: WalkCommand, dt: float, balance: Balance = LEVEL) -> None:
        """Advance by ``dt`` s towards the command."""
        super().step(command, dt)

    @abstractmethod
    def write(self, out: list[float], balance: Balance, stance: Stance = UPRIGHT) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; return the swing (rad) of left and right shoulder."""


class Walker(LegWalker):
    """Drives the legs: standing is the gait at amplitude 0, with its balance feedback."""

    def __init__(self, gait: Gait, index: Mapping[str, int]) -> None:
        self._pattern = GaitPattern(gait, index)
        self._p = gait.parameters
        self._kick = KickStep(gait.kick)
        super().__init__(gait.walk)

    def reset(self) -> None:
        """Stand."""
        super().reset()
        self.phase = self.amplitude = 0.0
        self._pattern.reset()
        self._kick.reset()

    @property
    def standing(self) -> bool:
        """Whether the feet are still and the walk has ended."""
        return self.amplitude < STILL and super().standing

    def possible(self, command: WalkCommand) -> WalkCommand:
        """Return ``command``, slower if its three axes together are more than a gait on two legs can do."""
        return together(command)

    def step(self, command: WalkCommand, dt: float, balance: Balance = LEVEL) -> None:
        """Advance by ``dt`` s towards the command; steps are shorter or longer with ``balance`` of the hips."""
        command = self.possible(command)
        limits = self.limits
        if self.amplitude <= STILL:
            # The first step of a turn is that of the outer foot, and to a side that of the foot on this side.
            self.phase = 0.5 if command.turn > abs(command.left) or command.left < -abs(command.turn) else 0.0
        # A kick that has begun goes on to its end, at most one step: the foot that swings far is set down as planned.
        keep_on = command.stepping or self.kicking or abs(self.forward) > limits.settle_forward
        self.amplitude = near(self.amplitude, 1.0 if keep_on else 0.0, limits.amplitude_rate * dt)
        super().step(command, dt)
        if self.amplitude <= STILL:
            self.phase = 0.0
            self._kick.reset()
            self.kicking = False
            return
        towards = self._too_fast(balance)[1] * (1.0 if self.phase < 0.5 else -1.0)
        hurry = min(max(self._p.timing_gain * towards, -MOST_HURRY), MOST_HURRY)
        before, rate = self.phase, self._kick.rate * (1.0 + hurry)
        self.phase = (before + self._p.frequency_at(self.forward) * rate * dt) % 1.0
        self._kick.step(command.kick, before, self.phase)
        if self._kick.kicking and not self.kicking:
            self.kicks += 1
        self.kicking = self._kick.kicking

    def write(self, out: list[float], balance: Balance, stance: Stance = UPRIGHT) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; return the swing (rad) of left and right shoulder."""
        too_fast, kick = self._too_fast(balance), self._kick.swing(self.phase)
        step = Step(self.phase, self.amplitude, self.forward, self.turn, self.left, too_fast, stance, kick)
        return self._pattern.write(out, step, balance)

    def _too_fast(self, balance: Balance) -> tuple[float, float]:
        """Return by how much the hips exceed their speed at this moment of a step, m/s forward and left."""
        ahead, left, _ = self.velocity
        left += self._p.sway_speed * sin(2 * pi * (self.phase + self._p.sway_speed_phase))
        return balance.ahead - ahead, balance.left - left


def near(value: float, goal: float, step: float) -> float:
    """Return ``value``, moved towards ``goal`` by at most ``step``."""
    return value + within(goal - value, step)


def within(value: float, limit: float) -> float:
    """Return ``value``, limited to -``limit`` .. ``limit``."""
    return min(max(value, -limit), limit)


# Swings free arms with the walk.

JOIN_S = 0.5  # s in which an arm that has become free joins the swing


class ArmSwing:
    """Adds the swing of left and right shoulder, if the body has them, to the goals of ``joints``."""

    def __init__(self, shoulders: Sequence[int], joints: Sequence[Joint], arbiter: ChannelArbiter) -> None:
        self._shoulders = tuple((number, joints[number].channel) for number in shoulders)
        self._share = [0.0] * len(self._shoulders)
        self._arbiter = arbiter

    def add(self, goal: list[float], swing: tuple[float, float], dt: float) -> None:
        """Add ``swing`` (rad; left, right) to ``goal`` where the arm is free."""
        for n, (joint, channel) in enumerate(self._shoulders):
            free = self._arbiter.holder(channel) is None
            self._share[n] = near(self._share[n], 1.0, dt / JOIN_S) if free else 0.0
            goal[joint] += self._share[n] * swing[n]
