# SPDX-License-Identifier: Apache-2.0
"""Plans of actions as documents: order, policies, limits, cancel half way, pause, and the status of each action."""

from types import SimpleNamespace

import pytest
from embodiment_bridge.msg import PlanAction, PlanActionStatus

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import Outcome, RunState
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.behaviour.run_log.replay import replay
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.nodes.tree import plan_server
from embodiment_bridge.nodes.tree.plan_server import PlanGoalRun
from embodiment_bridge.plans.action import Action
from embodiment_bridge.plans.plan_document import MAX_STEPS, Options, in_order, plan_document
from embodiment_bridge.plans.plan_file import parse_plan_file

SKILLS = {
    name: SkillInfo(name, "native", ("legs",), 1.0, 0.1, available=name != "hand_grip")
    for name in ("walk", "grab", "drop", "say", "hand_grip")
}
FILE = parse_plan_file(
    """
    vocabulary: {trip: "", take: "", put: "", speak: "", grip: "", float: "", fetch: "", carry: ""}
    actions:
      trip: [{skill: walk}, {skill: walk}]
      take: [{skill: grab}]
      put: [{skill: drop}]
      speak: [{skill: say}]
      grip: [{skill: hand_grip}]
      float: [{skill: fly}]
      fetch: [{skill: walk}, {skill: fly}]
      carry: [{skill: walk}, {skill: hand_grip}]
      do_nothing: []
    """,
    "plans.yaml",
)
TICK = 0.02
PENDING, RUNNING, DONE, ERROR, CANCELED = range(5)


class Skills:
    """A body whose skills take 1 s, rest 0.1 s after a cancel, and end as ``endings`` say, in turn."""

    def __init__(self, *endings):
        self.now = 0.0
        self.asked = []
        self.held = False
        self._endings = list(endings)
        self._ends = {}

    def start(self, request):
        self.asked.append((round(self.now, 2), request.name, dict(request.parameters)))
        ending = self._endings.pop(0) if self._endings else SkillStatus.SUCCEEDED
        if isinstance(ending, Exception):
            raise ending
        self._ends[request.id] = (self.now + 1.0, ending)

    def report(self, request_id):
        due, ending = self._ends[request_id]
        status = ending if self.now >= due - 1e-9 and not self.held else SkillStatus.RUNNING
        reason = "it is heavy" if status is SkillStatus.FAILED else ""
        return SkillReport(request_id, status, held=self.held, reason=reason)

    def cancel(self, request_id):
        if self._ends[request_id][1] is not SkillStatus.CANCELED:
            self._ends[request_id] = (self.now + 0.1, SkillStatus.CANCELED)

    def hold(self, on):
        self.held = on


class PlanStage:
    """A plan that is run on ``body``; ``log`` has the lines of its log."""

    def __init__(self, *names, endings=(), sequences=None, **options):
        self.body, self.log, self.told = Skills(*endings), [], []
        actions = [Action(*one) for one in zip(names, sequences or range(1, len(names) + 1), strict=True)]
        options = Options(**options)
        document = plan_document(in_order(actions, options), FILE, SKILLS, options, {})
        self.run = LoggedRun(
            document,
            Ports(self.body, VirtualMedia({}), VirtualRequests({})),
            Rules(SKILLS, strict=True),
            write=self.log.append,
            settings=Settings(strict_skills=True),
        )
        plan = SimpleNamespace(actions=[PlanAction(name=one.name, sequence=one.sequence) for one in actions])
        goal = SimpleNamespace(request=SimpleNamespace(plan=plan), publish_feedback=self.told.append)
        self._goal_run = PlanGoalRun(
            goal, self.run, "plan", self._finish, SimpleNamespace(breakpoints=()), None
        )

    def _finish(self, goal, *, succeeded, result):
        self.result = result

    def statuses(self):
        self._goal_run.tell()
        return self.told[-1].actions

    def until(self, t):
        while self.body.now < t and self.run.state is not RunState.ENDED:
            self.tick()
        return self

    def tick(self):
        self.run.tick(self.body.now)
        self.body.now = round(self.body.now + TICK, 6)

    def end(self):
        return self.until(1000.0)

    @property
    def states(self):
        return [status.status for status in self.statuses()]

    @property
    def reasons(self):
        return [status.reason for status in self.statuses()]

    @property
    def outcome(self):
        return self.run.ending.outcome

    @property
    def names(self):
        return [name for _, name, _ in self.body.asked]


def test_actions_are_done_in_order_each_with_its_skills():
    stage = PlanStage("trip", "take", "do_nothing", "put")
    assert stage.states == [PENDING] * 4
    assert stage.until(0.5).states == [RUNNING, PENDING, PENDING, PENDING]
    assert stage.until(2.5).states == [DONE, RUNNING, PENDING, PENDING]
    stage.end()
    assert stage.names == ["walk", "walk", "grab", "drop"]
    assert (stage.outcome, stage.states) == (Outcome.SUCCEEDED, [DONE] * 4)
    assert stage.run.ending.t == pytest.approx(4.0, abs=5 * TICK)
    assert [one.status for one in stage.result.actions] == [DONE] * 4


def test_order_is_that_of_the_sequence_numbers_gaps_included():
    stage = PlanStage("put", "trip", "take", "speak", sequences=[7, 2, 5, 5]).end()
    assert stage.names == ["walk", "walk", "grab", "say", "drop"]
    assert [status.sequence for status in stage.statuses()] == [2, 5, 5, 7]


def test_a_tick_that_changes_no_status_makes_no_message(monkeypatch):
    made = []

    class Counted(PlanActionStatus):
        def __init__(self, **fields):
            made.append(fields)
            super().__init__(**fields)

    monkeypatch.setattr(plan_server, "PlanActionStatus", Counted)
    stage = PlanStage("trip", "take").until(0.5)
    before = [list(stage.statuses()), len(made)]
    stage.tick()
    assert [list(stage.statuses()), len(made)] == before
    assert made


def test_empty_plan_succeeds():
    assert PlanStage().end().outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    ("name", "endings", "reason"),
    [
        ("juggle", [], "unknown action 'juggle'"),
        ("{juggle}", [], "unknown action '{juggle}'"),
        ("float", [], "action 'float': the body has no skill 'fly'"),
        ("grip", [], "action 'grip': the body lacks legs, which skill 'hand_grip' needs"),
        ("take", [SkillStatus.FAILED], "it is heavy"),
        ("take", [SkillStatus.SKIPPED], "grab was skipped"),
        ("take", [SkillStatus.REPLACED], "grab was replaced"),
        ("take", [SkillStatus.CANCELED], "grab was canceled from outside"),
        ("take", [CommandError("no body offers execute_skill")], "no body offers execute_skill"),
    ],
)
def test_failed_action_says_why_and_ends_the_plan(name, endings, reason):
    stage = PlanStage("speak", name, "put", endings=[SkillStatus.SUCCEEDED, *endings]).end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [DONE, ERROR, CANCELED])
    assert reason in stage.reasons[1]
    assert stage.run.ending.reason == stage.reasons[1]
    assert stage.run.ending.origin.pointer == "/behaviors/1"
    assert "drop" not in stage.names


def test_policy_continue_tries_the_others():
    stage = PlanStage("juggle", "take", "put", endings=[SkillStatus.FAILED], on_error="continue").end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [ERROR, ERROR, DONE])


def test_policy_retry_begins_the_action_again_after_a_while():
    endings = [SkillStatus.SUCCEEDED, SkillStatus.FAILED, SkillStatus.FAILED]
    stage = PlanStage("trip", endings=endings, on_error="retry", retries=3).end()
    assert stage.outcome is Outcome.SUCCEEDED
    assert stage.statuses()[0].attempts == 3
    assert stage.names == ["walk", "walk", "walk", "walk", "walk"]
    starts = [t for t, _, _ in stage.body.asked]
    assert starts[2] - starts[1] == pytest.approx(1.5, abs=3 * TICK)


def test_policy_retry_gives_up_and_stops():
    stage = PlanStage("take", "put", endings=[SkillStatus.FAILED] * 9, on_error="retry", retries=2).end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [ERROR, CANCELED])
    assert [status.attempts for status in stage.statuses()] == [3, 0]
    assert len(stage.body.asked) == 3


def test_unknown_action_is_not_retried():
    stage = PlanStage("juggle", on_error="retry").end()
    assert stage.statuses()[0].attempts == 1


def test_action_that_takes_too_long_is_brought_to_rest_and_fails():
    stage = PlanStage("trip", "put", timeout_s=1.5, on_error="retry").end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [ERROR, CANCELED])
    assert stage.reasons[0] == "TIMEOUT: has not ended after 1.5 s"
    assert stage.statuses()[0].attempts == 1
    assert stage.body.now == pytest.approx(1.62, abs=3 * TICK)  # canceled, and at rest 0.1 s later


def test_time_limit_is_of_each_action():
    assert PlanStage("take", "put", "speak", timeout_s=1.5).end().outcome is Outcome.SUCCEEDED


def test_time_limit_is_of_each_attempt():
    stage = PlanStage("take", endings=[SkillStatus.FAILED], timeout_s=1.2, on_error="retry").end()
    assert (stage.outcome, stage.statuses()[0].attempts) == (Outcome.SUCCEEDED, 2)


def test_cancel_half_way_waits_for_rest_and_keeps_what_was_done():
    stage = PlanStage("take", "trip", "put").until(1.5)
    stage.run.cancel("enough")
    stage.tick()
    assert stage.run.state is RunState.STOPPING
    stage.end()
    assert (stage.outcome, stage.states) == (Outcome.CANCELED, [DONE, CANCELED, CANCELED])
    assert stage.reasons == ["", "enough", "enough"]
    assert stage.names == ["grab", "walk"]
    assert stage.body.now == pytest.approx(1.62, abs=3 * TICK)


def test_pause_holds_the_body_and_the_time():
    stage = PlanStage("take", "put", timeout_s=1.5).until(0.5)
    assert stage.run.pause()
    stage.tick()
    assert stage.run.state is RunState.PAUSED
    stage.body.now += 100.0
    assert stage.states == [RUNNING, PENDING]
    stage.run.resume()
    assert stage.end().outcome is Outcome.SUCCEEDED


def test_plan_has_a_log_with_which_it_can_be_done_again():
    stage = PlanStage("take", "juggle").end()
    done = replay(stage.log)
    assert [(e.event, e.origin.pointer) for e in done if e.origin.kind in ("sequence", "body", "log")] == [
        ("start", ""),
        ("start", "/behaviors/0"),
        ("success", "/behaviors/0"),
        ("start", "/behaviors/1"),
        ("failure", "/behaviors/1"),
        ("failure", ""),
    ]


@pytest.mark.parametrize(("action", "skill"), [("fetch", "fly"), ("carry", "hand_grip")])
def test_action_that_needs_what_the_body_lacks_later_is_not_even_begun(action, skill):
    stage = PlanStage(action).end()
    assert (stage.outcome, stage.names) == (Outcome.FAILED, [])
    assert skill in stage.reasons[0]


@pytest.mark.parametrize(
    ("names", "options", "text"),
    [
        (["speak"] * (MAX_STEPS + 1), {}, "1000 are the most"),
        (["speak"], {"on_error": "hope"}, "unknown value of on_error 'hope'"),
        (["speak"], {"timeout_s": 0.0}, "must be more than 0"),
        (["speak"], {"timeout_s": float("nan")}, "must be more than 0"),
        (["speak"], {"sequences": [0]}, "sequence number 0"),
    ],
)
def test_plan_that_cannot_be_run_is_refused(names, options, text):
    with pytest.raises(ConfigError, match=text):
        PlanStage(*names, **options)
