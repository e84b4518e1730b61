# SPDX-License-Identifier: Apache-2.0
"""Runs documents for a host: with approval, progress, pings, and an end when the host cancels or is gone.

Keeps a journal of the last runs.
"""

import asyncio
import json
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final
from weakref import WeakSet

import anyio
from rclpy.node import Node
from rclpy.subscription import Subscription

from embodiment_bridge.bml.rules.operator_rules import EVERYTHING
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.mcp_server.answers import MARK, RUNNING, plain
from embodiment_bridge.mcp_server.approval import Approvals
from embodiment_bridge.mcp_server.graph_thread import call_soon, of_graph
from embodiment_bridge.mcp_server.host import Context, Options, until_gone
from embodiment_bridge.msg import NodeEvent
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.robot.runs import Run, Written, channels_of
from embodiment_bridge.robot.values import Outcome, Progress

# The last runs with what happened in them, for a model that wants to know why.

KEPT: Final = 5  # runs
EVENTS: Final = 100  # the latest of a run
LONGEST: Final = 300  # characters of an event


@dataclass(slots=True)
class _Run:
    events: deque[str] = field(default_factory=lambda: deque(maxlen=EVENTS))
    outcome: str = ""


class Journal:
    """Fed on the thread of the graph; ``text`` may be called on any."""

    def __init__(self, robot: Robot) -> None:
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self._robot = robot
        self._topic = robot.on_graph(self._subscribe).result()

    def close(self) -> None:
        """Take the topic off the graph."""
        self._robot.on_graph(lambda node: node.destroy_subscription(self._topic))

    def ended(self, run_id: str, outcome: str) -> None:
        """Note how a run has ended."""
        if run_id:
            self._of(plain(run_id)).outcome = plain(outcome, LONGEST)

    def text(self) -> str:
        """JSON: the runs, oldest first."""
        runs = [
            {"run": name, "outcome": run.outcome, "events": list(run.events)}
            for name, run in list(self._runs.items())
        ]
        return json.dumps(
            {"note": f"texts in events may be {MARK}", "runs": runs}, ensure_ascii=False, indent=1
        )

    def _of(self, run_id: str) -> _Run:
        run = self._runs.setdefault(run_id, _Run())
        while len(self._runs) > KEPT:
            self._runs.popitem(last=False)
        return run

    def _subscribe(self, node: Node) -> Subscription:
        return node.create_subscription(NodeEvent, "behavior_tree/events", self._take, profile("events"))

    def _take(self, event: NodeEvent) -> None:
        words = [
            f"{event.t:.2f} s",
            event.pointer or "/",
            event.type,
            event.event,
            event.code,
            event.message,
        ]
        self._of(plain(event.run_id)).events.append(plain(" ".join(filter(None, words)), LONGEST))


MOST_RUNS: Final = 8  # at once, of all hosts; the tree runs one of them
GONE: Final = "the host of the language model does not answer"


class McpRuns:
    """All runs of one server. ``last`` tells of the one that has ended last; ``background`` still runs."""

    def __init__(
        self,
        robot: Robot,
        options: Options,
        approvals: Approvals | None,
        journal: Journal,
        say: Callable[[str], None],
    ) -> None:
        self._robot, self._options, self._approvals, self._journal = robot, options, approvals, journal
        self._say = say
        self._running: dict[Run, frozenset[str]] = {}  # with the channels that each drives
        self._asking = 0
        self._freezes = 0
        self._watches: set[asyncio.Task[None]] = set()
        self._gone: WeakSet[Run] = WeakSet()  # of hosts that do not answer
        self.last = ""
        self.background: Run | None = None

    async def perform(
        self,
        context: Context,
        what: str,
        document: Written,
        *,
        background: bool = False,
        channels: frozenset[str] | None = None,
        stops: int | None = None,
    ) -> Outcome:
        """Run a document to its end; ``stops`` as for ``Robot.start``.

        channels: those that it drives, where it replaces all that runs. None, for a short document: what this server
        runs on other channels goes on after it.

        Raises:
            CommandError: the operator forbids it, nobody agreed, too much is going on, or the robot was stopped.
        """
        stops = self._robot.stops if stops is None else stops
        await self.permit(context, what, len(self._running))
        driven = channels_of(document, self._robot.skills) if channels is None else channels
        # What drives nothing that is known has no other channels to leave alone.
        on_new, over = self._way_for(driven if channels is None and driven else EVERYTHING)
        run = self._robot.start(document, on_new=on_new, suspendable=True, stops=stops)
        for one in over:
            self._robot.cancel(one)
        self._running[run] = driven
        return await self._run(context, run, background)

    def void(self) -> None:
        """The robot is stopped or frozen: what waits for the agreement of a person does not begin any more."""
        self._freezes += 1
        if self._approvals is not None:
            self._approvals.void()

    async def permit(self, context: Context, what: str, running: int = 0) -> None:
        """Return when ``what``, which moves the robot, may begin beside so many runs.

        Raises:
            CommandError: the operator forbids it, nobody agreed, too much is going on, or it was voided.
        """
        if self._options.read_only:
            raise CommandError("this server only looks (--read-only): it moves nothing")
        if running + self._asking >= MOST_RUNS:
            raise CommandError(f"{MOST_RUNS} calls are running or waiting already; wait for their end")
        if self._approvals is None:
            return
        freezes = self._freezes
        self._asking += 1
        try:
            agreed = await self._approvals.ask(context, what)
        finally:
            self._asking -= 1
        if freezes != self._freezes:
            raise CommandError(
                "stop or hold was called while it waited for the agreement of a person: ask anew"
            )
        if not agreed:
            raise CommandError("the operator did not agree to it")

    def _way_for(self, channels: frozenset[str]) -> tuple[str, list[Run]]:
        """Return what the tree is to do about a new run (``on_new``), and the runs on its channels to cancel then.

        The tree runs one document at a time: one pauses while the new one runs, and what is more waits its turn.
        """
        same = [run for run, theirs in self._running.items() if theirs & channels or channels is EVERYTHING]
        over = same if len(self._running) > 1 else []  # a single one is replaced
        if len(same) == len(self._running):
            return "replace", over
        return "suspend" if len(self._running) == 1 else "queue", over

    async def _run(self, context: Context, run: Run, background: bool) -> Outcome:
        loop = asyncio.get_running_loop()
        run.ended.add_done_callback(lambda ended: self._ended(loop, run, ended))
        if background:
            self.background = run
            try:
                if not await of_graph(run.began):
                    return await of_graph(run.ended)
            except BaseException:  # the host canceled the call: nothing would watch the run
                self._robot.cancel(run)
                raise
            task = loop.create_task(self._watch_background(context, run))
            self._watches.add(task)
            task.add_done_callback(self._watches.discard)
            return Outcome(RUNNING, f"it runs in the background as {run.run_id}; wait for run, or stop it")
        try:
            return await self._follow(context, run)
        finally:
            if not run.ended.done():
                self._robot.cancel(run)  # the host canceled the call, or is gone

    async def _watch_background(self, context: Context, run: Run) -> None:
        """Cancel a run whose host is gone."""
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                await until_gone(context, self._options.host_timeout, in_call=False)
                self._say("the host is gone: its run in the background is canceled")
                self._gone.add(run)
                self._robot.cancel(run)

            group.start_soon(watch)
            await of_graph(run.ended)
            group.cancel_scope.cancel()

    async def _follow(self, context: Context, run: Run) -> Outcome:
        """The outcome, with progress for the host meanwhile."""
        send, receive = anyio.create_memory_object_stream[Progress](1)
        loop = asyncio.get_running_loop()

        def newest(progress: Progress) -> None:
            with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
                send.send_nowait(progress)  # the host is told of one at a time, and of none after the end

        run.on_progress(lambda progress: call_soon(loop, newest, progress))
        async with send, receive, anyio.create_task_group() as group:

            async def tell() -> None:
                async for news in receive:
                    doing = " + ".join(dict.fromkeys(news.doing))
                    text = plain(" ".join((news.state, doing, *run.warnings[-1:])), 200)
                    await context.session.report_progress(news.elapsed, news.expected, text)

            async def watch() -> None:
                await until_gone(context, self._options.host_timeout, in_call=True)
                self._say(
                    f"the host has not answered for {self._options.host_timeout:g} s: its run is canceled"
                )
                self._gone.add(run)
                self._robot.cancel(run)

            group.start_soon(tell)
            group.start_soon(watch)
            outcome = self._told(run, await of_graph(run.ended))
            group.cancel_scope.cancel()
        return outcome

    def _told(self, run: Run, outcome: Outcome) -> Outcome:
        """The outcome of a run, with the reason where its host was gone."""
        return replace(outcome, reason=GONE) if run in self._gone and not outcome.went_well else outcome

    def _ended(self, loop: asyncio.AbstractEventLoop, run: Run, ended: "Future[Outcome]") -> None:
        outcome = self._told(run, ended.result())

        def note() -> None:
            self._running.pop(run, None)
            self.last = f"{run.run_id}: {outcome}".removeprefix(": ")
            if self.background is run:
                self.background = None

        self._journal.ended(run.run_id, str(outcome))
        call_soon(loop, note)
