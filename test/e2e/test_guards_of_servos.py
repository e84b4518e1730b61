# SPDX-License-Identifier: Apache-2.0
"""The guards of docs/safety.md on the virtual servos: the battery by its voltage, and the heat of a servo."""

import json
import re
from pathlib import Path

import pytest
import yaml
from sensor_msgs.msg import BatteryState
from servo_stage import ServoStage

from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree import behavior_tree, goal_gate

PAGE = (Path(__file__).parents[2] / "docs/safety.md").read_text()
EXAMPLE = yaml.safe_load(re.search(r"## Guards\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)[1])
GUARDED = EXAMPLE["/**"]["ros__parameters"]
SHAKE = json.dumps({"type": "body", "action": "HEAD_SHAKE", "duration": 1})


@pytest.fixture
def make(tmp_path):
    made = []
    with Runtime() as runtime:

        def making(**parameters) -> ServoStage:
            made.append(ServoStage(runtime, tmp_path, "/guarded", tree={"sound": "null", **parameters}))
            return made[-1]

        yield making
        for stage in made:
            stage.driver.close()
            stage.close()


def test_the_example_of_the_page_lets_a_charged_cool_robot_move(make) -> None:
    stage = make(**GUARDED)
    heard = stage.collect(BatteryState, "battery", "state")
    stage.join()
    feed = stage.tree._run_executor.feed
    stage.until(lambda: all(value is not None for value in feed.values().values()))
    assert stage.run(SHAKE).outcome == "SUCCEEDED"
    stage.until(lambda: bool(heard))
    assert 11.5 < heard[-1].voltage < 12.5
    assert 0.5 < heard[-1].percentage <= 1.0
    stage.bus.supply.nominal = 10.2
    stage.until(lambda: 0.0 < (feed.values()["battery"] or 0.0) < 0.15)
    assert "VETOED: parameter guards wants battery >= 0.15; it is 0.0" in stage.run(SHAKE).problems[0]


def test_a_goal_waits_for_the_first_value_of_a_guard(make, monkeypatch) -> None:
    monkeypatch.setattr(goal_gate, "PATIENCE_S", dict.fromkeys(goal_gate.PATIENCE_S, 60.0))
    stage = make(**GUARDED)
    stage.until(lambda: stage.bml.server_is_there)
    result = stage.run(SHAKE)
    assert result.outcome == "SUCCEEDED", result.reason


def test_a_guard_that_nothing_publishes_is_an_error_at_the_start(make, monkeypatch) -> None:
    monkeypatch.setattr(behavior_tree, "LOOK_S", 0.1)
    stage = make(blackboard=["charge=accumulator:percentage"], guards=["charge >= 0.15"])
    stage.join()
    stage.until(lambda: bool(stage.tree._guard_watch.trouble))
    level, text, _ = stage.tree.diagnose()
    assert (level, "charge >= 0.15 cannot hold" in text) == (b"\x02", True)
    assert "/guarded/accumulator" in text
