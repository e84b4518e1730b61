# SPDX-License-Identifier: Apache-2.0
"""The dead man's switch of clients: runs of a client that has fallen silent are paused, and canceled later."""

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from embodiment_bridge.behaviour.runs.director import Director
from embodiment_bridge.nodes.body.keep_alive import DeadMan

SHARE = 0.6  # of the limit: the body takes 0.2 s more to slow down, and rests within 0.7 s of the last sign
GONE_S = 10.0  # s of wall time in a pause after which the run is canceled, so that it does not block others


@dataclass(slots=True)
class _Silent:
    """A paused run of a silent client: what cancels it, and whether the pause is ours, and so ours to end."""

    timer: Timer
    ours: bool


class ClientWatch:
    """Watches the sources of runs on `keep_alive`. A source that was never heard there is not watched.

    It ends no pause of a person or a breakpoint.

    Args:
        node: subscribes to the topic, and logs.
        limit: s of silence of which 0.6 are enough to pause the runs of a source; 0: never.
        director: has the runs.
        tick: called before each change, so that runs that were paused know the time, and after it.
    """

    def __init__(self, node: Node, limit: float, director: Director, tick: Callable[[], None]) -> None:
        self._node, self._limit, self._director, self._tick = node, SHARE * limit, director, tick
        self._runs: dict[str, str] = {}
        self._paused: dict[str, _Silent] = {}
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
        self._let_go(run_id)
        if self._switch is not None and source is not None:
            self._switch.end(source, run_id)

    @property
    def pauses(self) -> bool:
        """Whether the pause is ours: it ends with its run, or when the client is back."""
        return any(silent.ours for silent in self._paused.values())

    def hand_over(self) -> None:
        """A person has taken control: what is paused now goes on when that person says so."""
        for silent in self._paused.values():
            silent.ours = False

    def destroy(self) -> None:
        """Take everything off the graph."""
        for silent in self._paused.values():
            self._node.destroy_timer(silent.timer)
        self._paused.clear()
        if self._switch is not None:
            self._switch.destroy()

    def _changed(self, source: str, silent: bool) -> None:
        self._tick()
        for run_id in [run for run, one in self._runs.items() if one == source]:
            if silent:
                self._hold(run_id, source)
            else:
                self._let_go(run_id)
        self._tick()

    def _hold(self, run_id: str, source: str) -> None:
        log, who = self._node.get_logger(), f"its client {source[:100]!r} is silent on keep_alive (dead_man)"
        if not self._has_body(run_id):
            log.warning(f"run {run_id} is canceled: {who}")
            self._director.cancel(run_id, who)
            return
        log.warning(f"run {run_id} is paused: {who}")
        ours = not self._director.is_paused and self._director.pause()

        def give_up() -> None:
            self._tick()
            if run_id not in self._paused:
                return  # it has ended in this tick, as a person had let it go on
            log.warning(f"run {run_id} is canceled: {who}")
            self._director.cancel(run_id, who)
            self._let_go(run_id)
            self._tick()

        timer = self._node.create_timer(GONE_S, give_up, clock=self._steady)
        self._paused[run_id] = _Silent(timer, ours)

    def _has_body(self, run_id: str) -> bool:
        current = self._director.current
        return current is not None and current.run_id == run_id

    def _let_go(self, run_id: str) -> None:
        """Its client is back, or the run is over: end the pause, where it is ours and lasts."""
        silent = self._paused.pop(run_id, None)
        if silent is None:
            return
        self._node.destroy_timer(silent.timer)
        if silent.ours and self._director.paused:
            self._director.resume()
