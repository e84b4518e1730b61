# SPDX-License-Identifier: Apache-2.0
"""Passes skills from the executor, where they are requested, to the session's thread, where they move the joints."""

from collections import deque
from collections.abc import Callable

from embodiment_bridge.body.state import BodyState, JointTargets, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner

TOO_LATE = "the body was lost before this could begin"


class SkillQueue:
    """Accepts requests from any thread; ``step`` runs them on the session's thread and reports their states."""

    def __init__(self, runner: MotionRunner, on_report: Callable[[SkillReport], None]) -> None:
        self._runner = runner
        self._on_report = on_report
        # Pairs of a request and of what is called when the body is lost before it was done. None instead of the
        # latter: the request is kept until the body is back. Append and popleft are atomic.
        self._inbox: deque[tuple[Callable[[], object], Callable[[str], object] | None]] = deque()
        self._watches: list[tuple[Callable[[MotionRunner, BodyState], bool], Callable[[str], object]]] = []
        self._known: set[str] = set()  # ids that have not been reported as ended
        self._time: float | None = None
        # told of each loss, on the session's thread
        self.on_lost: Callable[[str], None] = lambda reason: None

    def start(self, request: SkillRequest) -> None:
        """Request a skill; its state is reported."""
        self._inbox.append((lambda: self._start(request), lambda reason: self._fail(request, reason)))

    def cancel(self, request_id: str) -> None:
        """Request the end of a skill; the end is reported when the joints are at rest."""
        self._inbox.append((lambda: self._runner.cancel(request_id), None))

    def post(self, action: Callable[[MotionRunner], object], refused: Callable[[str], None]) -> None:
        """Call ``action`` with the runner on the session's thread, or ``refused(reason)`` if it raises CommandError."""
        self._inbox.append((lambda: self._attempt(action, refused), refused))

    def hold(
        self, held: bool, source: str = "", refused: Callable[[str], None] = lambda reason: None
    ) -> None:
        """Freeze the skills of a source, or let them go on; those of all sources if it is empty."""
        self._inbox.append((lambda: self._attempt(lambda runner: runner.hold(held, source), refused), None))

    def ask(
        self,
        begin: Callable[[MotionRunner], object],
        watch: Callable[[MotionRunner, BodyState], bool],
        failed: Callable[[str], object],
    ) -> None:
        """Do ``begin``, kept while the body is lost, and call ``watch`` after each step from then on until it is True.

        ``failed(reason)`` is called instead where ``begin`` is refused, or the body is lost before that.
        """

        def work() -> None:
            try:
                begin(self._runner)
            except CommandError as error:
                failed(str(error))
            else:
                self._watches.append((watch, failed))

        self._inbox.append((work, None))

    def step(self, state: BodyState) -> JointTargets:
        """Take one percept: start requested skills, move by the body's own clock, report. Session's thread only."""
        if self._time is None:
            self._runner.reset(state)
            self._time = state.time
        gap, self._time = state.time - self._time, state.time
        self._work()
        targets = self._runner.step(state, max(gap, 0.0))
        self._report_all()
        self._watches = [one for one in self._watches if not one[0](self._runner, state)]
        return targets

    def joined(self) -> None:
        """Start motion from the present pose of the body, as there is a new link. Session's thread only.

        What was requested after the body was lost is refused, or it would move for that now; holds and stops count.
        """
        self._time = None
        kept = []
        while self._inbox:
            work, refused = self._inbox.popleft()
            if refused is None:
                kept.append((work, refused))
            else:
                refused(TOO_LATE)
        self._inbox.extendleft(reversed(kept))

    def lost(self, reason: str) -> None:
        """End every requested skill, as the link is lost, and what it began (speech). Session's thread only.

        It has failed, unless the body had told before that it was done.
        """
        self._work()
        self._time = None
        self.on_lost(reason)
        watches, self._watches = self._watches, []
        for _, failed in watches:
            failed(reason)
        self._runner.abandon(reason)
        self._report_all()

    def _work(self) -> None:
        while self._inbox:
            work, _ = self._inbox.popleft()
            work()

    def _start(self, request: SkillRequest) -> None:
        self._known.add(request.id)
        try:
            self._runner.start(request)
        except CommandError as error:
            self._known.discard(request.id)
            self._fail(request, str(error))

    def _fail(self, request: SkillRequest, reason: str) -> None:
        self._on_report(SkillReport(request.id, SkillStatus.FAILED, reason=reason))

    def _attempt(self, action: Callable[[MotionRunner], object], refused: Callable[[str], None]) -> None:
        try:
            action(self._runner)
        except CommandError as error:
            refused(str(error))

    def _report_all(self) -> None:
        for report in self._runner.take_reports():
            if report.status.ended:
                self._known.discard(report.id)
            self._on_report(report)
