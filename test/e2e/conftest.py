# SPDX-License-Identifier: Apache-2.0
"""The real simulator, and robots in it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from real_server import PATIENCE, Server

from embodiment_bridge.launching.executables import agent_bridge, behavior_tree
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient

ROOT = Path(__file__).parents[2]


@pytest.fixture
def idle_server(tmp_path):
    """Not started yet."""
    server = Server(tmp_path, "--sync", "--no-realtime")
    yield server
    server.stop()


@pytest.fixture
def server(idle_server):
    idle_server.start()
    return idle_server


class Robot:
    """A T1, the tree that moves it, and somebody who looks, in one process as `up` has them."""

    def __init__(self, runtime: Runtime, server: Server, **parameters: Any) -> None:
        self.runtime = runtime
        values = {
            "port": server.port,
            "monitor_port": server.monitor_port,
            "body_file": str(ROOT / "config/bodies/t1.yaml"),
            "robot_description_file": str(ROOT / "urdf/t1.urdf"),
            "publish_clock": True,
            "use_sim_time": True,
            **parameters,
        }
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        namespace = f"/robot{len(runtime._nodes)}"
        common = {"context": runtime.context, "namespace": namespace}
        sim = [Parameter("use_sim_time", value=values["use_sim_time"])]
        self.agent = runtime.add(agent_bridge(parameter_overrides=overrides, **common))
        self.tree = runtime.add(behavior_tree(parameter_overrides=sim, **common))
        self.watcher = runtime.add(Watcher(**common))
        self.feedback: list[Any] = []
        self.bml = BmlClient(self.watcher, self.feedback.append)
        self.skills = ActionClient(self.watcher, ExecuteSkill, "execute_skill")

    def until(self, condition: Callable[[], bool], patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        self.runtime.spin(lambda: condition() or time.monotonic() > deadline)
        assert condition(), f"link {self.watcher.link}: {self.watcher.reason}"

    def join(self) -> None:
        w = self.watcher
        self.until(
            lambda: (
                w.link == "ready" and w.percepts > 50 and self.bml.server_is_there and bool(self.tree.skills)
            )
        )
        w.mark()

    def run(self, document: str) -> Any:
        self.begin(document)
        self.until(lambda: self.bml.result is not None)
        return self.bml.result

    def begin(self, document: str) -> None:
        self.bml.result = None
        self.feedback.clear()
        self.bml.send(document, source="test")

    def skill(self, name: str, slot: float = 0.0, **parameters: float | str) -> Any:
        from diagnostic_msgs.msg import KeyValue

        goal = ExecuteSkill.Goal(name=name, slot=slot, source="test")
        goal.parameters = [KeyValue(key=k, value=str(v)) for k, v in parameters.items()]
        answer = self.skills.send_goal_async(goal)
        self.until(answer.done)
        result = answer.result().get_result_async()
        self.until(result.done)
        return result.result().result

    def close(self) -> None:
        self.bml.destroy()
        self.skills.destroy()


@pytest.fixture
def robots():
    """Makes robots: ``robots(server, **parameters)``."""
    made: list[Robot] = []
    with Runtime() as runtime:

        def make(server: Server, **parameters: Any) -> Robot:
            made.append(Robot(runtime, server, **parameters))
            return made[-1]

        yield make
        for robot in made:
            robot.close()
