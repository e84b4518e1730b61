# SPDX-License-Identifier: Apache-2.0
"""The real simulator, and robots in it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from real_server import PATIENCE, Server

from embodiment_bridge.launching.executables import agent_bridge, behavior_tree
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.body.agent_bridge import BodyAgent
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


class Turns:
    """Lets answers to a simulator wait while the executor is far behind.

    A simulator that is as fast as it can goes on as soon as it is answered, and a thread of its own answers it. On a
    busy machine it would be seconds of its time ahead of what a test sees and asks for.
    """

    AHEAD = 25  # percepts: half a second of the simulator
    PERIOD_S = 0.002
    PATIENCE_S = 0.5  # while a test serves nothing

    def __init__(self) -> None:
        self.percepts = 0  # since the last turn of the executor

    def taken(self) -> None:
        """The executor had a turn."""
        self.percepts = 0

    def wait(self) -> None:
        """One more percept: until the executor is not far behind."""
        self.percepts += 1
        deadline = time.monotonic() + self.PATIENCE_S
        while self.percepts > self.AHEAD and time.monotonic() < deadline:
            time.sleep(self.PERIOD_S)

    def follow(self, node: Node) -> None:
        """Take the turns of the executor that serves this node."""
        node.create_timer(self.PERIOD_S, self.taken, clock=Clock(clock_type=ClockType.STEADY_TIME))


@pytest.fixture
def robots(monkeypatch):
    """Makes robots: ``robots(server, **parameters)``."""
    made: list[Robot] = []
    turns, respond = Turns(), BodyAgent.respond

    def respond_in_turn(agent: BodyAgent[Any, Any], percept: Any) -> Any:
        turns.wait()
        return respond(agent, percept)

    monkeypatch.setattr(BodyAgent, "respond", respond_in_turn)
    with Runtime() as runtime:

        def make(server: Server, **parameters: Any) -> Robot:
            made.append(Robot(runtime, server, **parameters))
            if len(made) == 1:
                turns.follow(made[0].watcher)
            return made[-1]

        yield make
        for robot in made:
            robot.close()
