# SPDX-License-Identifier: Apache-2.0
"""Plans of actions on the behaviour tree: order, policies, limits, cancel half way, pause."""

from dataclasses import replace

import pytest

from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import Outcome, RunState
from embodiment_bridge.behaviour.plans.action_plan import MAX_STEPS, Options, StepState
from embodiment_bridge.behaviour.plans.plan_run import PlanRun
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.plans.action import Action
from embodiment_bridge.plans.routine import Routine, SkillCall
from embodiment_bridge.plans.world import World

SKILLS = {
    name: SkillInfo(name, "native", ("legs",), 1.0, 0.1, available=name != "hand_grip")
    for name in ("walk", "grab", "drop", "say", "hand_grip")
}
TICK = 0.02
PENDING, RUNNING, DONE, ERROR, CANCELED = StepState


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


class Calls:
    """A routine of fixed skills."""

    def __init__(self, *names):
        self.names = list(names)

    def next(self, world):
        if not self.names:
            return None
        name = self.names.pop(0)
        if isinstance(name, Exception):
            raise name
        return SkillCall(name, {"x": world.pose} if world.pose else {})


class Follow(Calls):
    """A skill that is ended after ``most_s`` s."""

    def __init__(self, most_s):
        super().__init__("walk")
        self.most_s = most_s

    def next(self, world):
        call = super().next(world)
        return call and replace(call, most_s=self.most_s)


class Around:
    """Surroundings that are known after ``known_from`` s."""

    def __init__(self, body, known_from=0.0):
        self.body, self.known_from = body, known_from

    def known(self):
        return self.body.now >= self.known_from

    def world(self):
        return World()


WAYS = {
    "walk": ["walk", "walk"],
    "none": [],
    "grip": ["hand_grip"],
    "fly": ["fly"],
    "lost": [CommandError("nobody knows where")],
}


def make_routine(action):
    if action.name == "juggle":
        raise CommandError("unknown action 'juggle'")
    return Routine(action.name, [Calls(*WAYS.get(action.name, [action.name]))])


class PlannedBody:
    def __init__(self, *names, endings=(), known_from=0.0, sequences=None, **options):
        self.body = Skills(*endings)
        sequences = sequences or range(1, len(names) + 1)
        actions = [Action(name, number) for name, number in zip(names, sequences, strict=True)]
        self.run = PlanRun(
            actions,
            make_routine,
            Around(self.body, known_from),
            Ports(self.body, VirtualMedia({}), VirtualRequests({})),
            SKILLS,
            Options(**options),
        )

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
        return [status.state for status in self.run.statuses()]

    @property
    def reasons(self):
        return [status.reason for status in self.run.statuses()]

    @property
    def outcome(self):
        return self.run.ending.outcome

    @property
    def names(self):
        return [name for _, name, _ in self.body.asked]


def test_actions_are_done_in_order_each_with_its_skills():
    stage = PlannedBody("walk", "grab", "none", "drop")
    assert stage.states == [PENDING] * 4
    assert stage.until(0.5).states == [RUNNING, PENDING, PENDING, PENDING]
    assert stage.until(2.5).states == [DONE, RUNNING, PENDING, PENDING]
    stage.end()
    assert stage.names == ["walk", "walk", "grab", "drop"]
    assert (stage.outcome, stage.states) == (Outcome.SUCCEEDED, [DONE] * 4)
    assert stage.run.ending.t == pytest.approx(4.0, abs=5 * TICK)


def test_order_is_that_of_the_sequence_numbers_gaps_included():
    stage = PlannedBody("drop", "walk", "grab", "say", sequences=[7, 2, 5, 5]).end()
    assert stage.names == ["walk", "walk", "grab", "say", "drop"]
    assert [status.sequence for status in stage.run.statuses()] == [2, 5, 5, 7]


def test_empty_plan_succeeds():
    assert PlannedBody().end().outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    ("name", "endings", "reason"),
    [
        ("juggle", [], "unknown action 'juggle'"),
        ("fly", [], "the body has no skill 'fly'"),
        ("grip", [], "the body lacks legs, which skill 'hand_grip' needs"),
        ("lost", [], "action 'lost': nobody knows where"),
        ("grab", [SkillStatus.FAILED], "skill 'grab' failed: it is heavy"),
        ("grab", [SkillStatus.SKIPPED], "the body lacks what skill 'grab' needs"),
        ("grab", [SkillStatus.REPLACED], "skill 'grab' was replaced: something else took over"),
        ("grab", [SkillStatus.CANCELED], "skill 'grab' was canceled from outside"),
        ("grab", [CommandError("no body offers execute_skill")], "no body offers execute_skill"),
    ],
)
def test_failed_action_says_why_and_ends_the_plan(name, endings, reason):
    stage = PlannedBody("say", name, "drop", endings=[SkillStatus.SUCCEEDED, *endings]).end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [DONE, ERROR, CANCELED])
    assert stage.reasons[1] == reason
    assert stage.run.ending.reason == reason
    assert stage.run.ending.origin.pointer == "/actions/1"
    assert "drop" not in stage.names


def test_policy_continue_tries_the_others():
    stage = PlannedBody("juggle", "grab", "drop", endings=[SkillStatus.FAILED], on_error="continue").end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [ERROR, ERROR, DONE])


def test_policy_retry_begins_the_action_again_after_a_while():
    endings = [SkillStatus.SUCCEEDED, SkillStatus.FAILED, SkillStatus.FAILED]
    stage = PlannedBody("walk", endings=endings, on_error="retry", retries=3).end()
    assert stage.outcome is Outcome.SUCCEEDED
    assert stage.run.statuses()[0].attempts == 3
    assert stage.names == ["walk", "walk", "walk", "walk", "walk"]
    starts = [t for t, _, _ in stage.body.asked]
    assert starts[2] - starts[1] == pytest.approx(1.5, abs=3 * TICK)


def test_policy_retry_gives_up_and_stops():
    stage = PlannedBody("grab", "drop", endings=[SkillStatus.FAILED] * 9, on_error="retry", retries=2).end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [ERROR, CANCELED])
    assert stage.run.statuses()[0].attempts == 3
    assert len(stage.body.asked) == 3


def test_unknown_action_is_not_retried():
    stage = PlannedBody("juggle", on_error="retry").end()
    assert stage.run.statuses()[0].attempts == 1


def test_action_that_takes_too_long_is_brought_to_rest_and_fails():
    stage = PlannedBody("walk", "drop", timeout_s=1.5, on_error="retry").end()
    assert (stage.outcome, stage.states) == (Outcome.FAILED, [ERROR, CANCELED])
    assert stage.reasons[0] == "walk took longer than 1.5 s"
    assert stage.body.now == pytest.approx(1.62, abs=3 * TICK)  # canceled, and at rest 0.1 s later


def test_time_limit_is_of_each_action():
    assert PlannedBody("grab", "drop", "say", timeout_s=1.5).end().outcome is Outcome.SUCCEEDED


def test_time_limit_is_of_each_attempt():
    stage = PlannedBody("grab", endings=[SkillStatus.FAILED], timeout_s=1.2, on_error="retry").end()
    assert (stage.outcome, stage.run.statuses()[0].attempts) == (Outcome.SUCCEEDED, 2)


def test_cancel_half_way_waits_for_rest_and_keeps_what_was_done():
    stage = PlannedBody("grab", "walk", "drop").until(1.5)
    stage.run.cancel("enough")
    stage.tick()
    assert stage.run.state is RunState.STOPPING
    stage.end()
    assert (stage.outcome, stage.states) == (Outcome.CANCELED, [DONE, CANCELED, CANCELED])
    assert stage.reasons == ["", "enough", "enough"]
    assert stage.names == ["grab", "walk"]
    assert stage.body.now == pytest.approx(1.62, abs=3 * TICK)


def test_preempted_plan_says_so():
    stage = PlannedBody("walk").until(0.5)
    stage.run.preempt()
    assert stage.end().outcome is Outcome.PREEMPTED


def test_pause_holds_the_body_and_the_time():
    stage = PlannedBody("grab", "drop", timeout_s=1.5).until(0.5)
    assert stage.run.pause()
    stage.tick()
    assert stage.run.state is RunState.PAUSED
    stage.body.now += 100.0
    assert stage.states == [RUNNING, PENDING]
    stage.run.resume()
    assert stage.end().outcome is Outcome.SUCCEEDED


def test_first_skill_waits_until_the_world_is_known():
    stage = PlannedBody("grab", known_from=0.7).end()
    assert stage.body.asked[0][0] >= 0.7


def test_steps_are_journaled():
    stage = PlannedBody("grab", "juggle").end()
    events = [(e.event, e.origin.pointer) for e in stage.run.take_events()]
    assert events == [
        ("start", ""),
        ("start", "/actions/0"),
        ("success", "/actions/0"),
        ("start", "/actions/1"),
        ("failure", "/actions/1"),
        ("failure", ""),
    ]


@pytest.mark.parametrize("name", ["fly", "hand_grip"])
def test_action_that_needs_what_the_body_lacks_later_is_not_even_begun(name):
    stage = PlannedBody("fetch")
    stage.run.steps[0]._make_routine = lambda action: Routine("fetch", [Calls("walk", name)], [name])
    stage.end()
    assert (stage.outcome, stage.names) == (Outcome.FAILED, [])
    assert name in stage.reasons[0]


@pytest.mark.parametrize(("most_s", "end"), [(0.4, 0.5), (5.0, 1.0)])
def test_skill_that_has_gone_on_for_long_enough_is_ended_which_is_its_success(most_s, end):
    stage = PlannedBody("follow", "drop")
    stage.run.steps[0]._make_routine = lambda action: Routine("follow", [Follow(most_s)])
    stage.end()
    assert (stage.outcome, stage.states) == (Outcome.SUCCEEDED, [DONE, DONE])
    assert stage.body.asked[1][0] == pytest.approx(end, abs=3 * TICK)  # at rest 0.1 s after it was ended


def test_skill_that_somebody_else_ends_before_has_failed():
    stage = PlannedBody("follow", endings=[SkillStatus.CANCELED])
    stage.run.steps[0]._make_routine = lambda action: Routine("follow", [Follow(5.0)])
    assert stage.end().reasons == ["skill 'walk' was canceled from outside"]


@pytest.mark.parametrize(
    ("names", "options", "text"),
    [
        (["say"] * (MAX_STEPS + 1), {}, "1000 are the most"),
        (["say"], {"on_error": "hope"}, "unknown value of on_error 'hope'"),
        (["say"], {"timeout_s": 0.0}, "must be more than 0"),
        (["say"], {"timeout_s": float("nan")}, "must be more than 0"),
        (["say"], {"sequences": [0]}, "sequence number 0"),
    ],
)
def test_plan_that_cannot_be_run_is_refused(names, options, text):
    with pytest.raises(ConfigError, match=text):
        PlannedBody(*names, **options)
