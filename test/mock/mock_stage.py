# SPDX-License-Identifier: Apache-2.0
"""The mock body in its world, moved by a runner as the node does it, without ROS."""

from collections.abc import Callable
from pathlib import Path

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest
from embodiment_bridge.mock.sight import sightings
from embodiment_bridge.mock.skills import NativeSkills
from embodiment_bridge.mock.world import World
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.scene.entities import Sighting

ROOT = Path(__file__).parents[2]
BODY = read_body(ROOT / "config/bodies/mock.yaml")
DT = 0.02


class Stage:
    """A world with the ball at (x, y) and the body that stands at the origin."""

    def __init__(self, ball: tuple[float, float] | None = None, seed: int = 0) -> None:
        self.world = World(BODY, seed)
        if ball is not None:
            self.world.ball.x, self.world.ball.y = ball
        self.runner = MotionRunner(
            BODY,
            NativeSkills(self.world, BODY.joints).starts,
            lambda: {thing.id: thing for thing in sightings(self.world, BODY.name)},
        )
        self.reports: list[SkillReport] = []
        self.run(0.1)

    def things(self) -> dict[str, Sighting]:
        return {thing.id: thing for thing in sightings(self.world, BODY.name)}

    def step(self) -> None:
        targets = self.runner.step(self.world.state, DT)
        self.reports += self.runner.take_reports()
        forward, left, turn = self.runner.velocity
        self.world.step(DT, targets.position, forward, turn, left)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / DT)):
            self.step()

    def start(self, name: str, slot: float = 0.0, **parameters: float | str) -> str:
        request_id = f"{name} {len(self.reports)}"
        self.runner.start(SkillRequest(request_id, name, parameters, slot))
        return request_id

    def last(self, request_id: str) -> SkillReport:
        return next(report for report in reversed(self.reports) if report.id == request_id)

    def do(self, name: str, slot: float = 0.0, **parameters: float | str) -> SkillReport:
        """Do a skill to its end; its last report."""
        return self.finish(self.start(name, slot, **parameters), lambda: None)

    def finish(self, request_id: str, look: Callable[[], object]) -> SkillReport:
        """Step to the end of a skill and ``look`` after each step; its last report."""
        for _ in range(10_000):
            self.step()
            look()
            if self.last(request_id).status.ended:
                return self.last(request_id)
        raise AssertionError(f"{request_id} did not end")
