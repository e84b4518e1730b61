# SPDX-License-Identifier: Apache-2.0
"""The model in which gaits are searched: it begins anew as if nothing had been tried, and targets come late."""

import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from motion_stage import T1

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.motion.runner import MotionRunner

pytest.importorskip("mujoco")
pytest.importorskip("rcsssmj")
sys.path.insert(0, str(Path(__file__).parents[2] / "tools/gait_search"))
from measure_ends import Watched, attempt
from robot_model import CYCLE, START, RobotModel

HEAD = next(i for i, joint in enumerate(T1.joints) if joint.name == "AAHead_yaw")


def walked(model: RobotModel, seed: int, forward: float) -> list[BodyState]:
    """The states of the first second after the model was reset."""
    states = [model.reset(seed)]
    runner = MotionRunner(T1)
    runner.set_velocity(forward, 0.0)
    for _ in range(50):
        states.append(model.step(runner.step(states[-1], CYCLE)))
    return states


@pytest.mark.parametrize("seed", [2, 7, 20])
def test_a_k1_that_got_up_balances_at_once_and_stays_up(seed) -> None:
    body = read_body(Path(__file__).parents[2] / "config/bodies/k1.yaml")
    tried = attempt(Watched(RobotModel(body, seed % 4), body, seed), "get_up", {}, "front")
    assert (tried.done, tried.after) == (True, False)


def test_soft_kicks_reach_the_ball() -> None:
    """From a place for hard kicks the foot swings short: of these five none rolls half of its way."""
    kicks = [
        attempt(Watched(RobotModel(T1, seed % 4), T1, seed), "kick", {}, "") for seed in (4, 12, 14, 29, 39)
    ]
    assert sum(kick.roll > 0.5 for kick in kicks) >= 4


def test_what_was_tried_before_changes_nothing() -> None:
    model = RobotModel(T1, 2)
    first = walked(model, 1, 0.3)
    other = walked(model, 2, -0.3)
    assert walked(model, 1, 0.3) == first
    assert other[0].position != first[0].position
    assert (first[0].time, first[0].yaw) == (0.0, 0.0)
    assert first[0].base_position[:2] == START


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_targets_are_late(delay) -> None:
    model = RobotModel(T1, delay)
    model.reset(0)
    none = (0.0,) * len(T1.joints)
    turned = tuple(0.5 * (i == HEAD) for i in range(len(T1.joints)))
    gains = tuple(20.0 * (i == HEAD) for i in range(len(T1.joints)))
    speeds = [
        model.step(JointTargets(turned, none, gains, none, none)).velocity[HEAD] for _ in range(delay + 1)
    ]
    assert speeds[-1] > 1.0
    assert all(abs(speed) < 0.1 for speed in speeds[:-1])


def test_a_kick_that_was_found_is_printed_without_tables_that_nobody_measured(monkeypatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "cma", ModuleType("cma"))  # the search itself is not run
    from kick_search import show

    show(T1.carrier.kick)
    kick = yaml.safe_load(capsys.readouterr().out)["kick"]
    assert (kick["rate"], "ways" in kick, "outward" in kick) == (T1.carrier.kick.rate, False, False)
    show(T1.carrier.kick, ([1.0, 2.0], [0.1, 0.2]))
    text = capsys.readouterr().out
    assert yaml.safe_load(text)["kick"] == {**kick, "ways": [1.0, 2.0], "outward": [0.1, 0.2]}
    assert "# further: has to be measured anew" in text
