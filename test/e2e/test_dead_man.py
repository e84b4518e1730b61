# SPDX-License-Identifier: Apache-2.0
"""The dead man's switch with a tree in a process of its own, which is stopped, goes on, and is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from graph_stage import Stage
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from waiting import GRAPH, until

from embodiment_bridge.launching.executables import mock_body
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime

ROOT = Path(__file__).parents[2]
TREE = """\
from rclpy.parameter import Parameter
from embodiment_bridge.launching.executables import behavior_tree
from embodiment_bridge.nodes.base.runtime import Runtime

quiet = [Parameter("sound", value="null"), Parameter("speech", value="none")]
with Runtime() as runtime:
    runtime.add(behavior_tree(context=runtime.context, namespace="/apart", parameter_overrides=quiet))
    runtime.spin(lambda: False)
"""
SHAKES = '{"type": "loop", "loop": -1, "behavior": {"type": "body", "action": "HEAD_SHAKE", "duration": 8.0}}'


@pytest.fixture
def tree():
    process = subprocess.Popen([sys.executable, "-c", TREE], cwd=ROOT, env=os.environ)
    yield process
    process.kill()
    process.wait()


class Body(Stage):
    """A body here, the tree elsewhere."""

    def __init__(self, runtime):
        super().__init__(runtime, "/apart")
        self.heads = []
        self.add(mock_body, speed=1.0)
        self.listen({"joint_states": (JointState, "sensor")}, self.take)

    def take(self, _, message):
        self.heads.append(message.position[list(message.name).index("head_yaw")])

    def way(self):
        """How far the head goes in a second from now, rad: nowhere does a shake stand for so long."""
        begin = len(self.heads)
        self.until(lambda: len(self.heads) >= begin + 50)
        angles = self.heads[begin:]
        return max(angles) - min(angles)

    def moves(self):
        """Wait until it does: where the tree has waited long for its turn, the body stands meanwhile."""
        until(lambda: self.way() > 1e-3, patience=GRAPH)

    def stands(self):
        until(lambda: self.way() <= 1e-6, patience=GRAPH)
        return True

    def shake(self, source="test"):
        """A document for ever, as soon as the tree knows the body."""
        self.until(lambda: self.bml.server_is_there)
        while True:
            self.feedback.clear()
            self.bml.send(SHAKES, source=source)
            self.until(lambda: self.bml.result is not None or any(one.active for one in self.feedback))
            if self.bml.result is None:
                return


@pytest.mark.fault(
    "stopped", body="mock", reaction="stands while its brain is stopped, and moves when it is asked again"
)
@pytest.mark.fault("killed", body="mock", reaction="stands when its brain was killed")
def test_the_body_stands_while_its_brain_is_stopped_or_dead(tree):
    with Runtime() as runtime:
        stage = Body(runtime)
        stage.shake()
        stage.moves()
        tree.send_signal(signal.SIGSTOP)
        assert stage.stands()
        tree.send_signal(signal.SIGCONT)
        stage.shake()  # the goal of a tree that stood still for so long was given up, and is canceled
        stage.moves()
        tree.kill()
        assert stage.stands()
        stage.close()


def test_runs_of_a_client_that_falls_silent_are_paused_and_go_on_when_it_is_back(tree) -> None:
    with Runtime() as runtime:
        stage = Body(runtime)
        alive = stage.watcher.create_publisher(String, "keep_alive", profile("command"))
        is_alive = [True]
        stage.watcher.create_timer(0.1, lambda: is_alive[0] and alive.publish(String(data="client/1")))
        stage.shake(source="client/1")
        stage.moves()
        is_alive[0] = False
        assert stage.stands()
        is_alive[0] = True
        stage.until(lambda: abs(stage.heads[-1] - stage.heads[-10]) > 1e-3)
        is_alive[0] = False
        stage.until(lambda: stage.bml.result is not None)
        assert stage.bml.result.outcome == "CANCELED"
        assert "its client 'client/1' is silent" in stage.bml.result.reason
        stage.close()


def test_runs_of_a_client_that_never_says_that_it_is_alive_go_on(tree) -> None:
    with Runtime() as runtime:
        stage = Body(runtime)
        stage.shake(source="client/2")
        for _ in range(3):
            stage.moves()
        stage.close()
