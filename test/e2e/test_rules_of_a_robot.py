# SPDX-License-Identifier: Apache-2.0
"""`bml ... --robot` asks a robot of the graph; the actions PAUSE, RESUME and STOP move, or do not move, its joints."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from run_stage import RunStage
from std_msgs.msg import Bool

from embodiment_bridge.cli.robots.robot import Robot, ask_robot
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime

ROBOT = {
    "speech": "none",
    "control_actions": True,
    "missing_channel": "fail",
    "blackboard": ["battery=battery:percentage", "hot=servo_states:temperature[0]", "late=late:data"],
    "source_channels": ["cloud=-legs"],
}

LATE_S = 3.0  # when a value comes that was not there


@pytest.fixture
def stage():
    with Runtime() as runtime:
        made = RunStage(runtime, "/asked", **{"sound": "null", **ROBOT})
        made.join()
        yield made
        made.close()


def test_what_a_robot_answers_is_what_it_does(stage) -> None:
    publisher = stage.watcher.create_publisher(Bool, "late", profile("state"))
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask_robot, "/asked")
        stage.until(lambda: publisher.get_subscription_count() == 2)  # of the tree, and of who asks
        stage.spin(LATE_S)
        publisher.publish(Bool(data=True))
        stage.until(asking.done)
    answer = asking.result()
    assert set(answer.skills) == set(stage.tree.skills)
    rules = answer.rules
    assert (rules.speaks, rules.control_actions, rules.settings.missing_channel) == (False, True, "fail")
    assert "legs" not in rules.channels["cloud"]
    assert 0.0 < answer.values["battery"] <= 1.0
    assert answer.values["late"] is True
    assert answer.values["hot"] is None
    assert "hot" in answer.troubles
    asked = Robot(answer.skills, rules, "cloud").rules_for(strict=False, subtrees={})
    request = stage.tree._run_executor.ports.rules.of(stage.tree.skills, "cloud")
    assert (asked.skills, asked.urls, asked.allowed) == (request.skills, request.urls, request.allowed)


def test_a_motion_stands_between_pause_and_resume(stage) -> None:
    control = [
        {"type": "delay", "duration": 1},
        {"type": "body", "action": "PAUSE"},
        {"type": "delay", "duration": 2, "name": "standing"},
        {"type": "body", "action": "RESUME"},
        {"type": "body", "action": "STOP", "duration": 1},
    ]
    moving = {"type": "body", "action": "HEAD_SHAKE", "duration": 4}
    stage.begin(
        json.dumps({"type": "parallel", "behaviors": [moving, {"type": "sequence", "behaviors": control}]})
    )
    stage.until(lambda: any(one.name == "standing" for one in stage.told("start")))
    stage.steps(40)  # it has slowed down
    first = stage.joints()["head_yaw"]
    stage.steps(20)
    assert stage.joints()["head_yaw"] == pytest.approx(first, abs=1e-6)
    result = stage.finish()
    assert result.outcome == "SUCCEEDED"
    assert any(one.code == "REPLACED" for one in stage.told("warning"))
    stage.until(lambda: abs(stage.joints()["head_yaw"]) < 0.02)  # at rest
