# SPDX-License-Identifier: Apache-2.0
"""Pauses, resumes, steps and stops what runs.

By services for people, and by a dead man's switch when a client falls silent.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer
from std_srvs.srv import Trigger

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.runs.run_scheduler import RunScheduler
from embodiment_bridge.nodes.base.services import HELD_ALREADY
from embodiment_bridge.nodes.body.keep_alive import DeadMan

# The dead man's switch of clients: runs of a client that has fallen silent are paused, and canceled later.

SHARE = 0.6  # share of the limit: the body takes 0.2 s more to slow down, and rests 0.7 s after the last sign
GONE_S = 10.0  # s of wall time in a pause after which the run is canceled, so that it does not block others


@dataclass(slots=True)
class _Silent:
    """Represents a paused run of a silent client: its cancel, and whether the pause is ours, and so ours to end."""

    timer: Timer
    ours: bool


class ClientWatch:
    """Watches the sources of runs on `keep_alive`. A source that was never heard there is not watched.

    It ends no pause of a person or a breakpoint.

    Args:
        node: subscribes to the topic, and logs.
        limit: s of silence of which 0.6 are enough to pause the runs of a source; 0: never.
        scheduler: has the runs.
        tick: called before each change, so that runs that were paused know the time, and after it.
    """

    def __init__(self, node: Node, limit: float, scheduler: RunScheduler, tick: Callable[[], None]) -> None:
        self._node, self._limit, self._scheduler, self._tick = node, SHARE * limit, scheduler, tick
        self._runs: dict[str, str] = {}
        self._paused: dict[str, _Silent] = {}
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._switch = DeadMan(node, self._changed, warns=False) if limit > 0.0 else None

    def begin(self, source: str, run_id: str) -> None:
        """Watch a run of ``source``, which was accepted."""
        if self._switch is not None and source:
            self._runs[run_id] = source
            self._switch.begin(source, run_id, self._limit)

    def end(self, run_id: str) -> None:
        """Stop watching a run that has ended."""
        source = self._runs.pop(run_id, None)
        self._let_go(run_id)
        if self._switch is not None and source is not None:
            self._switch.end(source, run_id)

    @property
    def pauses(self) -> bool:
        """Whether the pause is ours: it ends with its run, or when the client is back."""
        return any(silent.ours for silent in self._paused.values())

    def hand_over(self) -> None:
        """Leave the pause to a person, who has taken control and will resume."""
        for silent in self._paused.values():
            silent.ours = False

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
            self._scheduler.cancel(run_id, who)
            return
        log.warning(f"run {run_id} is paused: {who}")
        ours = not self._scheduler.is_paused and self._scheduler.pause()

        def give_up() -> None:
            self._tick()
            if run_id not in self._paused:
                return  # the run has ended in this tick, after a person resumed it
            log.warning(f"run {run_id} is canceled: {who}")
            self._scheduler.cancel(run_id, who)
            self._let_go(run_id)
            self._tick()

        timer = self._node.create_timer(GONE_S, give_up, clock=self._steady)
        self._paused[run_id] = _Silent(timer, ours)

    def _has_body(self, run_id: str) -> bool:
        current = self._scheduler.current
        return current is not None and current.run_id == run_id

    def _let_go(self, run_id: str) -> None:
        """End the pause, if it is ours and lasts, as the client is back or the run is over."""
        silent = self._paused.pop(run_id, None)
        if silent is None:
            return
        self._node.destroy_timer(silent.timer)
        if silent.ours and self._scheduler.paused:
            self._scheduler.resume()


class RunControls:
    """Serves `~/pause ~/resume ~/step ~/stop` of a node. A pause lasts until it is resumed, whatever ends meanwhile.

    refuse: ends all goals that wait for their turn with an error, and says how many.
    tick: called before each, as runs do not hear the time while they are paused, and after it.
    clients: their watch; told when one of them has said whether runs go on. Its pause ends with the run.
    """

    def __init__(
        self,
        node: Node,
        scheduler: RunScheduler,
        tick: Callable[[], None],
        clients: ClientWatch,
        refuse: Callable[[Exception], int],
    ) -> None:
        self._scheduler = scheduler
        self._tick = tick
        self._clients = clients
        self._refuse = refuse
        controls = {"stop": self._stop, "pause": self._pause, "resume": self._resume, "step": self._step}
        for name, control in controls.items():
            node.create_service(Trigger, f"~/{name}", control)

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        waited = self._refuse(Rejected.because("", "STOPPED", "stopped by the stop service before it began"))
        stopped = self._scheduler.stop_all("stopped by the stop service")
        text = f"stopping {', '.join(stopped)}" if stopped else "nothing runs"
        text += f"; {waited} that waited do not begin" if waited else ""
        self._tick()
        response.success = True
        stays = self._scheduler.paused and not self._clients.pauses
        response.message = f"{text}; paused" if stays else text
        return response

    def _pause(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        before = self._scheduler.is_paused
        text = "pausing" if self._scheduler.pause() else "paused: nothing begins"
        return self._answer(response, True, HELD_ALREADY if before else text, "")

    def _resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        return self._answer(response, self._scheduler.resume(), "going on", "nothing is paused")

    def _step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        return self._answer(response, self._scheduler.step(), "to the next transition", "nothing is paused")

    def _answer(self, response: Trigger.Response, done: bool, text: str, otherwise: str) -> Trigger.Response:
        if done:
            self._clients.hand_over()
        self._tick()
        response.success = done
        response.message = text if done else otherwise
        return response
