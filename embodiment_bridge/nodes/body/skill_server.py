# SPDX-License-Identifier: Apache-2.0
"""Serves the skills of a body node.

The action `execute_skill`, the `skills` list and its messages, and the services `stop`, `hold` and `hold_source`.
"""

from collections.abc import Callable

from builtin_interfaces.msg import Time
from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer
from std_srvs.srv import SetBool, Trigger

from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.body.state import ParameterInfo, SkillInfo, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.msg import SkillInfo as SkillInfoMsg
from embodiment_bridge.msg import SkillList, SkillParameter
from embodiment_bridge.nodes.base.action_server import DeferredActionServer, goal_id_of
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.services import HELD_ALREADY, Reply, deferred_service
from embodiment_bridge.nodes.body.keep_alive import DeadMan
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.stop_answers import Check, StopAnswers, at_rest, begun, held, stopped
from embodiment_bridge.srv import Hold


def skill_list(body: str, infos: tuple[SkillInfo, ...], stamp: Time) -> SkillList:
    """Return the latched message with the skills of a body."""
    message = SkillList(body=body)
    message.header.stamp = stamp
    message.skills = [
        SkillInfoMsg(
            name=info.name,
            kind=info.kind,
            channels=list(info.channels),
            parameters=list(info.parameters),
            nominal=info.nominal_s,
            minimum=info.min_s,
            available=info.available,
            description=info.description,
            parameter_details=[_parameter_message(one) for one in info.details],
        )
        for info in infos
    ]
    return message


def skill_infos(message: SkillList) -> dict[str, SkillInfo]:
    """Return the skills of a body by name, from its message."""
    return {
        skill.name: SkillInfo(
            skill.name,
            skill.kind,
            tuple(skill.channels),
            skill.nominal,
            skill.minimum,
            tuple(skill.parameters),
            skill.available,
            skill.description,
            tuple(_parameter_info(one) for one in skill.parameter_details),
        )
        for skill in message.skills
    }


def _parameter_message(info: ParameterInfo) -> SkillParameter:
    return SkillParameter(
        name=info.name,
        description=info.description,
        type=info.type,
        unit=info.unit,
        minimum=info.minimum,
        maximum=info.maximum,
        required=info.required,
        default_value=info.default,
        choices=list(info.choices),
    )


def _parameter_info(message: SkillParameter) -> ParameterInfo:
    return ParameterInfo(
        message.name,
        message.description,
        message.type,
        message.unit,
        message.minimum,
        message.maximum,
        message.required,
        message.default_value,
        tuple(message.choices),
    )


RESULT_STATUS = {
    SkillStatus.SUCCEEDED: ExecuteSkill.Result.SUCCEEDED,
    SkillStatus.SKIPPED: ExecuteSkill.Result.SKIPPED,
    SkillStatus.REPLACED: ExecuteSkill.Result.REPLACED,
    SkillStatus.CANCELED: ExecuteSkill.Result.CANCELED,
    SkillStatus.FAILED: ExecuteSkill.Result.FAILED,
}
LOOK_S = 0.1  # s between looks for a stop that nothing has answered
MAX_HELD = 100  # sources that can be held at the same time
WENT_WELL = {SkillStatus.SUCCEEDED, SkillStatus.SKIPPED}


class SkillServer:
    """Serves the skills of one body. ``refusal()`` says why skills are refused now; empty if they are not."""

    def __init__(
        self,
        node: Node,
        queue: SkillQueue,
        body: str,
        infos: tuple[SkillInfo, ...],
        refusal: Callable[[], str],
    ) -> None:
        self._node = node
        self._queue = queue
        self._refusal = refusal
        self._goals: dict[str, ServerGoalHandle] = {}
        self._held: dict[str, None] = {}  # sources that a client has asked to hold, oldest first
        self._all_held = False
        self._dead_man = DeadMan(node, self._heard_of)
        self._action = DeferredActionServer(node, ExecuteSkill, "execute_skill", self._begin, self._cancel)
        self._answers = StopAnswers(queue, refusal)
        self._looks: Timer | None = None  # while an answer is due
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        deferred_service(node, Trigger, "stop", self._stop)
        deferred_service(node, SetBool, "hold", self._hold)
        deferred_service(node, Hold, "hold_source", self._hold_source)
        skills = node.create_publisher(SkillList, "skills", profile("latched"))
        skills.publish(skill_list(body, infos, node.get_clock().now().to_msg()))

    def report(self, report: SkillReport) -> None:
        """Send the state of a skill to its client; call it on the session's thread."""
        self._node.executor.create_task(self._tell, report)

    def _begin(self, goal: ServerGoalHandle) -> None:
        request_id = goal_id_of(goal)
        self._goals[request_id] = goal
        refusal = self._refusal()
        if refusal:
            self._tell(SkillReport(request_id, SkillStatus.FAILED, reason=refusal))
            return
        wish = goal.request
        if wish.dead_man > 0.0 and not wish.source:
            text = "dead_man needs a source, whose name then comes on keep_alive"
            self._tell(SkillReport(request_id, SkillStatus.FAILED, reason=text))
            return
        parameters = {item.key: item.value for item in wish.parameters}
        self._dead_man.begin(wish.source, request_id, wish.dead_man)
        self._queue.start(SkillRequest(request_id, wish.name, parameters, wish.slot, wish.source))

    def _cancel(self, goal: ServerGoalHandle) -> None:
        self._queue.cancel(goal_id_of(goal))

    def _tell(self, report: SkillReport) -> None:
        goal = self._goals.get(report.id)
        worth_a_line = report.status is SkillStatus.SUCCEEDED or (
            goal is None and report.status is SkillStatus.FAILED
        )
        if report.reason and worth_a_line:  # a remark, or an end of which no client is told
            name = report.id if goal is None else goal.request.name
            text = f"{name}: {report.status.value}: {report.reason}"
            self._node.get_logger().warning(text, throttle_duration_sec=1.0)
        if goal is None:
            return
        if not report.status.ended:
            goal.publish_feedback(ExecuteSkill.Feedback(progress=report.progress, held=report.held))
            return
        del self._goals[report.id]
        self._dead_man.end(goal.request.source, report.id)
        result = ExecuteSkill.Result(status=RESULT_STATUS[report.status], reason=report.reason)
        self._action.finish(goal, succeeded=report.status in WENT_WELL, result=result)

    def _stop(self, _: Trigger.Request, reply: Reply) -> None:
        done = "all skills have ended; the body is at rest, as far as it is sensed"
        self._ask(lambda runner: runner.stop(), at_rest(stopped), done, reply)

    def _hold(self, request: SetBool.Request, reply: Reply) -> None:
        before, self._all_held = self._all_held, request.data
        on = bool(request.data)
        done = (HELD_ALREADY if before else "held") if on else "going on"
        self._ask(lambda runner: runner.hold(on), at_rest(held) if on else begun, done, reply)

    def _hold_source(self, request: Hold.Request, reply: Reply) -> None:
        source, on = str(request.source), bool(request.on)
        whose = f"skills of {source[:100]!r}" if source else "all skills"
        self._all_held = self._all_held if source else on
        self._held.pop(source, None)
        if on:
            self._held[source] = None
            if len(self._held) > MAX_HELD:
                del self._held[next(iter(self._held))]
        if on or not self._dead_man.is_silent(source):
            done = f"{whose} {'come to rest' if on else 'go on'}"
            self._ask(lambda runner: runner.hold(on, source), begun, done, reply)
        else:
            reply.response.success = False
            reply.response.message = f"{whose} stay held: {source[:100]!r} is not heard on keep_alive"
            reply.send()

    def _ask(self, begin: Callable[[MotionRunner], object], check: Check, done: str, reply: Reply) -> None:
        def answer(success: bool, text: str) -> None:
            reply.response.success, reply.response.message = success, text
            self._node.executor.create_task(reply.send)

        self._answers.ask(begin, check, done, answer)
        if self._answers.waiting and self._looks is None:
            self._looks = self._node.create_timer(LOOK_S, self._look, clock=self._steady)

    def _look(self) -> None:
        self._answers.look()
        if not self._answers.waiting and self._looks is not None:
            self._node.destroy_timer(self._looks)
            self._looks = None

    def _heard_of(self, source: str, silent: bool) -> None:
        """Take news of a source on keep_alive: it has fallen silent, or is back."""
        if silent:
            text = f"{source[:100]!r} has not been heard on keep_alive: its skills are held until it is (dead_man)"
            self._node.get_logger().warning(text)
        if silent or source not in self._held:
            self._queue.hold(silent, source, self._warn)

    def _warn(self, reason: str) -> None:
        self._node.get_logger().warning(f"hold refused: {reason}", throttle_duration_sec=1.0)
