# SPDX-License-Identifier: Apache-2.0
"""Runs what a launch file asks for: its nodes in this process on one executor, its programs beside it.

A viewer is a program too: what it does for a page must not delay a robot that shares its interpreter. So is the driver
of servos: its motion and its emergency stop must not wait for the documents that the behaviour tree reads.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType

from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.launching.environment import OUR_PROGRAM, prepare
from embodiment_bridge.launching.executables import ASIDE, node_factory
from embodiment_bridge.launching.plan import ExecutablePlan, LaunchPlan, NodePlan
from embodiment_bridge.launching.programs import Program
from embodiment_bridge.launching.ros_args import ros_args
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import held_back


class Graph:
    """The running nodes and programs of a plan; a context manager that leaves nothing behind.

    say(text) hears one line per thing that people should know. ``runtime`` may serve nodes of the caller's too.
    """

    runtime: Runtime

    def __init__(self, plan: LaunchPlan, say: Callable[[str], None]) -> None:
        self._plan = plan
        self._say = say
        self._programs: list[Program] = []
        self._code = 0  # of the first node in a process of its own that did not end well
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

    @property
    def exit_code(self) -> int:
        """Of all nodes, once everything has ended: 0, ``runtime.UNSAFE``, or what a process of its own ended with."""
        return self.runtime.exit_code or self._code

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
        factories = [_factory(node) for node in self._plan.nodes]
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="embodiment_bridge_")))
        for executable in self._plan.executables:
            self._add_program(executable, folder)
        arguments = [ros_args(node, _writer(folder / str(i))) for i, node in enumerate(self._plan.nodes)]
        nodes = list(zip(self._plan.nodes, factories, arguments, strict=True))
        with held_back():
            aside = [
                self._add_program(_aside(node, words), folder)
                for node, _, words in nodes
                if node.executable in ASIDE
            ]
        self.runtime = self._open.enter_context(Runtime())
        for node, factory, words in nodes:
            if node.executable not in ASIDE:
                self._add_node(factory, node, words)
        for program in aside:  # they end first, so that no robot is driven while the others take their time
            self._open.callback(self._take_code, program)

    def _add_program(self, plan: ExecutablePlan, folder: Path) -> Program:
        program = Program(plan, folder)
        self._open.callback(program.stop, self._say)
        self._programs.append(program)
        return program

    def _take_code(self, node: Program) -> None:
        node.stop(self._say)
        self._code = self._code or abs(node.ended() or 0)

    def _add_node(self, factory: Callable[..., BridgeNode], plan: NodePlan, arguments: list[str]) -> None:
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


def _factory(plan: NodePlan) -> Callable[..., BridgeNode]:
    try:
        return node_factory(plan.package, plan.executable)
    except ConfigError as error:
        raise ConfigError(f"{plan.place}: <node>: {error}") from None


def _writer(folder: Path) -> Callable[[str], Path]:
    """Puts texts into files of a folder, which it makes."""
    folder.mkdir()
    numbers = count()

    def write(text: str) -> Path:
        path = folder / f"{next(numbers)}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def _aside(node: NodePlan, arguments: list[str]) -> ExecutablePlan:
    """The program that is such a node. It ends with this process."""
    command = ("view",) if node.executable == "viewer" else ("node", node.executable)
    words = (OUR_PROGRAM, *command, "--end-with", str(os.getpid()), *arguments)
    return ExecutablePlan(words, node.name or node.executable, Path.cwd(), node.env, node.output, node.place)


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
