# SPDX-License-Identifier: Apache-2.0
"""Runs a launch description: its nodes in this process on one executor, its programs as processes, which it ends.

The viewer has a process of its own, because serving a page must not delay a robot in the same interpreter. So has the
driver of servos: its motion and its emergency stop must not wait while the behaviour tree reads documents.
"""

import itertools
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType

from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.core.listening import taken_by
from embodiment_bridge.launching.environment import OUR_PROGRAM, find_program, of_program, prepare
from embodiment_bridge.launching.executables import OWN_PROCESS, node_factory
from embodiment_bridge.launching.keeper import Keeper
from embodiment_bridge.launching.keeper_program import PATIENCE, end_group
from embodiment_bridge.launching.launch_description import (
    LaunchDescription,
    NodeDescription,
    ProgramDescription,
    ros_args,
    without_node,
)
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import NOT_STARTED, Runtime
from embodiment_bridge.nodes.base.signals import held_back

# After SIGINT, for a node of ours: on a busy computer the viewer has a thirtieth of a core, because it is nice, and its
# end takes some tenths of a second of one; a node that is still starting heeds the signal when Python has begun.
NODE_PATIENCE_S = 30.0
# Options with the ports of programs that robots join. Where one is taken, by a simulator that was left behind perhaps,
# the program would end, and its robots would join what is there.
JOINED = {"rcssservermj": ("--aport", "--mport"), OUR_PROGRAM: ("--port", "--monitor-port")}


class Program:
    """Runs one program, in a process group of its own, so that Ctrl-C reaches only this process, which stops it.

    ``output="screen"`` shows what it prints; any other value sends it to ``<log_dir>/<name>.log``.

    Args:
        program: what to start.
        log_dir: where its log goes.
        environment: what the description's own adds to.
        keeper: ends it when this process is killed.
        patience: s to wait for its end after SIGINT.

    Raises:
        ConfigError: the program is not installed, cannot be started, or would listen on a port that is taken.
    """

    def __init__(
        self,
        program: ProgramDescription,
        log_dir: Path,
        environment: Mapping[str, str],
        keeper: Keeper,
        patience: float = PATIENCE[0][1],
    ) -> None:
        self.name, self.required = program.name, program.required
        self._patience = patience
        path = find_program(program.cmd[0])
        if path is None:
            raise ConfigError(f"{program.place}: program {program.cmd[0]!r} is not installed")
        self.log = None if program.output == "screen" else log_dir / f"{Path(program.name).name}.log"
        env = of_program(program.cmd[0], environment)
        for name, value in program.env.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        _check_ports(program)
        output = None
        try:
            output = None if self.log is None else self.log.open("wb")
            self._process = subprocess.Popen(
                [path, *program.cmd[1:]],
                cwd=program.cwd or Path.cwd(),
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=True,
            )
        except OSError as error:  # such as a 'cwd' that is not there
            raise ConfigError(
                f"{program.place}: {' '.join(program.cmd)}: cannot be started: {error}"
            ) from error
        finally:
            if output is not None:
                output.close()
        keeper.keep(self._process.pid, patience)

    def ended(self) -> int | None:
        """Return the exit code if the program has ended, else None.

        Its number stays taken until ``stop``, because processes that it has started may still be in its group.
        """
        if self._process.returncode is not None:
            return self._process.returncode
        end = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    def stop(self, say: Callable[[str], None]) -> None:
        """End the program and what it has started in its group, by SIGKILL if needed.

        Returns when they have ended.
        """
        end_group(
            self._process.pid, self._patience, lambda text: say(f"{self.name} {text}"), self._process.poll
        )


def _check_ports(program: ProgramDescription) -> None:
    given = dict(itertools.pairwise(program.cmd))
    for option in JOINED.get(program.cmd[0], ()):
        port = given.get(option, "0")
        if port.isdecimal() and (who := taken_by(given.get("--host", ""), int(port))):
            raise ConfigError(
                f"{program.place}: {program.name}: port {port} is taken by {who}: end it, or choose another port"
            )


LOG_END = 4096  # bytes at the end of a program's log, for what it said last


class Graph:
    """Runs the nodes and programs of a launch description; a context manager that ends all of them.

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
        self._code = 0  # exit code of the first node in a process of its own that failed
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
        """The exit code once everything has ended: 0, ``runtime.UNSAFE``, or that of a node in a process of its own."""
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
        for line in (*self._description.log, *without_node(self._description.nodes)):
            self._say(line)
        before = dict(os.environ)  # environment of programs; each adds what the file says at its place
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
    """Return a function that writes texts into new files of a new folder."""
    folder.mkdir()
    numbers = count()

    def write(text: str) -> Path:
        path = folder / f"{next(numbers)}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def _as_program(node: NodeDescription, arguments: list[str], keep_going: bool) -> ProgramDescription:
    """Return the program that runs a node in a process of its own and ends with this process."""
    command = ("view",) if node.executable == "viewer" else ("node", node.executable)
    ends = ["--end-with", str(os.getpid())]
    if not keep_going and node.executable != "viewer":  # which always does so
        ends.append("--end-if-not-started")
    words = (OUR_PROGRAM, *command, *ends, *arguments)
    return ProgramDescription(
        words, node.name or node.executable, Path.cwd(), node.env, node.output, node.required, node.place
    )


def _common_environment(nodes: Iterable[NodeDescription]) -> Mapping[str, str | None]:
    """Return the environment of all nodes of this process.

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


def _last_lines(log: Path | None) -> str:
    if log is None or not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - LOG_END, 0))
        lines = file.read(LOG_END).decode(errors="replace").strip().splitlines()
    return "; it said: " + " | ".join(lines[-3:]) if lines else ""
