# SPDX-License-Identifier: Apache-2.0
"""Gives each run its ports: skills of the body, the player and the fetcher."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from diagnostic_msgs.msg import KeyValue
from rclpy.node import Node
from std_srvs.srv import SetBool
from typing_extensions import override

from embodiment_bridge.action import ExecuteBml, ExecuteSkill
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports, SkillPort
from embodiment_bridge.bml.rules.operator_rules import Allowed, allowed_to
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.fetching import Fetcher
from embodiment_bridge.fetching.requests import Requests
from embodiment_bridge.fetching.signature import Acceptance
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.goal_client import SkillClient, SkillGoal
from embodiment_bridge.nodes.body.skill_server import RESULT_STATUS
from embodiment_bridge.nodes.sound.audio import Audio, RunMedia, SpeechTopic
from embodiment_bridge.nodes.sound.fetch_parameters import signature_key
from embodiment_bridge.nodes.sound.media_parameters import Surroundings
from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
from embodiment_bridge.nodes.tree.runs.document_rules import document_rules
from embodiment_bridge.srv import Hold

# The body's skills as a port of the tree: an action client whose callbacks only cache.

BODY_WITHIN: Final = 10.0  # s of wall time; a body may just be coming into sight
STATUS = {theirs: ours for ours, theirs in RESULT_STATUS.items()}


@dataclass(slots=True)
class _Pending:
    """Represents a requested skill: its known state, and whether its end was requested.

    unsent: the goal, as long as the action has no server.
    """

    report: SkillReport
    asked: float
    unsent: ExecuteSkill.Goal | None = None
    sent: SkillGoal | None = None
    cancel_asked: bool = False


class RosSkills:
    """`execute_skill` of the body in this namespace, for any number of runs.

    dead_man: s without a tick of ours after which the body holds our skills; 0: never.
    """

    def __init__(self, node: Node, dead_man: float = 0.0) -> None:
        self._dead_man = dead_man
        self._client = SkillClient(node)
        self._hold_source = node.create_client(Hold, "hold_source")
        self._hold_all = node.create_client(SetBool, "hold")
        self._pending: dict[str, _Pending] = {}

    def start(self, request: SkillRequest) -> None:
        """Send a goal; a body that is not there is waited for a moment, as it may just be coming into sight."""
        goal = ExecuteSkill.Goal(name=request.name, slot=float(request.slot_s), source=request.source)
        goal.dead_man = self._dead_man
        goal.parameters = [KeyValue(key=key, value=str(value)) for key, value in request.parameters.items()]
        pending = _Pending(SkillReport(request.id, SkillStatus.RUNNING), time.monotonic(), goal)
        self._pending[request.id] = pending
        self._try_to_send(pending)

    def report(self, request_id: str) -> SkillReport:
        """Return the state of the skill; it FAILED if the body is gone, was started anew, or does not answer."""
        pending = self._pending[request_id]
        if pending.unsent is not None:
            self._try_to_send(pending)
        if pending.report.status.ended:
            del self._pending[request_id]
        return pending.report

    def cancel(self, request_id: str) -> None:
        """Ask the body to bring it to rest; what was not sent yet ends at once."""
        pending = self._pending.get(request_id)
        if pending is None or pending.cancel_asked:
            return
        pending.cancel_asked = True
        if pending.sent is None:
            self._end(pending, SkillStatus.CANCELED, "")
        else:
            pending.sent.cancel()

    def hold(self, on: bool, source: str) -> None:
        """Freeze or go on with the skills of one source; with those of all, where a body knows no better."""
        if self._hold_source.service_is_ready():
            self._hold_source.call_async(Hold.Request(on=on, source=source))
        elif self._hold_all.service_is_ready():
            self._hold_all.call_async(SetBool.Request(data=on))

    def _try_to_send(self, pending: _Pending) -> None:
        goal, now = pending.unsent, time.monotonic()
        if goal is None or pending.report.status.ended:
            return
        if self._client.server_is_there:
            pending.unsent = None
            pending.sent = self._client.send(
                goal, partial(self._progress, pending), partial(self._ended, pending)
            )
        elif now > pending.asked + BODY_WITHIN:
            reason = f"skill {goal.name!r}: no body offers execute_skill in this namespace"
            self._end(pending, SkillStatus.FAILED, reason)

    def _ended(self, pending: _Pending, sent: SkillGoal) -> None:
        if sent.result is not None:
            status = STATUS.get(sent.result.status, SkillStatus.FAILED)
            self._end(pending, status, sent.result.reason)

    @staticmethod
    def _progress(pending: _Pending, feedback: ExecuteSkill.Feedback) -> None:
        pending.report = replace(pending.report, progress=feedback.progress, held=feedback.held)

    @staticmethod
    def _end(pending: _Pending, status: SkillStatus, reason: str) -> None:
        if not pending.report.status.ended:
            pending.report = replace(pending.report, status=status, reason=reason)


class RunSkills(SkillPort):
    """The skills of one run, which may drive the ``allowed`` channels (None: all); a hold freezes them alone."""

    def __init__(self, skills: RosSkills, run_id: str, allowed: Allowed | None, body: BodySkills) -> None:
        self._run_id = run_id
        self._allowed = allowed
        self._skills = skills
        self._body = body

    @override
    def start(self, request: SkillRequest) -> None:
        info = self._body.skills.get(request.name)
        if self._allowed is not None and info is not None:
            refusal = self._allowed.refusal(f"skill {request.name!r}", info.channels)
            if refusal:
                raise CommandError(refusal)
        self._skills.start(request)

    @override
    def report(self, request_id: str) -> SkillReport:
        return self._skills.report(request_id)

    @override
    def cancel(self, request_id: str) -> None:
        self._skills.cancel(request_id)

    @override
    def hold(self, on: bool) -> None:
        self._skills.hold(on, self._run_id)


class RunPorts:
    """Joins skills, sound and fetching, as the parameters of ``node`` set them.

    Args:
        node: has the parameters.
        body: its skills; also the attribute ``body``.
        surroundings: of the player.
        now: the node's time in s.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self, node: BridgeNode, body: BodySkills, surroundings: Surroundings, now: Callable[[], float]
    ) -> None:
        values = node.values
        self.body = body
        self.rules = document_rules(values)
        fetcher = Fetcher(self.rules.fetch)
        accepting = Acceptance(fetcher, key=signature_key(values), max_age=self.rules.max_age)
        self._requests = Requests(
            accepting.fetch_bytes, total_s=values["fetch_timeout"], max_bytes=values["fetch_max_bytes"]
        )
        self.audio = Audio(node, values, self.rules.urls, replace(surroundings, fetch=fetcher.fetch_to), now)
        self.speech = SpeechTopic(node, self.audio)
        self._skills = RosSkills(node, values["dead_man"])

    def of_run(self, run_id: str, source: str) -> Ports:
        """Ports for a run that ``source`` asked for; each hold freezes what that run has started."""
        skills = RunSkills(self._skills, run_id, allowed_to(self.rules.channels, source), self.body)
        return Ports(skills, RunMedia(self.audio.player, run_id), self._requests)

    def rules_of(self, goal: ExecuteBml.Goal) -> Rules:
        """Return the rules for the document of a goal."""
        subtrees = {item.key: item.value for item in goal.subtrees}
        return self.rules.of(self.body.skills, goal.source, strict=goal.strict, subtrees=subtrees)

    def forget(self, run_id: str) -> None:
        """Forget a run that has ended."""
        self.audio.player.forget(run_id)

    def destroy(self) -> None:
        """Stop fetching and all sound."""
        self._requests.close()
        self.audio.destroy()
