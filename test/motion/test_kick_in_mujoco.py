# SPDX-License-Identifier: Apache-2.0
"""The kick of T1 and K1 on the server's own models: the ball rolls about as far and where it is asked to."""

import math
import sys
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest

pytest.importorskip("mujoco")
pytest.importorskip("rcsssmj")
sys.path.insert(0, str(Path(__file__).parents[2] / "tools/gait_search"))
from drives import Driven
from robot_model import RobotModel

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
