# SPDX-License-Identifier: Apache-2.0
"""A body among things, with a ball, that obeys at once; and a cart that has the skills for it."""

import math
from dataclasses import replace

from motion_stage import MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.scene.entities import Known, Sighting

CART = parse_body(
    """
body: cart
channels: [legs]
joints: {}
base: {forward: 0.5, backward: 0.25, turn: 1.0, left: 0.3, acceleration: 2.0, turn_acceleration: 5.0, step_s: 0.5}
skills:
  go_to:
    kind: walk
    walk: to
    channels: [legs]
    nominal_s: 4.0
    min_s: 1.0
    parameters: {thing: {longest: 20}, towards: {longest: 20}, x: {range: [-9, 9]}, y: {range: [-9, 9]}}
  find:
    kind: walk
    walk: find
    channels: [legs]
    nominal_s: 0.3
    min_s: 0.3
    parameters: {thing: {longest: 20, required: true}}
  kick:
    kind: walk
    walk: kick
    channels: [legs]
    nominal_s: 2.0
    min_s: 1.0
    parameters: {distance: {range: [0.2, 5.0]}, direction: {range: [-3, 3]}}
  dribble:
    kind: walk
    walk: dribble
    channels: [legs]
    nominal_s: 10.0
    min_s: 1.0
    parameters: {to: {longest: 20}, x: {range: [-9, 9]}, y: {range: [-9, 9]}, distance: {range: [0.1, 5.0]}}
""",
    "cart.yaml",
)
TOUCH_M = 0.25  # from the middle of the ball: the cart pushes it


class Player(MovedBody):
    """A body among things; a ball that it runs into rolls on before it, and one that it kicks is elsewhere after that.

    kicked_m, kicked_rad: how far the ball then is, and how far beside the heading.
    """

    def __init__(self, body=CART, ball: tuple[float, float] | None = None, **others: Known) -> None:
        self.ball, self.others = ball, others
        self.kicked_m, self.kicked_rad, self._kicking = 1.5, 0.0, False
        super().__init__(body, settle=0.0)
        self.runner = MotionRunner(body, {}, self.things)
        self.run(0.2)

    def things(self) -> dict[str, Known]:
        here = {} if self.ball is None else {"ball": thing("ball", *self.ball)}
        return {**here, **self.others}

    def moved(self, dt: float):
        if self.body is not CART:
            self._kick()
            return super().moved(dt)
        forward, left, turn = self.runner.velocity
        (x, y, z), yaw = self.state.base_position, self.state.yaw + turn * dt
        c, s = math.cos(yaw), math.sin(yaw)
        x, y = x + (c * forward - s * left) * dt, y + (s * forward + c * left) * dt
        if self.ball is not None and (near := math.dist((x, y), self.ball)) < TOUCH_M:
            push = TOUCH_M / near
            self.ball = x + push * (self.ball[0] - x), y + push * (self.ball[1] - y)
        return replace(self.state, base_position=(x, y, z), yaw=math.remainder(yaw, 2 * math.pi))

    def _kick(self) -> None:
        before, self._kicking = self._kicking, self.walker.kicking
        if before and not self._kicking and self.ball is not None:
            way = self.state.yaw + self.kicked_rad
            x, y = self.ball
            self.ball = x + self.kicked_m * math.cos(way), y + self.kicked_m * math.sin(way)

    def do(self, name: str, limit: float = 60.0, **parameters: float | str):
        self.runner.start(SkillRequest(name, name, parameters))
        return self.finish(name, limit)

    @property
    def place(self) -> tuple[float, float]:
        return self.state.base_position[:2]


def thing(kind: str, x: float, y: float, visible: bool = True) -> Known:
    size = 0.2 if kind == "ball" else 0.0
    return Known(Sighting(kind, kind, (x, y, 0.1), (size, size, size)), 0.0, None, visible)
