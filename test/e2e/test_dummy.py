# SPDX-License-Identifier: Apache-2.0
"""The tutorial's pan-tilt head, from its stand-in on a socket to topics and skills."""

import math
import os
import threading
from pathlib import Path

import pytest
from graph_stage import Stage
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from embodiment_bridge.cli.demos.bodies import free_ports
from embodiment_bridge.launching.executables import agent_bridge
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.dummy import Axis, DummyHead

ROOT = Path(__file__).parents[2]


class Head(Stage):
    """The node elsewhere on this graph, and where its joints were."""

    def __init__(self, served):
        super().__init__(served)
        self.states = self.collect(JointState, "joint_states", "events")
        self.transforms = self.collect(TFMessage, "/tf", "events")

    def now(self):
        return list(self.states[-1].position) if self.states else []

    def pans(self):
        return [state.position[0] for state in self.states]

    def why(self):
        return f"{super().why()}; joints {self.now()}"

    def join(self):
        self.until(lambda: self.watcher.link == "ready" and self.states and self.skills.server_is_ready())


@pytest.fixture
def head():
    with DummyHead(pan=30.0, tilt=20.0) as head:
        yield head


@pytest.fixture
def runtime():
    with Runtime() as runtime:
        yield runtime


def add_body(runtime, port, **parameters):
    values = {
        "protocol": "dummy",
        "port": port,
        "body_file": str(ROOT / "config/bodies/dummy.yaml"),
        **parameters,
    }
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    return runtime.add(agent_bridge(context=runtime.context, parameter_overrides=overrides))


@pytest.fixture
def stage(head, runtime):
    stage = Head(runtime)
    add_body(runtime, head.port)
    yield stage
    stage.close()


def test_joins_and_tells_the_joints_in_rad(stage):
    stage.join()
    first = stage.states[0]
    assert first.name == ["head_pan", "head_tilt"]
    assert 0.0 < first.position[0] <= math.radians(30.0) + 1e-6
    assert 0.0 > first.position[1] >= -math.radians(20.0) - 1e-6
    assert first.header.stamp.sec > 0


class Runaway(Axis):
    """A pan axis that turns to and fro, whatever it is told."""

    way = 60.0  # degrees/s

    def step(self, dt: float) -> None:
        self.position += self.way * dt
        if abs(self.position) > 40.0:
            self.way = -math.copysign(self.way, self.position)


class Hung(Axis):
    """An axis whose head tells nothing more, until ``go_on`` is set."""

    go_on = threading.Event()

    def step(self, dt: float) -> None:
        self.go_on.wait()


def test_a_stop_claims_nothing_of_a_head_that_does_not_follow_or_says_nothing(stage, head):
    stage.join()
    answer = stage.call(Trigger, "stop")
    assert (answer.success, answer.message) == (
        True,
        "all skills have ended; the body is at rest, as far as it is sensed",
    )
    head.pan = Runaway()
    answer = stage.call(Trigger, "stop")
    assert (answer.success, answer.message.endswith("the body still moves")) == (False, True)
    assert not stage.call(SetBool, "hold", data=True).success
    Hung.go_on.clear()
    head.pan = Hung()
    answer = stage.call(Trigger, "stop")
    Hung.go_on.set()
    assert not answer.success
    head.pan = Axis()
    stage.until(lambda: stage.call(Trigger, "stop").success)


def test_goes_to_its_rest_pose_by_itself(stage):
    stage.join()
    stage.until(lambda: stage.now() == pytest.approx([0.0, 0.0], abs=1e-3))


def test_body_without_base_and_urdf_has_no_transforms(stage):
    stage.join()
    stage.until(lambda: len(stage.states) > 20)
    assert stage.transforms == []


def test_head_shake_moves_the_pan_joint_both_ways_and_back(stage, head):
    stage.join()
    stage.until(lambda: stage.now() == pytest.approx([0.0, 0.0], abs=1e-3))
    for _ in range(10):  # a moment of a busy machine in which nothing moves may be that of a peak
        stage.states.clear()
        result = stage.skill("head_shake")
        assert (result.status, result.reason) == (result.SUCCEEDED, "")
        if max(stage.pans()) > 0.25 and min(stage.pans()) < -0.25:
            break
    assert max(stage.pans()) > 0.25
    assert min(stage.pans()) < -0.25
    stage.until(lambda: stage.now() == pytest.approx([0.0, 0.0], abs=1e-2))
    assert abs(head.pan.position) < 1.0


def test_every_skill_of_the_body_can_be_done(stage):
    stage.join()
    for name in ("look", "reset"):
        result = stage.skill(name)
        assert (result.status, result.reason) == (result.SUCCEEDED, "")


def test_head_that_is_switched_off_ends_the_skill_and_is_joined_again(stage, head):
    stage.join()
    goal = stage.ask("look")
    stage.until(lambda: stage.now()[0] > 0.1)
    head.close()
    result = stage.ended(goal)
    assert result.status == result.FAILED
    assert f"tcp://127.0.0.1:{head.port}" in result.reason
    stage.until(lambda: stage.watcher.link == "waiting to try again")
    stage.states.clear()
    with DummyHead(port=head.port, pan=-30.0):
        stage.join()
        assert min(stage.pans()) < 0.0
        result = stage.skill("head_shake")
        assert (result.status, result.reason) == (result.SUCCEEDED, "")


def test_parameter_that_cannot_be_sent_fails_the_configuration(head, runtime, capfd):
    node = add_body(runtime, head.port, client="two words", autostart=False)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "not configured: Greet.name is 'two words'" in capfd.readouterr().err


def test_bringup_starts_the_stand_in_and_joins_it(monkeypatch):
    (port,) = free_ports(1)
    monkeypatch.setenv(
        "PYTHONPATH", str(ROOT), prepend=os.pathsep
    )  # for the stand-in: these sources, not the installed
    arguments = {"body": "dummy", "start_peer": "true", "port": str(port)}
    plan = read_launch(
        ROOT / "launch/bringup.launch.xml", arguments, find_share=lambda _: ROOT, environment=os.environ
    )
    told = []
    with Graph(plan, told.append) as graph:
        stage = Head(graph)
        stage.join()
        stage.close()
    assert told == []
