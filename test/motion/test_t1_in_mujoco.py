# SPDX-License-Identifier: Apache-2.0
"""T1 and K1 on the server's own models: they walk, kick, and get up."""

import math
import sys
from pathlib import Path

import pytest
from motion_stage import SEED_ACTIONS, T1

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.runner import MotionRunner

pytest.importorskip("mujoco")
pytest.importorskip("rcsssmj")
sys.path.insert(0, str(Path(__file__).parents[2] / "tools/gait_search"))
from drives import Driven
from robot_model import CYCLE, RobotModel

UPRIGHT = 0.6  # m
USUAL = 1  # cycles of delay: the server's default mode
LATE = 3  # a slow client


class Robot:
    """The T1 in the model with a runner, standing."""

    def __init__(self, model: RobotModel, seed: int = 0) -> None:
        self.model = model
        self.runner = MotionRunner(T1)
        self.state = model.reset(seed)
        self.yaw, self.lowest = self.state.yaw, math.inf
        self.ended: dict[str, SkillReport] = {}
        self.run(1.2)

    def cycle(self) -> None:
        before = self.state
        self.state = self.model.step(self.runner.step(before, CYCLE))
        self.yaw += math.remainder(self.state.yaw - before.yaw, 2 * math.pi)
        self.lowest = min(self.lowest, self.state.base_position[2])
        self.ended |= {r.id: r for r in self.runner.take_reports() if r.status.ended}

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / CYCLE)):
            self.cycle()

    def do(self, name: str, slot: float = 0.0, **parameters: float) -> tuple[float, float, float, float]:
        """Run a skill to its end: s it took, m forward and left, rad turned."""
        begin, yaw = self.state, self.yaw
        self.ended.pop(name, None)
        self.runner.start(SkillRequest(name, name, parameters, slot))
        while name not in self.ended:
            self.cycle()
        assert self.ended[name].status in (SkillStatus.SUCCEEDED, SkillStatus.SKIPPED), self.ended[name]
        dx, dy = (self.state.base_position[i] - begin.base_position[i] for i in (0, 1))
        c, s = math.cos(yaw), math.sin(yaw)
        return self.state.time - begin.time, c * dx + s * dy, c * dy - s * dx, self.yaw - yaw


@pytest.fixture(scope="module", params=[USUAL, LATE], ids=["usual delay", "late"])
def model(request) -> RobotModel:
    return RobotModel(T1, request.param)


def test_all_actions_of_the_behaviour_language_leave_it_upright(model) -> None:
    robot = Robot(model)
    for action in SEED_ACTIONS:
        robot.do(action, 1.0)
    assert robot.lowest > UPRIGHT
    assert robot.runner.status == "standing"


def test_emotions_lean_and_crouch_and_leave_it_upright(model) -> None:
    robot, height, leaning = Robot(model, seed=2), [], []
    for emotion in EMOTIONS:
        robot.do(emotion)
        robot.run(0.6)
        height.append(robot.state.base_position[2])
        leaning.append(robot.state.pitch)
        assert robot.runner.status == "standing", emotion
    afraid, surprised, sad = (EMOTIONS.index(name) for name in ("afraid", "surprised", "sad"))
    assert height[afraid] < height[-1] - 0.06
    assert leaning[surprised] < leaning[-1] - 0.1
    assert leaning[sad] > leaning[-1] + 0.15


def test_steps_and_turns_have_their_size(model) -> None:
    robot = Robot(model, seed=1)
    for name, forward, turned in (
        ("step_forward", 0.1, 0.0),
        ("step_backward", -0.1, 0.0),
        ("turn_left", 0.0, math.radians(15)),
        ("turn_right", 0.0, -math.radians(15)),
    ):
        seconds, ahead, left, turn = robot.do(name)
        assert seconds < 2.0, name
        assert ahead == pytest.approx(forward, abs=0.06), name
        assert left == pytest.approx(0.0, abs=0.08), name
        assert turn == pytest.approx(turned, abs=0.12), name
    assert robot.lowest > UPRIGHT


def test_walks_six_seconds_straight_and_stands(model) -> None:
    robot = Robot(model, seed=2)
    _, ahead, left, _ = robot.do("walk", duration=6.0)
    robot.run(1.0)
    assert ahead > 1.6
    assert abs(left) < 0.25
    assert robot.lowest > UPRIGHT
    assert robot.runner.status == "standing"


def test_waves_while_it_walks_a_curve_and_stops_at_once(model) -> None:
    robot = Robot(model, seed=3)
    robot.runner.start(SkillRequest("walk", "walk", {"turn": 0.3, "duration": 30.0}))
    robot.run(1.5)
    for name in ("hand_pitch", "head_shake", "hand_roll"):
        robot.do(name)
    robot.runner.stop()
    robot.run(2.0)
    assert robot.ended["walk"].status is SkillStatus.CANCELED
    assert robot.runner.status == "standing"
    assert robot.lowest > UPRIGHT


def test_velocities_are_kept_on_each_axis_upright(model) -> None:
    robot = Robot(model, seed=4)
    walk = T1.carrier.walk
    for forward, left, turn in (
        (walk.forward, 0.0, 0.0),
        (0.1, 0.0, 0.0),
        (0.0, -walk.left, 0.0),
        (0.0, 0.0, 0.5),
    ):
        robot.runner.set_velocity(forward, turn, timeout=60.0, left=left)
        robot.run(2.0)
        begin, yaw = robot.state, robot.yaw
        robot.run(6.0)
        dx, dy = (robot.state.base_position[i] - begin.base_position[i] for i in (0, 1))
        c, s = math.cos(yaw), math.sin(yaw)
        speeds = (c * dx + s * dy) / 6.0, (c * dy - s * dx) / 6.0, (robot.yaw - yaw) / 6.0
        slack = 0.06 if model.delay == USUAL else 0.15
        assert speeds == pytest.approx((forward, left, turn), abs=slack)
        assert abs(robot.state.pitch) < 0.12
    assert robot.lowest > UPRIGHT


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("robot", ["t1", "k1"])
@pytest.mark.parametrize(("way", "direction"), [(2.0, 0.4), (3.5, -0.4)])
def test_kick_goes_where_it_is_asked(robot, way, direction) -> None:
    body = read_body(ROOT / f"config/bodies/{robot}.yaml")
    driven = Driven(RobotModel(body, 1), body, 1, stalls=False)
    driven.place_ball(0.7, 0.1)
    yaw = driven.yaw
    driven.runner.start(SkillRequest("kick", "kick", {"distance": way, "direction": direction}))
    _, ended = driven.until_report(30.0)
    driven.cycles(4.0)
    x, y = driven.ball_moved()
    assert (ended, driven.fallen) == ("succeeded", False)
    assert math.hypot(x, y) == pytest.approx(way, rel=0.5)
    assert math.remainder(math.atan2(y, x) - yaw - direction, 2 * math.pi) == pytest.approx(0.0, abs=0.5)
