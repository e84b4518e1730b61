# SPDX-License-Identifier: Apache-2.0
"""Does on the graph what a page asks of a robot, and ends it when that page is gone."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Twist
from rclpy.client import Client
from rclpy.duration import Duration
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.action import ExecuteBml, ExecuteSkill
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.goal_client import DocumentClient, SentGoal, SkillClient
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.keep_alive import CLIENT_S, TOPIC, KeepAlive
from embodiment_bridge.viewing.buttons import EMERGENCY_STOP, RELEASE, STOP
from embodiment_bridge.viewing.controls import Controls

Words = Callable[[Any], tuple[str, bool]]
"""The line about a result, and whether it is bad."""

SPEED: Final = (0.25, 0.6)  # m/s and rad/s of the drive pad: careful; a body limits it further
ENDED: Final = "ENDED"  # state of a document in TreeSnapshot
SOURCE: Final = "viewer"
ANSWER_S: Final = 1.0  # for the answer to an emergency stop, which takes some ms; then it is told of
DEAD_MAN_S: Final = 2.0  # without a sign of this process the body holds its skills
ENDINGS: Final = {
    getattr(ExecuteSkill.Result, word): word.lower()
    for word in ("SUCCEEDED", "SKIPPED", "REPLACED", "CANCELED", "FAILED")
}
CALLS: Final = ("pause", "resume", "step", "stop")


class RobotDriver:
    """Implements a ``viewing.controls.Driver`` for the robot of a namespace. Its methods may be called by any thread.

    They only ask the node's own thread, which does everything.
    """

    def __init__(self, node: BridgeNode, namespace: str) -> None:
        self._node = node
        prefix = namespace.rstrip("/")
        self.shown: Controls | None = None
        self._state = ""  # state of the document
        self._goals: dict[int, list[SentGoal[Any, Any]]] = {}  # by page
        self._drivers: set[int] = set()  # pages whose last command was a velocity
        self._gone: set[int] = set()
        self._velocity = node.create_publisher(Twist, f"{prefix}/cmd_vel", profile("command"))
        self._trajectory = node.create_publisher(
            JointTrajectory, f"{prefix}/joint_trajectory", profile("command")
        )
        self._alive = KeepAlive(node, CLIENT_S, topic=f"{prefix}/{TOPIC}")
        self._skills = SkillClient(node, f"{prefix}/execute_skill")
        self._documents = DocumentClient(node, f"{prefix}/execute_bml")
        self._services = {
            name: node.create_client(Trigger, f"{prefix}/behavior_tree/{name}") for name in CALLS
        }
        self._stop_body = node.create_client(Trigger, f"{prefix}/stop")
        self._emergency = node.create_client(SetBool, f"{prefix}/emergency_stop")
        self.buttons: frozenset[str] = frozenset()  # those that can work
        self.amiss = ""  # why it is not known that the robot obeyed its emergency stop, or the release
        self._robot = prefix or "the robot"
        self._has_emergency = False  # or had
        self._asked: tuple[str, float] | None = None  # of it, without an answer, and when (monotonic time, s)

    def destroy(self) -> None:
        """End what the pages began, and take everything off the graph."""
        for page in tuple(self._goals):
            self._leave(page)
        self._alive.destroy()
        for client in (self._skills, self._documents):
            client.destroy()
        for service in (*self._services.values(), self._stop_body, self._emergency):
            self._node.destroy_client(service)
        for publisher in (self._velocity, self._trajectory):
            self._node.destroy_publisher(publisher)

    def stop(self) -> None:
        """End the document and all skills."""
        self._do(self._stop)

    def emergency_stop(self, *, on: bool) -> None:
        """Press the emergency stop of the body where it has one, and end the document and all skills.

        Or release it.
        """
        self._do(lambda: self._emergency_stop(on))

    def look(self) -> None:
        """Look up the services of the robot: others get no buttons and controls. For the node's own thread."""
        stops = self._stop_body.service_is_ready() or self._services["stop"].service_is_ready()
        has_emergency = self._emergency.service_is_ready()
        self._has_emergency = self._has_emergency or has_emergency
        if self._asked is not None and time.monotonic() - self._asked[1] > ANSWER_S:
            self._tell_amiss(f"{self._asked[0]}: not answered")
        found = {STOP: stops, EMERGENCY_STOP: has_emergency, RELEASE: has_emergency}
        self.buttons = frozenset(name for name, works in found.items() if works)
        if self.shown is not None:
            self.shown.steers(stops or self._skills.server_is_there)

    def call(self, service: str) -> None:
        """Pause, resume or step the document that runs."""
        self._do(lambda: self._call(self._services[service], service))

    def drive(self, page: int, forward: float, turn: float) -> None:
        """Walk at shares (-1..1) of a careful speed for half a second."""
        self._do(lambda: self._drive(page, forward, turn))

    def go_to(self, page: int, x: float, y: float) -> None:
        """Walk to a place in ``map``, m."""
        self.do_skill(page, "go_to", {"x": f"{x:.3f}", "y": f"{y:.3f}"})

    def do_skill(self, page: int, name: str, parameters: Mapping[str, str]) -> None:
        """Do a skill."""
        pairs = [KeyValue(key=key, value=value) for key, value in parameters.items()]
        goal = ExecuteSkill.Goal(name=name, parameters=pairs, source=SOURCE, dead_man=DEAD_MAN_S)
        words = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        self._do(lambda: self._send(page, self._skills, goal, words, _skill_words))

    def run_document(self, page: int, name: str, text: str) -> None:
        """Run a BML document."""
        goal = ExecuteBml.Goal(document=text, source=SOURCE)
        self._do(lambda: self._send(page, self._documents, goal, name, _document_words))

    def move_joint(self, name: str, position: float, seconds: float) -> None:
        """Move a joint to a position (rad, or m) within so many seconds, when nothing runs."""
        self._do(lambda: self._move_joint(name, position, seconds))

    def see_tree(self, state: str) -> None:
        """Note the state of the document: RUNNING, PAUSED, ENDED, ..."""
        self._state = state

    def leave(self, page: int) -> None:
        """End what this page began: it was closed, or its connection is broken."""
        self._do(lambda: self._leave(page))

    def _do(self, act: Callable[[], None]) -> None:
        executor = self._node.executor
        if executor is not None:
            executor.create_task(self._node.guard.wrap(act, "the page"))

    def _stop(self) -> None:
        self._call(self._services["stop"], "")
        self._call(self._stop_body, "stop")
        self._velocity.publish(Twist())

    def _emergency_stop(self, on: bool) -> None:
        if self._has_emergency or self._emergency.service_is_ready():
            what = "emergency stop" if on else "release"
            self._asked = what, time.monotonic()
            self._call(self._emergency, what, SetBool.Request(data=on))
        if on:
            self._stop()

    def _call(self, client: Client, what: str, request: SetBool.Request | None = None) -> None:
        if not client.service_is_ready():
            if what:
                self._tell(f"{what}: the robot does not answer", bad=True)
            return
        answer = client.call_async(Trigger.Request() if request is None else request)
        if what:
            self._tell(f"{what}: not answered", bad=True)  # until it is: a process that hangs may never do so
            answer.add_done_callback(lambda done: self._answered(what, done.result()))

    def _answered(self, what: str, answer: Trigger.Response | SetBool.Response) -> None:
        self._tell(f"{what}: {answer.message or 'done'}", bad=not answer.success)
        if self._asked is not None and self._asked[0] == what:
            self._asked, self.amiss = None, ""
            if not answer.success:
                self._tell_amiss(f"{what}: {answer.message or 'refused'}")

    def _tell_amiss(self, text: str) -> None:
        """Tell of it beside the buttons, in the diagnostics, and once in the log."""
        text = f"{self._robot}: {text}: it is not known to be obeyed, cut the supply if in doubt"
        if text != self.amiss:
            self.amiss = text
            self._node.get_logger().error(text)

    def _drive(self, page: int, forward: float, turn: float) -> None:
        if page in self._gone:
            return
        self._drivers.add(page)
        message = Twist()
        message.linear.x, message.angular.z = forward * SPEED[0], turn * SPEED[1]
        self._velocity.publish(message)

    def _move_joint(self, name: str, position: float, seconds: float) -> None:
        if self._state not in ("", ENDED) or self._goals:
            self._tell(f"{name} stays: the robot does something else", bad=True)
            return
        point = JointTrajectoryPoint(positions=[position], time_from_start=Duration(seconds=seconds).to_msg())
        self._trajectory.publish(JointTrajectory(joint_names=[name], points=[point]))

    def _send(
        self,
        page: int,
        client: SkillClient | DocumentClient,
        goal: ExecuteSkill.Goal | ExecuteBml.Goal,
        what: str,
        words: Words,
    ) -> None:
        if page in self._gone:
            return
        if not client.server_is_there:
            self._tell(f"{what}: the robot does not answer", bad=True)
            return
        self._tell(f"{what}: running")
        sent: SentGoal[Any, Any] = client.send(goal, on_end=lambda sent: self._ended(page, sent, what, words))
        self._goals.setdefault(page, []).append(sent)
        self._beat()

    def _ended(self, page: int, sent: SentGoal[Any, Any], what: str, words: Words) -> None:
        goals = self._goals.get(page, [])
        if sent in goals:
            goals.remove(sent)
        if not goals:
            self._goals.pop(page, None)
        self._beat()
        text, bad = words(sent.result)
        self._tell(f"{what}: {text}", bad=bad)

    def _leave(self, page: int) -> None:
        self._gone.add(page)
        for goal in self._goals.get(page, []):
            goal.cancel()
        if page in self._drivers:
            self._drivers.discard(page)
            self._velocity.publish(Twist())

    def _beat(self) -> None:
        """Say that the pages are there, as often as the tree wants to hear it, while something of theirs runs."""
        sources = (SOURCE,) if self._goals else ()
        self._alive.tell(sources)
        self._alive.rest(sources)

    def _tell(self, text: str, *, bad: bool = False) -> None:
        if self.shown is not None:
            self.shown.tell(text, bad=bad)


def _skill_words(result: ExecuteSkill.Result) -> tuple[str, bool]:
    ending = ENDINGS.get(result.status, "ended")
    return f"{ending} {result.reason}".rstrip(), result.status == ExecuteSkill.Result.FAILED


def _document_words(result: ExecuteBml.Result) -> tuple[str, bool]:
    text = "\n".join([f"{result.outcome.lower()} {result.reason}".rstrip(), *result.problems])
    return text, result.outcome in ("FAILED", "REJECTED", "ERROR")
