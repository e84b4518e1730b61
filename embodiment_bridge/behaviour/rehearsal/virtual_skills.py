# SPDX-License-Identifier: Apache-2.0
"""A body that only knows how long things take, on a virtual clock: for dry runs and tests."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import override

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.ports import SkillPort
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillRequest, SkillStatus


@dataclass(slots=True)
class _Motion:
    """A skill under way: until when, and which channels it has."""

    info: SkillInfo
    t_end: float
    status: SkillStatus
    reason: str = ""
    t_start: float = 0.0


class VirtualSkills(SkillPort):
    """A ``SkillPort``. ``skills`` by lower-case name; ``advance_to`` tells the time in s.

    A skill takes its slot, but not less than its ``min_s``; without a slot its ``nominal_s``. One that the
    body lacks is skipped after its slot. A new skill replaces those whose channels it needs.
    """

    def __init__(self, skills: Mapping[str, SkillInfo]) -> None:
        self._skills = skills
        self._motions: dict[str, _Motion] = {}
        self._now = 0.0
        self._held_since: float | None = None

    def advance_to(self, now: float) -> None:
        """The virtual time is ``now``."""
        self._now = now

    def next_time(self) -> float:
        """When the next skill ends; inf while none is under way or all are held."""
        if self._held_since is not None:
            return math.inf
        return min((motion.t_end for motion in self._running()), default=math.inf)

    @override
    def start(self, request: SkillRequest) -> None:
        info = self._skills.get(request.name)
        if info is None:
            lacking = SkillInfo(request.name, "native", (), 0.0, 0.0)
            reason = f"this body has no skill {request.name!r}"
            self._motions[request.id] = _Motion(lacking, self._now, SkillStatus.FAILED, reason)
            return
        length = request.slot_s or info.nominal_s
        if info.available:
            length = max(length, info.min_s)
            self._replace(info)
        self._motions[request.id] = _Motion(info, self._now + length, SkillStatus.RUNNING, t_start=self._now)

    @override
    def report(self, request_id: str) -> SkillReport:
        motion = self._motions.get(request_id)
        if motion is None:
            return SkillReport(request_id, SkillStatus.FAILED, reason="there is no such request")
        if (
            self._held_since is None
            and motion.status is SkillStatus.RUNNING
            and self._now >= motion.t_end - TIE_S
        ):
            motion.status = SkillStatus.SUCCEEDED if motion.info.available else SkillStatus.SKIPPED
        if motion.status.ended:
            del self._motions[request_id]
        return SkillReport(request_id, motion.status, held=self._held_since is not None, reason=motion.reason)

    def cancel(self, request_id: str) -> None:
        """Bring it to rest, which takes no time here."""
        motion = self._motions.get(request_id)
        if motion is not None and motion.status is SkillStatus.RUNNING:
            motion.status = SkillStatus.CANCELED

    def hold(self, on: bool) -> None:
        """Freeze or go on, which takes no time here."""
        if on and self._held_since is None:
            self._held_since = self._now
        elif not on and self._held_since is not None:
            for motion in self._running():
                motion.t_end += self._now - max(self._held_since, motion.t_start)
            self._held_since = None

    def _running(self) -> list[_Motion]:
        return [motion for motion in self._motions.values() if motion.status is SkillStatus.RUNNING]

    def _replace(self, claim: SkillInfo) -> None:
        for motion in self._running():
            shared = set(claim.channels) & set(motion.info.channels) if motion.info.available else set()
            if shared:
                motion.status = SkillStatus.REPLACED
                motion.reason = f"{claim.name} took {', '.join(sorted(shared))} from {motion.info.name}"
