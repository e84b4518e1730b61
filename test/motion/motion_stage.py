# SPDX-License-Identifier: Apache-2.0
"""A runner on a body that obeys at once, stepped at 50 Hz, with all its reports kept."""

import math
from dataclasses import replace
from pathlib import Path

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.gait.walk import Walker
from embodiment_bridge.motion.runner import MotionRunner

DT = 0.02
T1_FILE = Path(__file__).parents[2] / "config/bodies/t1.yaml"
T1 = read_body(T1_FILE)
HEIGHT = 0.65  # m
SEED_ACTIONS = (
    "reset", "eye_red", "eye_green", "eye_blue", "eye_yellow", "eye_open", "eye_close", "eye_wink", "head_shake",
    "waist_shake", "hand_grip", "hand_relax", "hand_roll", "hand_pitch", "foot_yaw", "foot_pitch", "step_forward",
    "step_backward", "turn_left", "turn_right",
)  # fmt: skip

SMALL_FILE = """
body: small
channels: [head, waist, arm_l, arm_r]
joints:
  yaw: {channel: head, range: [-1.0, 1.0], velocity: 2.0, effort: 1, kp: 10, kd: 1, mirror: -yaw}
  turn: {channel: waist, range: [-1.0, 1.5], velocity: 4.0, effort: 1, kp: 20, kd: 2, rest: 0.5}
  left: {channel: arm_l, range: [-1.0, 1.0], velocity: 2.0, effort: 1, kp: 30, kd: 3, mirror: -right}
  right: {channel: arm_r, range: [-1.0, 1.0], velocity: 2.0, effort: 1, kp: 40, kd: 4, mirror: -left}
skills:
  nod: {kind: motion, channels: [head], nominal_s: 2.0, min_s: 1.0, keyframes: [{at: 0.5, yaw: 0.5}, {at: 1.0, yaw: 0}]}
  look:
    kind: motion
    channels: [head]
    nominal_s: 1.0
    min_s: 1.0
    on_stop: reset
    keyframes: [{at: 1.0, yaw: 0.8}]
  bow: {kind: motion, channels: [waist], nominal_s: 1.0, min_s: 0.5, on_stop: finish, keyframes: [{at: 1.0, turn: 1.0}]}
  wave:
    kind: motion
    channels: [arm_l, arm_r]
    nominal_s: 2.0
    min_s: 2.0
    then_mirrored: true
    keyframes: [{at: 0.5, left: 0.5}, {at: 1.0, left: 0.0}]
  lift: {kind: motion, channels: [arm_l], nominal_s: 1.0, min_s: 0.5, keyframes: [{at: 1.0, left: -0.5}]}
  reset:
    kind: motion
    channels: [head, waist, arm_l, arm_r]
    nominal_s: 1.0
    min_s: 0.5
    keyframes: [{at: 1.0, rest: true}]
  eye_red: {kind: light, channels: [eyes], nominal_s: 0.0, min_s: 0.0, light: {pattern: steady, color: [1, 0, 0]}}
  grip: {kind: motion, channels: [hand_l], nominal_s: 0.6, min_s: 0.3}
  grab: {kind: native, channels: [hand_l], nominal_s: 1.0, min_s: 0.0}
"""
SMALL = parse_body(SMALL_FILE, "small.yaml")

ARM_FILE = """
body: arm
channels: [arm_l]
joints:
  upper: {channel: arm_l, range: [-1.0, 1.0], velocity: 1.0, effort: 1, kp: 10, kd: 1}
  fore: {channel: arm_l, range: [-1.0, 1.0], velocity: 1.0, effort: 1, kp: 10, kd: 1}
skills: {}
"""
ARM = parse_body(ARM_FILE, "arm.yaml")  # two joints of one channel


class MovedBody:
    """Steps a runner; joints are where they were told to be, and the base moves as the walk says."""

    def __init__(self, body: BodyDescription = SMALL, settle: float = 2.0, *, to_rest: bool = True) -> None:
        self.body = body
        self.runner = MotionRunner(body, to_rest=to_rest)
        self.index = {joint.name: i for i, joint in enumerate(body.joints)}
        zero = tuple(0.0 for _ in body.joints)
        self.state = BodyState(0.0, zero, zero, (0.0, 0.0, HEIGHT), has_base=True)
        self.targets: JointTargets | None = None
        self.track: list[tuple[float, ...]] = []
        self.reports: list[SkillReport] = []
        self.run(settle)
        self.track.clear()

    @property
    def walker(self) -> Walker:
        """What steps; the runner tells its velocity, but not its phase, kicks and joints."""
        return self.runner._legs.walker

    def start(self, name: str, slot: float = 0.0, **parameters: float) -> str:
        request_id = f"{name}-{len(self.reports)}-{self.state.time:.2f}"
        self.runner.start(SkillRequest(request_id, name, parameters, slot))
        return request_id

    def step(self, dt: float = DT) -> JointTargets:
        targets = self.targets = self.runner.step(self.state, dt)
        self.track.append(targets.position)
        self.reports += self.runner.take_reports()
        self.state = replace(self.moved(dt), time=self.state.time + dt, position=targets.position)
        return targets

    def moved(self, dt: float) -> BodyState:
        if self.runner._legs is None:
            return self.state
        walker, limits, state = self.walker, self.body.carrier.walk, self.state
        speed = walker.forward * (limits.forward if walker.forward > 0 else limits.backward)
        yaw = state.yaw + walker.turn * limits.turn * dt
        x, y, z = state.base_position
        c, s, side = math.cos(yaw), math.sin(yaw), walker.left * limits.left
        moved = (x + (speed * c - side * s) * dt, y + (speed * s + side * c) * dt, z)
        return replace(state, base_position=moved, yaw=math.remainder(yaw, 2 * math.pi))

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / DT)):
            self.step()

    def finish(self, request_id: str, limit: float = 30.0) -> SkillReport:
        """Step until the skill ends; its last report."""
        for _ in range(round(limit / DT)):
            self.step()
            if (report := self.last(request_id)) and report.status.ended:
                return report
        raise AssertionError(f"{request_id} did not end in {limit} s: {self.last(request_id)}")

    def last(self, request_id: str) -> SkillReport | None:
        return next((r for r in reversed(self.reports) if r.id == request_id), None)

    def status(self, request_id: str) -> SkillStatus | None:
        report = self.last(request_id)
        return report.status if report else None

    def angle(self, joint: str) -> float:
        return self.targets.position[self.index[joint]]

    def angles(self, joint: str) -> list[float]:
        return [position[self.index[joint]] for position in self.track]
