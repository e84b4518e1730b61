# SPDX-License-Identifier: Apache-2.0
"""Documents for the behaviour tree: checked against what the body can do, sent, and each followed to its end."""

import json
import math
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Final

from rclpy.node import Node

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.bml import Document, Problem, analyse, check, read, to_json
from embodiment_bridge.bml.nodes.node import preorder
from embodiment_bridge.bml.nodes.registry import type_of
from embodiment_bridge.bml.rules.operator_rules import EVERYTHING, Allowed, check_channels
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.nodes.base.action_server import run_id_of
from embodiment_bridge.nodes.base.goal_client import BmlGoal, DocumentClient
from embodiment_bridge.nodes.body.keep_alive import CLIENT_S, KeepAlive
from embodiment_bridge.robot.senses import Senses
from embodiment_bridge.robot.values import Check, Outcome, Progress

JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class Goal:
    """A place in ``map`` (m, and heading in rad, or None), or a thing by id or kind."""

    x: float = 0.0
    y: float = 0.0
    yaw: float | None = None
    thing: str = ""

    def __str__(self) -> str:
        heading = "" if self.yaw is None else f", heading {self.yaw:g}"
        return self.thing or f"{self.x:g} {self.y:g}{heading}"


def way(senses: Senses, goal: Goal) -> JsonObject:
    """Return the document that brings the robot to a goal: the skill ``go_to``, else a ``walk`` that goes to a place.

    The body judges names of things: it may know more of them than the ids and kinds that it shows.

    Raises:
        CommandError: the body has neither.
    """
    skills = {name: skill for name, skill in senses.skills.items() if skill.available}
    walks = {"x", "y"} <= set(skills["walk"].parameters if "walk" in skills else ())
    if not (walks or "go_to" in skills):
        raise CommandError(f"body {senses.body!r} cannot walk to a place: it has no skill for that")
    if "go_to" in skills:
        return _action("go_to", _at(goal, "thing"))
    return _action("walk", {key: value for key, value in _at(goal, "entity").items() if key != "yaw"})


def _at(goal: Goal, thing: str) -> dict[str, object]:
    if goal.thing:
        return {thing: goal.thing}
    place: dict[str, object] = {"x": goal.x, "y": goal.y}
    return place if goal.yaw is None else {**place, "yaw": goal.yaw}


def _action(name: str, parameters: dict[str, object]) -> JsonObject:
    rounded = {
        key: round(value, 4) if isinstance(value, float) and math.isfinite(value) else value
        for key, value in parameters.items()
    }
    return {"type": "body", "action": name.upper(), "parameters": rounded}


# Reads and checks a document against what the body can do, before it is sent.

Written = Document | Mapping[str, object] | str
KNOWN_TO_TREE = ("URL_REFUSED",)  # parameters of the behaviour tree say what is allowed


def text_of(document: Written) -> str:
    """A document as JSON text.

    Raises:
        CommandError: it has values that JSON does not know.
    """
    if isinstance(document, Document):
        return to_json(document)
    if isinstance(document, str):
        return document
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise CommandError(f"the document is not JSON: {error}") from error


def examine(document: Written, skills: Mapping[str, SkillInfo], allowed: Allowed | None = None) -> Check:
    """All problems of a document, and its times. The tree alone knows which URLs may be fetched.

    With ``allowed`` channels a document may not fetch others, which are checked where they are run only.

    Raises:
        CommandError: see ``text_of``.
    """
    result = read(text_of(document))
    problems = list(result.problems)
    found = result.readable
    if found is None:
        return Check(tuple(problems))
    problems += [one for one in check(found, skills, speech=True) if one.code not in KNOWN_TO_TREE]
    problems += check_channels(found, skills, allowed)
    if allowed is not None:
        problems += [
            Problem(
                node.pointer,
                "CHANNEL_NOT_ALLOWED",
                f"{allowed.source!r} has some channels only and may not fetch",
            )
            for node in preorder(found.root)
            if node.type_name == "request"
        ]
    if result.document is None:
        return Check(tuple(result.located(problems)))
    analysis = analyse(found, skills)
    problems = result.located([*problems, *analysis.warnings])
    times = analysis.estimates[found.root.pointer]
    longest = math.inf if times.forever else times.max_s
    return Check(tuple(problems), times.min_s, times.expected_s, longest, _channels_of(found, skills))


def channels_of(document: Written, skills: Mapping[str, SkillInfo]) -> frozenset[str]:
    """The channels that a document drives; all where it fetches others, or cannot be read."""
    return _channels_of(read(text_of(document)).document, skills)


def _channels_of(found: Document | None, skills: Mapping[str, SkillInfo]) -> frozenset[str]:
    nodes = [] if found is None else preorder(found.root)
    if not nodes or any(node.type_name in ("request", "subtree") for node in nodes):
        return EVERYTHING
    uses = (type_of(node).uses(node, skills) for node in nodes)
    return frozenset(channel for use in uses if use is not None for channel in use.channels)


LOST: Final = "UNKNOWN"


class Run:
    """One run. ``began`` and ``ended`` are set on the thread of the graph; ``progress`` is the newest."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.began: Future[bool] = Future()
        self.ended: Future[Outcome] = Future()
        self.progress = Progress("SENT", 0.0)
        self.warnings: list[str] = []
        self.sent: BmlGoal | None = None
        self._listeners: list[Callable[[Progress], None]] = []

    @property
    def run_id(self) -> str:
        """The name that the tree has for it; empty until it was accepted."""
        return run_id_of(self.sent.handle) if self.sent is not None and self.sent.handle is not None else ""

    def on_progress(self, listener: Callable[[Progress], None]) -> None:
        """Call ``listener(progress)`` at each news, on the thread of the graph."""
        self._listeners.append(listener)

    def take_feedback(self, news: ExecuteBml.Feedback) -> None:
        """News from the tree."""
        self.warnings.extend(news.warnings)
        expected = float(news.expected) if math.isfinite(news.expected) else None
        self.progress = Progress(
            news.state, float(news.elapsed), tuple(news.active), expected, tuple(news.doing)
        )
        self.begin()
        for listener in self._listeners:
            listener(self.progress)

    def begin(self) -> None:
        """Note that the goal was accepted."""
        if not self.began.done():
            self.began.set_result(True)

    def end(self, outcome: Outcome) -> None:
        """Note that the run is over."""
        if not self.ended.done():
            if not self.began.done():
                self.began.set_result(False)
            self.ended.set_result(outcome)


class Runs:
    """The client of `execute_bml`: all methods are for the thread of the graph.

    While a run lasts, ``source`` is said on `keep_alive`, so that the tree pauses the run when this process is gone.
    """

    def __init__(self, node: Node, source: str) -> None:
        self._source = source
        self._alive = KeepAlive(node, CLIENT_S)
        self._client = DocumentClient(node)
        self._running: list[Run] = []

    @property
    def is_ready(self) -> bool:
        """Whether a behaviour tree serves documents."""
        return self._client.server_is_there

    @property
    def running(self) -> tuple[Run, ...]:
        """The runs that were sent and have not ended."""
        return tuple(self._running)

    def send(self, run: Run, on_new: str, priority: int, *, suspendable: bool) -> None:
        """Ask for a run."""
        if not self.is_ready:
            run.end(Outcome("REJECTED", "no behaviour tree serves execute_bml in this namespace"))
            return
        self._running.append(run)
        self._alive.tell((self._source,))
        self._alive.rest((self._source,))
        goal = ExecuteBml.Goal(
            document=run.document,
            source=self._source,
            on_new=on_new,
            priority=priority,
            suspendable=suspendable,
        )
        run.sent = self._client.send(goal, run.take_feedback, partial(self._ended, run))

    def cancel(self, run: Run) -> None:
        """Ask for its end; it ends when the body is at rest."""
        if run.sent is not None and not run.ended.done():
            run.sent.cancel()

    def give_up(self) -> None:
        """Cancel what was sent and has not begun: the tree may hear of it after a stop that was called later."""
        for run in self.running:
            if run.sent is not None and not run.sent.answered:
                self.cancel(run)

    def close(self) -> None:
        """Cancel everything; what has not ended is not known any more.

        The client of the action goes with its node: an answer to it that is under way would crash the events executor.
        """
        for run in self.running:
            self.cancel(run)
            self._end(run, Outcome(LOST, "this program has ended"))
        self._alive.destroy()

    def lose(self) -> None:
        """Nobody serves the graph any more: what becomes of the runs will not be known."""
        for run in self.running:
            run.end(Outcome(LOST, "this program serves the graph no more"))

    def _ended(self, run: Run, sent: BmlGoal) -> None:
        result = sent.result
        if result is None or sent.lost:
            self._end(run, Outcome(LOST, sent.lost))
            return
        warnings = tuple(dict.fromkeys(run.warnings))
        self._end(
            run,
            Outcome(
                result.outcome,
                result.reason,
                result.pointer,
                tuple(result.problems),
                warnings,
                float(result.elapsed),
            ),
        )

    def _end(self, run: Run, outcome: Outcome) -> None:
        if run in self._running:
            self._running.remove(run)
        if not self._running:
            self._alive.tell(())
        run.end(outcome)
