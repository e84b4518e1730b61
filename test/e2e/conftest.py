# SPDX-License-Identifier: Apache-2.0
"""The real simulator, and robots in it."""

import time
from pathlib import Path
from typing import Any

import pytest
from graph_stage import Stage
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from real_server import Server

from embodiment_bridge.launching.executables import agent_bridge, behavior_tree
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.agent_bridge import BodyAgent

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


class Robot(Stage):
    """A T1, the tree that moves it, and somebody who looks, in one process as `up` has them."""

    def __init__(self, runtime: Runtime, server: Server, **parameters: Any) -> None:
        super().__init__(runtime, f"/robot{len(runtime._nodes)}")
        values = {
            "port": server.port,
            "monitor_port": server.monitor_port,
            "body_file": str(ROOT / "config/bodies/t1.yaml"),
            "robot_description_file": str(ROOT / "urdf/t1.urdf"),
            "publish_clock": True,
            "use_sim_time": True,
            **parameters,
        }
        self.agent = self.add(agent_bridge, **values)
        self.tree = self.add(behavior_tree, use_sim_time=values["use_sim_time"])

    def join(self) -> None:
        w = self.watcher
        self.until(
            lambda: (
                w.link == "ready" and w.percepts > 50 and self.bml.server_is_there and bool(self.tree.skills)
            )
        )
        w.mark()


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
