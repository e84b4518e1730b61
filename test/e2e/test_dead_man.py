# SPDX-License-Identifier: Apache-2.0
"""The dead man's switch with a tree in a process of its own, which is stopped, goes on, and is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from embodiment_bridge.launching.executables import mock_body
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient

ROOT = Path(__file__).parents[2]
PATIENCE = 90.0  # s of wall time for anything; the machine may be busy
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


class Stage:
    """A body here, the tree elsewhere."""

    def __init__(self, runtime):
        self.runtime, self.heads, self.started = runtime, [], []
        common = {"context": runtime.context, "namespace": "/apart"}
        self.body = runtime.add(mock_body(parameter_overrides=[Parameter("speed", value=1.0)], **common))
        self.watcher = runtime.add(Watcher(**common))
        self.watcher.create_subscription(JointState, "joint_states", self.take, profile("sensor"))
        self.bml = BmlClient(self.watcher, lambda feedback: self.started.extend(feedback.active))

    def take(self, message):
        self.heads.append(message.position[list(message.name).index("head_yaw")])

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE
        self.runtime.spin(lambda: condition() or time.monotonic() > deadline)
        assert condition()

    def way(self):
        """How far the head goes in a second from now, rad: nowhere does a shake stand for so long."""
        begin = len(self.heads)
        self.until(lambda: len(self.heads) >= begin + 50)
        angles = self.heads[begin:]
        return max(angles) - min(angles)

    def moves(self):
        """Wait until it does: where the tree has waited long for its turn, the body stands meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while self.way() <= 1e-3:
            assert time.monotonic() < deadline, "it does not move"

    def stands(self):
        deadline = time.monotonic() + PATIENCE
        while self.way() > 1e-6:
            assert time.monotonic() < deadline, "it does not come to rest"
        return True

    def begin(self, source="test"):
        """A document for ever, as soon as the tree knows the body."""
        while True:
            self.bml.send(SHAKES, source=source)
            self.until(lambda: self.bml.result is not None or bool(self.started))
            if self.bml.result is None:
                return


@pytest.mark.fault("stopped", body="mock", reaction="stands while its brain is stopped, and goes on with it")
@pytest.mark.fault("killed", body="mock", reaction="stands when its brain was killed")
def test_the_body_stands_while_its_brain_is_stopped_or_dead(tree):
    with Runtime() as runtime:
        stage = Stage(runtime)
        stage.until(lambda: stage.bml.server_is_there)
        stage.begin()
        stage.moves()
        tree.send_signal(signal.SIGSTOP)
        assert stage.stands()
        tree.send_signal(signal.SIGCONT)
        stage.until(lambda: abs(stage.heads[-1] - stage.heads[-10]) > 1e-3)
        tree.kill()
        assert stage.stands()
        stage.bml.destroy()


def test_runs_of_a_client_that_falls_silent_are_paused_and_go_on_when_it_is_back(tree) -> None:
    with Runtime() as runtime:
        stage = Stage(runtime)
        alive = stage.watcher.create_publisher(String, "keep_alive", profile("command"))
        is_alive = [True]
        stage.watcher.create_timer(0.1, lambda: is_alive[0] and alive.publish(String(data="client/1")))
        stage.until(lambda: stage.bml.server_is_there)
        stage.begin(source="client/1")
        stage.moves()
        is_alive[0] = False
        assert stage.stands()
        is_alive[0] = True
        stage.until(lambda: abs(stage.heads[-1] - stage.heads[-10]) > 1e-3)
        is_alive[0] = False
        stage.until(lambda: stage.bml.result is not None)
        assert stage.bml.result.outcome == "CANCELED"
        assert "its client 'client/1' is silent" in stage.bml.result.reason
        stage.bml.destroy()


def test_runs_of_a_client_that_never_says_that_it_is_alive_go_on(tree) -> None:
    with Runtime() as runtime:
        stage = Stage(runtime)
        stage.until(lambda: stage.bml.server_is_there)
        stage.begin(source="client/2")
        for _ in range(3):
            stage.moves()
        stage.bml.destroy()
