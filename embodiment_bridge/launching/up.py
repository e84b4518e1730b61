# SPDX-License-Identifier: Apache-2.0
"""Runs what a launch file asks for: its nodes in this process on one executor, its programs beside it."""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType

from embodiment_bridge.errors import BridgeError, ConfigError
from embodiment_bridge.launching.environment import prepare
from embodiment_bridge.launching.executables import node_factory
from embodiment_bridge.launching.plan import LaunchPlan, NodePlan
from embodiment_bridge.launching.programs import Program
from embodiment_bridge.launching.ros_args import ros_args
from embodiment_bridge.nodes.bridge_node import BridgeNode
from embodiment_bridge.nodes.runtime import Runtime


class Graph:
    """The running nodes and programs of a plan; a context manager that leaves nothing behind.

    say(text) hears one line per thing that people should know. ``runtime`` may serve nodes of the caller's too.
    """

    runtime: Runtime

    def __init__(self, plan: LaunchPlan, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._say = say
        self._programs: list[Program] = []
        self._open = ExitStack()

    def __enter__(self) -> "Graph":
        """Start everything.

        Raises:
            ConfigError: the plan names what cannot be run here; nothing is left running.
        """
        with self._open:  # undoes what was begun if something fails
            self._start()
            self._open = self._open.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End everything: nodes first, so that bodies are made safe while their peers are still there."""
        self._open.close()

    def spin(self, until: Callable[[], bool]) -> None:
        """Serve until ``until()`` is true; a program that ends by itself is named."""

        def done() -> bool:
            self._watch_programs()
            self.runtime.settle()
            return until()

        self.runtime.spin(done)

    def _start(self) -> None:
        for line in self._plan.log:
            self._say(line)
        for name, value in _common_environment(self._plan.nodes).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        prepare()
        factories = [node_factory(node.package, node.executable) for node in self._plan.nodes]
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="embodiment_bridge_")))
        for executable in self._plan.executables:
            program = Program(executable, folder)
            self._open.callback(program.stop, self._say)
            self._programs.append(program)
        self.runtime = self._open.enter_context(Runtime())
        for index, (factory, node) in enumerate(zip(factories, self._plan.nodes, strict=True)):
            self._add_node(factory, node, folder / str(index))

    def _add_node(self, factory: Callable[..., BridgeNode], plan: NodePlan, folder: Path) -> None:
        folder.mkdir()
        numbers = count()

        def write(text: str) -> Path:
            path = folder / f"{next(numbers)}.yaml"
            path.write_text(text, encoding="utf-8")
            return path

        arguments = ros_args(plan, write)
        try:
            node = factory(cli_args=arguments, use_global_arguments=False, context=self.runtime.context)
        except (
            BridgeError,
            RuntimeError,
            ValueError,
        ) as error:  # what rclpy raises for arguments it cannot use
            raise ConfigError(f"{plan.place}: node {plan.full_name or plan.executable}: {error}") from error
        self.runtime.add(node)

    def _watch_programs(self) -> None:
        for program in list(self._programs):
            code = program.ended()
            if code is not None:
                self._programs.remove(program)
                self._say(f"{program.name} ended with exit code {code}{_last_lines(program.log)}")


def _common_environment(nodes: Iterable[NodePlan]) -> Mapping[str, str | None]:
    """The environment that the nodes of one process have in common.

    Raises:
        ConfigError: two nodes want different ones.
    """
    first: NodePlan | None = None
    for node in nodes:
        if first is None:
            first = node
        elif dict(node.env) != dict(first.env):
            raise ConfigError(
                f"{node.place}: this node has another environment than the one at {first.place}; nodes of one process "
                "share it: move <set_env> before both, or use `ros2 launch`"
            )
    return {} if first is None else first.env


def _last_lines(log: Path | None, number: int = 3) -> str:
    if log is None or not log.exists():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return "; it said: " + " | ".join(lines[-number:]) if lines else ""
