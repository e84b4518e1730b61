# SPDX-License-Identifier: Apache-2.0
"""The class ``Robot``: a brain in a few lines of Python, on any body."""

import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import Final, TypeVar

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger
from typing_extensions import override

from embodiment_bridge.bml.rules.operator_rules import Allowed
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import CommandError, LinkError, unknown
from embodiment_bridge.launching.environment import prepare
from embodiment_bridge.launching.launch_description import LaunchDescription, join_namespace
from embodiment_bridge.nodes.base.goal_client import ANSWER_WITHIN
from embodiment_bridge.robot.graph_thread import GraphThread
from embodiment_bridge.robot.runs import Goal, JsonObject, Run, Runs, Written, examine, text_of, way
from embodiment_bridge.robot.senses import Senses
from embodiment_bridge.robot.values import Check, Heard, Outcome, Pose, Thing

T = TypeVar("T")
LOOK_S: Final = 0.05  # between two looks for the robot
FIRST_LOOK: Final = 5.0  # s to wait for what the body tells, and for its services; the machine may be busy
FIRST_POSE: Final = 1.0  # s more to wait for where it is, which a body may never know
OF_BODY: Final = ("stop", "hold")  # services that say whether the body was seen to follow
TOLD_FIRST: Final = ("body_status", "robot_description", "entities")  # where it is published; the link always
VOID: Final = "stop was called after this was asked for, and before it began"
_numbers = count(1)


class Robot(ClosedOnExit):
    """The robot in a namespace of the running graph; a context manager. All methods may be called on any thread.

    What it does goes through the behaviour tree as documents, so that the tree's limits, guards and
    ``source_channels`` hold for it. If this program dies, the tree pauses what it has begun.

    Args:
        namespace: of the robot.
        source: says to the tree who asks; ``source_channels`` may name it.
        wait: s to wait for the robot.
        graph: nodes to bring up in this process first; None: nothing.
        allowed: channels that documents may drive; None: those that the tree allows.
        say: receives lines of ``graph`` for people.

    Raises:
        LinkError: there is no robot in the namespace.
        ConfigError: the namespace is not one, or ``graph`` cannot be brought up.
    """

    def __init__(
        self,
        namespace: str = "/",
        *,
        source: str = "python",
        wait: float = 10.0,
        graph: LaunchDescription | None = None,
        allowed: Allowed | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.namespace = join_namespace("/", namespace)
        self.stops = 0  # calls of ``stop``
        self._allowed = allowed
        prepare()
        number = next(_numbers)
        name = f"{source}_{os.getpid()}_{number}"
        self._thread = GraphThread(name, self.namespace, graph, say)
        try:
            self.senses, self._runs = self._thread.do(
                lambda: (
                    Senses(self._thread.node),
                    Runs(self._thread.node, f"{source}/{os.getpid()}.{number}"),
                )
            ).result()
            self._thread.at_end = self._runs.lose
            self._clients = self._thread.do(self._make_clients).result()
            self._await_robot(wait)
        except BaseException:
            self._thread.close()
            raise

    @override
    def close(self) -> None:
        """Cancel what runs, and leave the graph. May be called more than once."""
        closed = self._thread.do(self._runs.close)
        if closed.exception() is None:
            self._thread.close()

    @property
    def exit_code(self) -> int:
        """After ``close``: that of the graph which was started with it, as of ``up``; 0 without one."""
        return self._thread.exit_code

    # What it knows.

    @property
    def pose(self) -> Pose | None:
        """The pose of the robot; None while it is not known."""
        return self.senses.pose

    @property
    def skills(self) -> Mapping[str, SkillInfo]:
        """The skills of the body, by name."""
        return self.senses.skills

    def see(self, name: str = "") -> list[Thing]:
        """The things that it knows, those of this id or kind where ``name`` is given."""
        return [thing for thing in self.senses.things() if not name or thing.is_named(name)]

    def heard(self, after: int = 0) -> list[Heard]:
        """The latest that was heard, with numbers above ``after``."""
        return [one for one in self.senses.heard if one.number > after]

    def wait_for(self, name: str, timeout: float = 10.0) -> Thing:
        """The thing of this id or kind, as soon as it is seen.

        Raises:
            CommandError: it is not seen within ``timeout`` s; the text names what is.
        """
        self.senses.wait(lambda: any(one.visible for one in self.see(name)), timeout)
        thing = self.senses.find(name)
        if thing is not None and not thing.visible:
            raise CommandError(
                f"not seen within {timeout:g} s: {name!r} is out of view, last seen {thing.age:.0f} s ago"
            )
        if thing is None:
            known = unknown("thing", name, self.senses.names())
            raise CommandError(f"not seen within {timeout:g} s: {known}")
        return thing

    # What it does.

    def do(self, skill: str, **parameters: float | str) -> Outcome:
        """Do one skill with its parameters (SI units), and wait for its end.

        Raises:
            CommandError: it was refused or failed; the text says why.
        """
        return self.run(skill_document(skill, parameters))

    def say(self, text: str) -> Outcome:
        """Say something.

        Raises:
            CommandError: it was refused or failed.
        """
        return self.run(self.say_document(text))

    def go_to(self, x: float | str, y: float = 0.0, yaw: float | None = None) -> Outcome:
        """Go to a place in ``map`` (m, heading rad), or to a thing: ``go_to(1.0, 2.0)``, ``go_to("ball")``.

        Raises:
            CommandError: the way cannot be found, or was not gone to its end.
        """
        goal = Goal(thing=x) if isinstance(x, str) else Goal(float(x), float(y), yaw)
        return self.run(self.way(goal))

    def run(self, document: Written) -> Outcome:
        """Run a document of BML (a dictionary, a text, or of a builder), and wait for its end.

        Raises:
            CommandError: it was refused or failed; the text has all problems.
        """
        return self._finish(self.start(document))

    def start(
        self,
        document: Written,
        *,
        on_new: str = "replace",
        priority: int = 0,
        suspendable: bool = False,
        stops: int | None = None,
    ) -> Run:
        """Begin to run a document; ``Run.ended`` has its outcome, and ``cancel`` ends it.

        suspendable: whether a later run may let this one pause.
        stops: the value of ``stops`` when it was asked for; a ``stop`` since then voids it. None: that of now.

        Raises:
            CommandError: it drives channels that are not allowed.
        """
        stops = self.stops if stops is None else stops
        if self._allowed is not None:
            self._check_channels(document)
        run = Run(text_of(document))

        def send() -> None:
            if stops == self.stops:
                self._runs.send(run, on_new, priority, suspendable=suspendable)
            else:
                run.end(Outcome("CANCELED", VOID))

        self._thread.do(send).add_done_callback(partial(_end_unsent, run))
        return run

    def cancel(self, run: Run) -> None:
        """Ask for the end of a run; it ends when the body is at rest."""
        self._thread.do(lambda: self._runs.cancel(run))

    def check(self, document: Written) -> Check:
        """The problems of a document for this body, and how long it takes."""
        return examine(document, self.skills, self._allowed)

    def stop(self) -> str:
        """End all that runs on this robot, whoever began it; returns what the robot says.

        What was asked of this object before and has not begun does not begin any more.

        Raises:
            LinkError: the robot did not answer.
        """
        self.stops += 1
        self._thread.do(self._runs.give_up)
        calls = [self.call("behavior_tree/stop"), self.call("stop")]
        return "; ".join(_answer(call) for call in calls)

    def hold(self, on: bool = True) -> str:
        """Freeze all that runs in mid-motion, or let it go on where ``on`` is False itself; returns what it says.

        Raises:
            LinkError: the robot did not answer.
        """
        on = on is not False
        calls = [self.call("behavior_tree/pause" if on else "behavior_tree/resume"), self.call("hold", on)]
        return "; ".join(_answer(call) for call in calls)

    # For programs that cannot wait.

    def way(self, goal: Goal) -> JsonObject:
        """The document that brings it to a goal; see ``runs.way``."""
        return way(self.senses, goal)

    def say_document(self, text: str) -> JsonObject:
        """The document that says something: the skill of the body, else the speech of the tree."""
        skill = self.skills.get("say")
        if skill is not None and skill.available and "text" in skill.parameters:
            return skill_document("say", {"text": text})
        return {"type": "speak", "content": text}

    def call(self, service: str, on: bool | None = None) -> "Future[str]":
        """Call `stop`, `hold` or a service of the tree; the future has its message.

        It has a LinkError where the body was not seen to follow.
        """
        client = self._clients[service]
        answer: Future[str] = Future()

        def ask() -> None:
            if not client.service_is_ready():
                answer.set_exception(LinkError(f"nothing serves {service} in {self.namespace}"))
                return
            request = Trigger.Request() if on is None else SetBool.Request(data=on)
            client.call_async(request).add_done_callback(lambda done: take(done.result()))

        def take(response: Trigger.Response | SetBool.Response) -> None:
            if service in OF_BODY and not response.success:
                answer.set_exception(LinkError(f"{service}: {response.message}"))
            else:
                answer.set_result(response.message)

        self._thread.do(ask).add_done_callback(partial(_pass_on, answer))
        return answer

    def on_graph(self, action: Callable[[Node], T]) -> "Future[T]":
        """Do something with the node of this robot, on the thread of the graph."""
        return self._thread.do(lambda: action(self._thread.node))

    def _make_clients(self) -> dict[str, Client]:
        node = self._thread.node
        triggers = ("behavior_tree/stop", "behavior_tree/pause", "behavior_tree/resume", "stop")
        clients = {name: node.create_client(Trigger, name) for name in triggers}
        return {**clients, "hold": node.create_client(SetBool, "hold")}

    def _await_robot(self, wait: float) -> None:
        if not self._until(lambda: bool(self.skills) and self._thread.do(self._tree_is_ready).result(), wait):
            lacking = "a behaviour tree" if self.skills else "a body"
            raise LinkError(
                f"no robot in namespace {self.namespace} after {wait:g} s: {lacking} is missing; start one with "
                "`embodiment_bridge up bringup.launch.xml body:=mock`"
            )
        # Else its first answers would be that it sees nothing, is nowhere, is not joined, and cannot be stopped.
        self._until(lambda: self._thread.do(self._body_is_known).result(), FIRST_LOOK)
        if self._thread.do(lambda: self._thread.node.count_publishers("pose")).result():
            self.senses.wait(lambda: self.pose is not None, FIRST_POSE)

    def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Look again and again, as services do not tell that they have come; whether it holds within so many s."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() >= deadline:
                return False
            self.senses.wait(lambda: False, LOOK_S)
        return True

    def _body_is_known(self) -> bool:
        """Whether the body has told what it always tells, and can be stopped and held."""
        published = {topic for topic in TOLD_FIRST if self._thread.node.count_publishers(topic)}
        known = {"link_state", *published} <= self.senses.told
        return known and all(client.service_is_ready() for client in self._clients.values())

    def _tree_is_ready(self) -> bool:
        """Whether the tree can be asked for all; one that starts serves documents before it can be held."""
        services = [client for name, client in self._clients.items() if name.startswith("behavior_tree/")]
        return self._runs.is_ready and all(client.service_is_ready() for client in services)

    def _finish(self, run: Run) -> Outcome:
        outcome = run.ended.result()
        if not outcome.went_well:
            raise CommandError(str(outcome))
        return outcome

    def _check_channels(self, document: Written) -> None:
        refused = [str(one) for one in self.check(document).problems if one.code == "CHANNEL_NOT_ALLOWED"]
        if refused:
            raise CommandError("; ".join(refused))


def skill_document(skill: str, parameters: Mapping[str, float | str]) -> JsonObject:
    """The document that does one skill."""
    document: JsonObject = {"type": "body", "action": skill.upper()}
    return {**document, "parameters": dict(parameters)} if parameters else document


def _end_unsent(run: Run, sent: "Future[None]") -> None:
    error = sent.exception()
    if error is not None:
        run.end(Outcome("REJECTED", str(error)))


def _pass_on(answer: "Future[str]", asked: "Future[None]") -> None:
    error = asked.exception()
    if error is not None:
        answer.set_exception(error)


def _answer(call: "Future[str]") -> str:
    try:
        return call.result(ANSWER_WITHIN)
    except TimeoutError:
        raise LinkError(f"the robot did not answer within {ANSWER_WITHIN:g} s") from None
