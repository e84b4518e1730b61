# SPDX-License-Identifier: Apache-2.0
"""Serves the skills of a body node.

The action `execute_skill`, the `skills` list and its messages, and the services `stop`, `hold` and `hold_source`.
"""

from collections.abc import Callable

from builtin_interfaces.msg import Time
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.body.state import ParameterInfo, SkillInfo, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.msg import SkillInfo as SkillInfoMsg
from embodiment_bridge.msg import SkillList, SkillParameter
from embodiment_bridge.nodes.base.action_server import DeferredActionServer, goal_id_of
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.services import HELD_ALREADY
from embodiment_bridge.nodes.body.keep_alive import DeadMan
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
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
MAX_HELD = 100  # sources that can be held at the same time
WENT_WELL = {SkillStatus.SUCCEEDED, SkillStatus.SKIPPED, SkillStatus.REPLACED}


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
        node.create_service(Trigger, "stop", self._stop)
        node.create_service(SetBool, "hold", self._hold)
        node.create_service(Hold, "hold_source", self._hold_source)
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

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._queue.stop()
        response.success = True
        response.message = "all skills end; the body holds still"
        return response

    def _hold(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        before, self._all_held = self._all_held, request.data
        self._queue.hold(request.data)
        response.success = True
        held = HELD_ALREADY if before else "held"
        response.message = held if request.data else "going on"
        return response

    def _hold_source(self, request: Hold.Request, response: Hold.Response) -> Hold.Response:
        whose = f"skills of {request.source[:100]!r}" if request.source else "all skills"
        self._all_held = self._all_held if request.source else request.on
        self._held.pop(request.source, None)
        if request.on:
            self._held[request.source] = None
            if len(self._held) > MAX_HELD:
                del self._held[next(iter(self._held))]
        if request.on or not self._dead_man.is_silent(request.source):
            self._queue.hold(request.on, request.source, self._warn)
        response.success = True
        response.message = f"{whose} {'are held' if request.on else 'go on'}"
        return response

    def _heard_of(self, source: str, silent: bool) -> None:
        """Take news of a source on keep_alive: it has fallen silent, or is back."""
        if silent:
            text = f"{source[:100]!r} has not been heard on keep_alive: its skills are held until it is (dead_man)"
            self._node.get_logger().warning(text)
        if silent or source not in self._held:
            self._queue.hold(silent, source, self._warn)

    def _warn(self, reason: str) -> None:
        self._node.get_logger().warning(f"hold refused: {reason}", throttle_duration_sec=1.0)
