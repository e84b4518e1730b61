# SPDX-License-Identifier: Apache-2.0
"""The graph on a thread of its own: a node of ours, and the nodes of a launch file where the user wants them."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any, TypeVar

import rclpy
from rclpy.node import Node
from typing_extensions import override

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.launching.launch_description import LaunchDescription
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.runtime import Runtime

T = TypeVar("T")


class GraphThread(OwnThread):
    """Serves a node called ``name``. ``do`` runs something on its thread; nothing else may use the node.

    ``at_end()`` is called on its thread when it serves no more, also when the graph has ended by itself.

    Args:
        name: of the node.
        namespace: of the node.
        graph: what to bring up besides; None: nothing.
        say: receives lines for people.

    Raises:
        BridgeError: it could not be started.
    """

    node: Node

    def __init__(
        self, name: str, namespace: str, graph: LaunchDescription | None, say: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._name, self._namespace, self._description, self._say = name, namespace, graph, say
        self._runtime: Runtime | None = None
        self._up: Future[None] = Future()
        self._guard = threading.Lock()
        self._owed: set[Future[Any]] = set()  # what was asked for and is not done
        self.at_end: Callable[[], None] = lambda: None
        self.exit_code = 0  # of the graph, once it has ended
        self._start(name)
        self._up.result()

    def do(self, action: Callable[[], T]) -> "Future[T]":
        """Run ``action`` on the thread of the graph; the future has its result, or LinkError after ``close``."""
        answer: Future[T] = Future()

        def act() -> None:
            try:
                answer.set_result(action())
            except Exception as error:  # noqa: BLE001 - handed to the thread that asked
                answer.set_exception(error)

        with self._guard:
            if self._closing.is_set() or self._runtime is None:
                answer.set_exception(LinkError("the robot was closed"))
            else:
                self._owed.add(answer)
                answer.add_done_callback(self._owed.discard)
                self._runtime.executor.create_task(act)
        return answer

    @override
    def close(self) -> None:
        with self._guard:
            self._closing.set()
            if self._runtime is not None:
                self._runtime.executor.create_task(lambda: None)  # wakes it
        self._thread.join()

    @override
    def _serve(self) -> None:
        try:
            self._run()
        except BaseException as error:
            if self._up.done():
                raise
            self._up.set_exception(error)

    def _run(self) -> None:
        graph: Graph | None = None
        with ExitStack() as stack:
            spin: Callable[[Callable[[], bool]], Any]
            if self._description is None:
                runtime = stack.enter_context(Runtime())
                spin = runtime.spin
            else:
                graph = stack.enter_context(Graph(self._description, self._say))
                runtime, spin = graph.runtime, graph.spin
            self.node = runtime.add(
                rclpy.create_node(self._name, namespace=self._namespace, context=runtime.context)
            )
            self._runtime = runtime
            self._up.set_result(None)
            try:
                spin(self._closing.is_set)
            finally:
                with self._guard:
                    self._closing.set()
                    self._runtime = None
                for answer in tuple(self._owed):  # its turn does not come any more
                    answer.set_exception(LinkError("the robot was closed"))
                self.at_end()
        if graph is not None:
            self.exit_code = graph.exit_code
