# SPDX-License-Identifier: Apache-2.0
"""Runs a launch description: its nodes in this process on one executor, its programs as processes.

The viewer has a process of its own, because serving a page must not delay a robot in the same interpreter. So has the
driver of servos: its motion and its emergency stop must not wait while the behaviour tree reads documents.
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
from embodiment_bridge.launching.executables import OWN_PROCESS, node_factory
from embodiment_bridge.launching.keeper import Keeper
from embodiment_bridge.launching.keeper_program import PATIENCE
from embodiment_bridge.launching.launch_description import (
    LaunchDescription,
    NodeDescription,
    ProgramDescription,
)
from embodiment_bridge.launching.programs import NODE_PATIENCE_S, Program
from embodiment_bridge.launching.ros_args import ros_args
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.main import NOT_STARTED
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import held_back

LOG_END = 4096  # bytes at the end of a program's log, for what it said last


class Graph:
    """The running nodes and programs of a launch description; a context manager that ends all of them.

    ``say(text)`` receives one line for people at a time. When a node cannot be configured or activated at the start, or
    a program or a node in a process of its own that is required has ended, ``failed`` is set and serving ends, unless
    ``keep_going``. ``runtime`` may also serve nodes of the caller. When this process is killed, the programs end too.
    """

    runtime: Runtime

    def __init__(
        self,
        description: LaunchDescription,
        say: Callable[[str], None],
        *,
        keep_going: bool = False,
    ) -> None:
        self._description = description
        self._say = say
        self._keep_going = keep_going
        self.failed = False
        self._nodes: list[BridgeNode] = []
        self._own: list[Program] = []  # nodes in processes of their own
        self._programs: list[Program] = []
        self._code = 0  # of the first node in a process of its own that did not end well
        self._open = ExitStack()

    def __enter__(self) -> "Graph":
        """Start everything.

        Raises:
            ConfigError: a node or program cannot be started; nothing is left running.
        """
        with self._open:  # ends what has been started if something fails
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
        """Serve until ``until()`` is true; report programs that end by themselves."""

        def done() -> bool:
            if until():  # first: what ends together with this process has not failed
                return True
            self._watch_programs()
            self._watch_nodes()
            self.runtime.settle()
            return self.failed

        self.runtime.spin(done)

    def _start(self) -> None:
        for line in self._description.log:
            self._say(line)
        before = dict(os.environ)  # that of programs, to which each adds what the file says at its place
        prepare(before)
        for name, value in _common_environment(self._description.nodes).items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        prepare()
        factories = [_factory(node) for node in self._description.nodes]
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="embodiment_bridge_")))
        if self._description.executables or any(n.executable in OWN_PROCESS for n in self._description.nodes):
            self._keeper = self._open.enter_context(Keeper())
        for executable in self._description.executables:
            self._add_program(executable, folder, before)
        arguments = [
            ros_args(node, _writer(folder / str(i))) for i, node in enumerate(self._description.nodes)
        ]
        nodes = list(zip(self._description.nodes, factories, arguments, strict=True))
        own = [
            (OWN_PROCESS[node.executable], _as_program(node, words, self._keep_going))
            for node, _, words in nodes
            if node.executable in OWN_PROCESS
        ]
        # The last ends first: drivers of servos, then a viewer, which may take long.
        ranked = sorted(own, key=lambda one: -one[0])
        with held_back():
            self._own = [self._add_program(one, folder, os.environ, NODE_PATIENCE_S) for _, one in ranked]
        self.runtime = self._open.enter_context(Runtime())
        for node, factory, words in nodes:
            if node.executable not in OWN_PROCESS:
                self._add_node(factory, node, words)
        for program in self._own:  # these end first, so that no robot is driven while the others end
            self._open.callback(self._stop_node, program)

    def _add_program(
        self,
        description: ProgramDescription,
        folder: Path,
        environment: Mapping[str, str],
        patience: float = PATIENCE[0][1],
    ) -> Program:
        program = Program(description, folder, environment, self._keeper, patience)
        self._open.callback(program.stop, self._say)
        self._programs.append(program)
        return program

    def _stop_node(self, node: Program) -> None:
        node.stop(self._say)
        self._code = self._code or abs(node.ended() or 0)

    def _add_node(
        self, factory: Callable[..., BridgeNode], description: NodeDescription, arguments: list[str]
    ) -> None:
        try:
            node = factory(cli_args=arguments, use_global_arguments=False, context=self.runtime.context)
        except (
            BridgeError,
            RuntimeError,
            ValueError,
        ) as error:  # raised by rclpy for arguments that it cannot use
            raise ConfigError(
                f"{description.place}: node {description.full_name or description.executable}: {error}"
            ) from error
        self.runtime.add(node)
        self._nodes.append(node)
        self.runtime.spin(lambda: node.begun)  # a body moves while the next node is still imported

    def _watch_programs(self) -> None:
        for program in list(self._programs):
            code = program.ended()
            if code is None:
                continue
            self._programs.remove(program)
            self._say(f"{program.name} ended with exit code {code}{_last_lines(program.log)}")
            if program in self._own and code == NOT_STARTED:
                self._fail(f"{program.name} did not start", code)
            elif program.required:
                self._fail(f"{program.name} has ended", max(code, 1))

    def _watch_nodes(self) -> None:
        for node in self._nodes:
            if node.not_started:
                self._fail(
                    f"{node.get_fully_qualified_name()} did not start: {node.not_started}", NOT_STARTED
                )

    def _fail(self, why: str, code: int) -> None:
        if not (self.failed or self._keep_going):
            self.failed, self._code = True, code
            self._say(f"ending, because {why} (--keep-going goes on without it)")


def _factory(description: NodeDescription) -> Callable[..., BridgeNode]:
    try:
        return node_factory(description.package, description.executable)
    except ConfigError as error:
        raise ConfigError(f"{description.place}: <node>: {error}") from None


def _writer(folder: Path) -> Callable[[str], Path]:
    """A function that writes texts into new files of a new folder."""
    folder.mkdir()
    numbers = count()

    def write(text: str) -> Path:
        path = folder / f"{next(numbers)}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def _as_program(node: NodeDescription, arguments: list[str], keep_going: bool) -> ProgramDescription:
    """The program that runs a node in a process of its own and ends with this process."""
    command = ("view",) if node.executable == "viewer" else ("node", node.executable)
    ends = ["--end-with", str(os.getpid())]
    if not keep_going and node.executable != "viewer":  # which always does so
        ends.append("--end-if-not-started")
    words = (OUR_PROGRAM, *command, *ends, *arguments)
    return ProgramDescription(
        words, node.name or node.executable, Path.cwd(), node.env, node.output, node.required, node.place
    )


def _common_environment(nodes: Iterable[NodeDescription]) -> Mapping[str, str | None]:
    """The environment of all nodes of this process.

    Raises:
        ConfigError: two nodes have different environments.
    """
    first: NodeDescription | None = None
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
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - LOG_END, 0))
        lines = file.read(LOG_END).decode(errors="replace").strip().splitlines()
    return "; it said: " + " | ".join(lines[-number:]) if lines else ""
