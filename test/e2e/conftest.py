# SPDX-License-Identifier: Apache-2.0
"""The real simulator, and robots in it."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.parameter import Parameter

from embodiment_bridge.launching.environment import find_program, of_outside_program
from embodiment_bridge.launching.executables import agent_bridge, behavior_tree
from embodiment_bridge.nodes.bml_client import BmlClient
from embodiment_bridge.nodes.runtime import Runtime
from embodiment_bridge.nodes.watcher import Watcher

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # s of wall time for anything; the machine may be busy


def free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as a, socket.create_server(("127.0.0.1", 0)) as b:
        return a.getsockname()[1], b.getsockname()[1]


class Server:
    """rcssservermj on ports of its own; as fast as it can unless told otherwise."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port, self.monitor_port = free_ports()
        self.folder = folder
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start and wait until it listens; somebody may have taken its ports since they were found free."""
        for _ in range(3):
            self._launch()
            if self._listens():
                return
            self.port, self.monitor_port = free_ports()
        pytest.fail(f"rcssservermj does not start: {self._log()[-500:]}")

    def _launch(self) -> None:
        words = ["--no-render", "--aport", str(self.port), "--mport", str(self.monitor_port), *self.options]
        with (self.folder / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                [str(find_program("rcssservermj")), *words],
                cwd=self.folder,
                env=of_outside_program(os.environ),
                stdout=log,
                stderr=log,
            )

    def _listens(self) -> bool:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            if "Listening for monitor connections" in self._log():
                return True
            time.sleep(0.05)
        return False

    def _log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(5.0)
            except subprocess.TimeoutExpired:
                self.kill()


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
                w.link == "ready" and w.percepts > 50 and self.bml.server_is_there and bool(self.tree._skills)
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

    def skill(self, name: str, slot: float = 0.0, **parameters: float) -> Any:
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
