# SPDX-License-Identifier: Apache-2.0
"""The dead man's switch of clients: runs of a client that has fallen silent are paused, and canceled later."""

from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from embodiment_bridge.behaviour.runs.director import Director
from embodiment_bridge.nodes.body.keep_alive import DeadMan

SHARE = 0.6  # of the limit: the body takes 0.2 s more to slow down, and rests within 0.7 s of the last sign
GONE_S = 10.0  # s of wall time in a pause after which the run is canceled, so that it does not block others


class ClientWatch:
    """Watches the sources of runs on `keep_alive`. A source that was never heard there is not watched.

    Args:
        node: subscribes to the topic, and logs.
        limit: s of silence of which 0.6 are enough to pause the runs of a source; 0: never.
        director: has the runs.
        tick: called after each change.
    """

    def __init__(self, node: Node, limit: float, director: Director, tick: Callable[[], None]) -> None:
        self._node, self._limit, self._director, self._tick = node, SHARE * limit, director, tick
        self._runs: dict[str, str] = {}
        self._paused: dict[str, Timer] = {}
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._switch = DeadMan(node, self._changed, warns=False) if limit > 0.0 else None

    def begin(self, source: str, run_id: str) -> None:
        """A run of ``source`` was accepted."""
        if self._switch is not None and source:
            self._runs[run_id] = source
            self._switch.begin(source, run_id, self._limit)

    def end(self, run_id: str) -> None:
        """A run has ended."""
        source = self._runs.pop(run_id, None)
        self._forget_timer(run_id)
        if self._switch is not None and source is not None:
            self._switch.end(source, run_id)

    def destroy(self) -> None:
        """Take everything off the graph."""
        for run_id in list(self._paused):
            self._forget_timer(run_id)
        if self._switch is not None:
            self._switch.destroy()

    def _changed(self, source: str, silent: bool) -> None:
        for run_id in [run for run, one in self._runs.items() if one == source]:
            if silent:
                self._hold(run_id, source)
            elif self._forget_timer(run_id) and self._has_body(run_id):
                self._director.resume()
        self._tick()

    def _hold(self, run_id: str, source: str) -> None:
        log, who = self._node.get_logger(), f"its client {source[:100]!r} is silent on keep_alive (dead_man)"
        if not self._has_body(run_id):
            log.warning(f"run {run_id} is canceled: {who}")
            self._director.cancel(run_id, who)
            return
        log.warning(f"run {run_id} is paused: {who}")
        self._director.pause()

        def give_up() -> None:
            self._forget_timer(run_id)
            log.warning(f"run {run_id} is canceled: {who}")
            self._director.cancel(run_id, who)
            self._director.resume()
            self._tick()

        self._paused[run_id] = self._node.create_timer(GONE_S, give_up, clock=self._steady)

    def _has_body(self, run_id: str) -> bool:
        current = self._director.current
        return current is not None and current.run_id == run_id

    def _forget_timer(self, run_id: str) -> bool:
        timer = self._paused.pop(run_id, None)
        if timer is not None:
            self._node.destroy_timer(timer)
        return timer is not None
