# SPDX-License-Identifier: Apache-2.0
"""Walks by a learned policy, and by the gait of the body where the policy does not walk, for a kick, or has failed."""

from collections.abc import Mapping
from enum import Enum
from math import hypot

from embodiment_bridge.body.carriers.gait import Gait
from embodiment_bridge.body.policy import Policy
from embodiment_bridge.body.stance import UPRIGHT, Stance
from embodiment_bridge.motion.gait.walk import LegWalker, WalkCommand, Walker, near, within
from embodiment_bridge.motion.joints.sensing import LEVEL, Balance, Sensed
from embodiment_bridge.motion.policy.controller import PolicyController, PolicyFault

JOIN_S = 0.2  # s in which the policy takes over from the gait
LEAVE_S = 0.5  # s in which the gait takes over from a policy that has come to a stand
FAULT_S = 0.06  # s in which it takes over from one that failed
PAUSE_S = 3.0  # s that the gait walks after a failure
KEEP = 0.8  # share of the least velocity down to which the policy goes on
CALM_S = 0.1  # s of calm after which a policy that was told to stand does
LEAST_BRAKE_S = 0.3
LONGEST_BRAKE_S = 1.5
CALM_SPEED = 0.15  # m/s
CALM_RATE = 0.8  # rad/s of roll and pitch


class Mode(Enum):
    """Says what drives the legs."""

    GAIT = "gait"
    POLICY = "policy"
    BRAKE = "brake"  # the policy, told to stand


class PolicyWalker(LegWalker):
    """Walks by a learned policy, like ``Walker``; commands are shares of what the policy can do.

    share: 0 where only the gait counts, 1 where only the policy does, by number of joint. remark: why the policy
    failed, for people; empty when it did not.
    """

    def __init__(self, gait: Gait, policy: Policy, index: Mapping[str, int], legs: frozenset[int]) -> None:
        self._gait, self._policy = gait, policy
        self._own = Walker(gait, index)
        self._controller = PolicyController(policy, index)
        self._knees = index[gait.left.knee], index[gait.right.knee]
        self.share = dict.fromkeys(self._controller.targets, 0.0)
        self._led = tuple(joint for joint in self.share if joint in legs)
        self._sensed: Sensed | None = None
        self._busy: frozenset[int] = frozenset()
        super().__init__(policy.walk)

    def reset(self) -> None:
        """Stand by the gait."""
        super().reset()
        self._own.reset()
        self._mode = Mode.GAIT
        self._leave_s = LEAVE_S
        self._brake_s = self._calm_s = self._pause_s = 0.0
        self.remark = ""
        for joint in self._led:
            self.share[joint] = 0.0

    @property
    def standing(self) -> bool:
        """Whether the feet are still and the walk has ended."""
        return self._mode is Mode.GAIT and not self._leading and self._own.standing and super().standing

    @property
    def gains(self) -> Mapping[int, tuple[float, float]]:
        """Stiffness kp and damping kd of the policy, by number of joint."""
        return self._controller.gains

    @property
    def _leading(self) -> bool:
        """Whether the policy still has a part in the legs."""
        return any(self.share[joint] for joint in self._led)

    def sense(self, sensed: Sensed | None, busy: frozenset[int]) -> None:
        """Note what is sensed before a step; None: the policy must not walk. busy: joints that others drive."""
        self._sensed, self._busy = sensed, busy

    def step(self, command: WalkCommand, dt: float, balance: Balance = LEVEL) -> None:
        """Advance by ``dt`` s towards the command."""
        super().step(command, dt)
        self._pause_s = max(self._pause_s - dt, 0.0)
        self.remark = self.remark if self._pause_s else ""
        self._choose(command, balance, dt)
        velocity = self.velocity if self._mode is Mode.POLICY else (0.0, 0.0, 0.0)
        if self._sensed is not None and (self._mode is not Mode.GAIT or self._leading) and not self._pause_s:
            try:
                self._controller.step(self._sensed, velocity, self._busy, dt)
            except PolicyFault as fault:
                self._fail(str(fault))
        if self._mode is not Mode.GAIT and all(self.share[joint] == 1.0 for joint in self._led):
            self._own.reset()
        else:
            self._own.step(self._own_command(command), dt, balance)
        self.kicking, self.kicks = self._own.kicking, self._own.kicks
        self._move_shares(dt)

    def write(self, out: list[float], balance: Balance, stance: Stance = UPRIGHT) -> tuple[float, float]:
        """Put the angles (rad) of legs and driven joints into ``out``.

        Return the swing of left and right shoulder.
        """
        swing = self._own.write(out, balance, stance)
        targets = self._controller.targets
        for joint, share in self.share.items():
            if share:
                out[joint] += share * share * (3.0 - 2.0 * share) * (targets[joint] - out[joint])
        rest = 1.0 - max((self.share[joint] for joint in self._led), default=0.0)
        return rest * swing[0], rest * swing[1]

    def _choose(self, command: WalkCommand, balance: Balance, dt: float) -> None:
        """Choose whether gait or policy walks from now on."""
        if self._mode is Mode.GAIT:
            if self._sensed is not None and not self._pause_s and self._wanted(command):
                self._mode = Mode.POLICY
                if not self._leading:
                    self._controller.reset()
            return
        if self._sensed is None:
            self._mode, self._leave_s = Mode.GAIT, LEAVE_S
            return
        walks_on = self._mode is Mode.POLICY and command.stepping and command.kick is None
        slowing = walks_on and self._walks(self.velocity, KEEP)
        if slowing or self._wanted(command):
            self._mode, self._brake_s, self._calm_s = Mode.POLICY, 0.0, 0.0
            return
        self._mode = Mode.BRAKE
        self._brake_s += dt
        quiet = hypot(balance.ahead, balance.left) < CALM_SPEED and hypot(*balance.rates[:2]) < CALM_RATE
        self._calm_s = self._calm_s + dt if quiet else 0.0
        if (self._calm_s >= CALM_S and self._brake_s >= LEAST_BRAKE_S) or self._brake_s >= LONGEST_BRAKE_S:
            self._mode, self._leave_s = Mode.GAIT, LEAVE_S
            self._brake_s = self._calm_s = 0.0

    def _wanted(self, command: WalkCommand) -> bool:
        """Return whether the command is one for the policy: only the gait kicks."""
        if command.kick is not None or self.kicking:
            return False
        walk = self._policy.walk
        full = walk.forward if command.forward > 0.0 else walk.backward
        velocity = command.forward * full, command.left * walk.left, command.turn * walk.turn
        return command.stepping and self._walks(velocity, 1.0)

    def _walks(self, velocity: tuple[float, float, float], share: float) -> bool:
        """Return whether an axis of ``velocity`` is beyond ``share`` of the least that the policy walks."""
        return any(abs(v) > share * least for v, least in zip(velocity, self._policy.least, strict=True))

    def _own_command(self, command: WalkCommand) -> WalkCommand:
        """Return the command in shares of what the gait can do."""
        walk = self._gait.walk
        ahead, aside, turn = self.velocity
        full = walk.forward if ahead > 0.0 else walk.backward
        shares = ahead / full, turn / walk.turn, aside / walk.left if walk.left else 0.0
        forward, turn, left = (within(value, 1.0) for value in shares)
        # While the policy still has the legs the gait would begin a kick that never reaches them.
        kick = command.kick if self._mode is Mode.GAIT else None
        return WalkCommand(command.stepping, forward, turn, left, kick)

    def _fail(self, text: str) -> None:
        """Hand over to the gait, in step: it walks on, as fast as it can, and catches the body."""
        self._mode, self._leave_s, self._pause_s = Mode.GAIT, FAULT_S, PAUSE_S
        self.remark = f"the policy {self._policy.name} gave up: {text}; the gait of the body walks"
        own, sensed = self._own, self._sensed
        if own.standing and sensed is not None:
            left, right = (sensed.position[knee] for knee in self._knees)
            command = self._own_command(WalkCommand(True))
            own.amplitude, own.phase = 1.0, 0.25 if left > right else 0.75
            own.forward, own.turn, own.left = command.forward, command.turn, command.left

    def _move_shares(self, dt: float) -> None:
        for joint, share in self.share.items():
            if joint in self._busy:
                self.share[joint] = 0.0  # its new drive began at its present angle
            elif self._mode is Mode.GAIT:
                self.share[joint] = near(share, 0.0, dt / self._leave_s)
            else:
                self.share[joint] = near(share, 1.0, dt / JOIN_S)
