# SPDX-License-Identifier: Apache-2.0
"""The leaf that has the body do a skill."""

import math
from collections.abc import Mapping

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.tree_builder import makes, seconds_of
from embodiment_bridge.bml.nodes import body as bml
from embodiment_bridge.body.state import CONTROL, RESET, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError


class BodyAction(Leaf):
    """Runs one skill in a slot of ``slot_s`` seconds (0: its natural length).

    The node ends at the later of the end of the slot, which is scheduled, and the end of the motion, which is
    seen. A motion is never cut because its slot is over; the overrun is warned of. A skill that a newer claim
    replaced keeps its slot, so that two loops that fight for a channel do not restart each other without pause.
    A control action freezes the motions of the run (PAUSE), lets them go on (RESUME), or replaces them by the rest pose
    (STOP); the clock and the sound of the run go on.

    A tick starts the skill a little after the slot began. The body is asked for what is left of the slot, else
    a row of actions would be late by one more tick with each. After a long delay the slot begins anew instead.
    """

    def __init__(self, name: str, skill: str, slot_s: float, parameters: Mapping[str, float | str]) -> None:
        super().__init__(name)
        self.skill = skill
        self.slot_s = slot_s
        self.parameters = parameters

    def reset(self) -> None:
        """Forget the report of the last execution."""
        self._id = ""
        self._report: SkillReport | None = None
        self._rested_at = 0.0
        self._planned_end = self.t_start

    def start(self) -> None:
        """Ask for the skill.

        Raises:
            CommandError: the body lacks its channel, and that is to be a failure.
        """
        self._refuse_missing_channel()
        self._id = self.context.new_id()
        slot = self._schedule() if self.slot_s > 0 else 0.0
        skill = self._control()
        if skill:
            request = SkillRequest(self._id, skill, self.parameters, slot, self.context.run_id)
            self.context.ports.skills.start(request)

    def _control(self) -> str:
        """Do what a control action does at once; returns the skill that is to be started, or nothing."""
        info = self.context.skills.get(self.skill)
        if info is None or info.kind != CONTROL:
            return self.skill
        self.context.pause_body(self.skill == "pause")
        if self.skill == "stop":
            return RESET
        self._report = SkillReport(self._id, SkillStatus.SUCCEEDED)
        self._rested_at = self.t_start
        return ""

    def _refuse_missing_channel(self) -> None:
        info = self.context.skills.get(self.skill)
        if self.context.settings.missing_channel == "fail" and info is not None and not info.available:
            lacking = ", ".join(info.channels) or "what it needs"
            raise CommandError(f"this body lacks {lacking} for {self.skill}")

    def _schedule(self) -> float:
        """Plan the end; return the slot in s that the body gets, at least half of the written one."""
        info = self.context.skills.get(self.skill)
        shortest = info.min_s if info is not None and info.available else 0.0
        begun = self.context.settle(self.t_start)
        self._planned_end = begun + max(self.slot_s, shortest)
        lag = self.context.clock.seconds - begun
        return max(self.slot_s - lag, self.slot_s / 2) if lag > TIE_S else self.slot_s

    def poll(self) -> None:
        """End when motion and slot are over, at once when it failed."""
        report = self._look()
        if report.status is SkillStatus.FAILED:
            self.finish(Status.FAILURE, self._rested_at, report.reason or f"{self.skill} failed")
        elif report.status is SkillStatus.CANCELED:
            self.finish(Status.FAILURE, self._rested_at, self._was("canceled from outside", report))
        elif report.status.ended and self.context.clock.due(self.wake_at()):
            self._finish_well(report)

    def _look(self) -> SkillReport:
        """Return the newest report; the port is not asked again after the end."""
        if self._report is None or not self._report.status.ended:
            self._report = self.context.ports.skills.report(self._id)
            self._rested_at = max(self.context.clock.seconds, self.t_start)
        return self._report

    def _finish_well(self, report: SkillReport) -> None:
        t_end = self._rested_at
        if self.slot_s > 0:
            t_end = self.context.settle(self._planned_end, self._rested_at)
            self._warn_of_overrun(t_end)
        ending = "" if report.status is SkillStatus.SUCCEEDED else report.status.value
        if ending and self.context.settings.strict_skills:
            self.finish(Status.FAILURE, t_end, self._was(ending, report))
            return
        text = report.reason or (ending and f"{self.skill} was {ending}")
        if text:
            self.context.journal.warn(t_end, self.origin, ending.upper() or "REMARK", text)
        self.finish(Status.SUCCESS, t_end, ending)

    def _was(self, ending: str, report: SkillReport) -> str:
        """Say how the skill ended, and why if the body told."""
        return ": ".join(filter(None, (f"{self.skill} was {ending}", report.reason)))

    def _warn_of_overrun(self, t_end: float) -> None:
        over = t_end - self.t_start - self.slot_s
        if over > TIE_S:
            text = f"{self.skill} took {over:.3g} s more than its slot of {self.slot_s:g} s"
            self.context.journal.warn(t_end, self.origin, "SLOT_OVERRUN", text)

    def cancel(self) -> None:
        """Let the body bring it to rest."""
        if self._report is None or not self._report.status.ended:
            self.context.ports.skills.cancel(self._id)

    def port_released(self) -> bool:
        """Return whether the body is at rest."""
        return self._look().status.ended

    def port_held(self) -> bool | None:
        """Return whether the motion is frozen; None when it is over."""
        report = self._look()
        return None if report.status.ended or self.context.body_paused else report.held

    def wake_at(self) -> float:
        """Return when the slot is over, once the motion is; before, only the body knows."""
        rested = self._report is not None and self._report.status.ended
        return self._planned_end if rested else math.inf


@makes("body", "emotion")
def make_body(node: bml.Body, children: list[Node], nesting: int) -> Node:
    parameters = dict(node.parameters)
    if node.intensity != 1.0:
        parameters["intensity"] = node.intensity
    return BodyAction(node.name, node.action.lower(), seconds_of(node, node.duration_s), parameters)
