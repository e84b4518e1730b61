# SPDX-License-Identifier: Apache-2.0
"""Several goals at one robot."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_run import SKILLS, Script, body, delay, document, lastly, loop, seq

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.rehearsal.rehearse import EXACT
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.behaviour.runs.run_scheduler import MAX_QUEUE, RunScheduler


class House:
    """A scheduler, the runs that it was given, and how they ended."""

    def __init__(self):
        self.scheduler = RunScheduler()
        self.runs = {}
        self.ended = {}
        self.now = 0.0

    def goal(self, run_id, root, skills=None, **options):
        ports = Ports(skills or Script(), VirtualMedia({}), VirtualRequests({}))
        self.runs[run_id] = Run(document(root), ports, Rules(SKILLS), run_id=run_id, settings=EXACT)
        return self.scheduler.submit(self.runs[run_id], run_id, **options)

    def to(self, now, step=0.25):
        while self.now < now - 1e-9:
            self.now += step
            self.tick()

    def tick(self):
        for end in self.scheduler.tick(self.now):
            assert end.run_id not in self.ended
            self.ended[end.run_id] = (end.ending.outcome.value, round(end.ending.t, 3))

    @property
    def current(self):
        return self.scheduler.current.run_id if self.scheduler.current else None

    def state(self, run_id):
        return self.runs[run_id].state


def house(**first):
    made = House()
    assert made.goal("old", delay(4), **first) == ""
    made.tick()
    made.to(1.0)
    return made


def test_one_run_from_goal_to_end():
    made = House()
    assert not made.scheduler.needs_tick
    assert made.goal("a", delay(1)) == ""
    assert made.scheduler.needs_tick
    made.tick()
    made.to(1.0)
    assert made.ended == {"a": ("SUCCEEDED", 1.0)}
    assert not made.scheduler.needs_tick


def test_replace_begins_the_new_run_in_the_tick_in_which_the_old_one_is_at_rest():
    made = House()
    skills = Script()
    skills.obedient = False
    made.goal("old", body(), skills)
    made.tick()
    assert made.goal("new", delay(1)) == ""
    made.to(0.5)
    assert made.state("new") is RunState.LOADING
    skills.end("head_shake")
    made.to(0.75)
    assert made.ended == {"old": ("PREEMPTED", 0.75)}
    assert made.state("new") is RunState.RUNNING


def test_of_two_replacements_during_a_halt_the_second_counts():
    made = House()
    made.goal("old", lastly(delay(9), delay(1)))
    made.tick()
    made.goal("b", delay(1))
    made.goal("c", delay(1))
    made.to(3.0)
    assert made.ended == {"b": ("PREEMPTED", 0.0), "old": ("PREEMPTED", 1.0), "c": ("SUCCEEDED", 1.0)}


def test_reject_gives_way():
    made = house()
    assert made.goal("new", delay(1), on_new="reject") == "old runs, and this goal gives way"
    made.to(5.0)
    assert made.goal("new", delay(1), on_new="reject") == ""
    made.to(7.0)
    assert made.ended == {"old": ("SUCCEEDED", 4.0), "new": ("SUCCEEDED", 1.0)}


def test_queue_goes_by_priority_then_by_time_and_is_bounded():
    made = house()
    for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 5)):
        assert made.goal(name, delay(0.25), on_new="queue", priority=priority) == ""
    assert [entry.run_id for entry in made.scheduler.waiting()] == ["b", "d", "a", "c"]
    for place in range(MAX_QUEUE - 4):
        assert made.goal(f"x{place}", delay(0.25), on_new="queue") == ""
    assert "queue is full" in made.goal("over", delay(1), on_new="queue")
    made.to(12.0)
    assert list(made.ended) == ["old", "b", "d", "a", "c", "x0", "x1", "x2", "x3"]


def test_replace_leaves_the_queue_alone():
    made = house()
    made.goal("later", delay(1), on_new="queue")
    made.goal("now", delay(1))
    made.to(5.0)
    assert list(made.ended) == ["old", "now", "later"]


def test_suspend_and_resume():
    made = house(suspendable="true")
    assert made.goal("guest", delay(2), on_new="suspend") == ""
    made.to(2.0)
    assert (made.current, made.state("old")) == ("guest", RunState.PAUSED)
    assert made.scheduler.suspended.run_id == "old"
    made.to(9.0)
    assert made.ended == {"guest": ("SUCCEEDED", 2.0), "old": ("SUCCEEDED", 4.0)}


@pytest.mark.parametrize("suspendable", [False, "false", None, 1, "yes"])
def test_suspend_needs_leave(suspendable):
    made = house(suspendable=suspendable)
    assert "cannot be suspended" in made.goal("guest", delay(2), on_new="suspend")
    assert made.state("old") is RunState.RUNNING


def test_guest_waits_until_the_old_run_is_frozen():
    skills = Script()
    skills.obedient = False
    made = House()
    made.goal("old", body(), skills, suspendable=True)
    made.tick()
    made.goal("guest", delay(1), on_new="suspend")
    made.to(0.5)
    assert made.state("guest") is RunState.LOADING
    skills.held = True
    made.to(0.75)
    assert made.state("guest") is RunState.RUNNING


def test_one_level_of_suspension():
    made = house(suspendable=True)
    made.goal("guest", delay(2), on_new="suspend", suspendable=True)
    made.to(1.5)
    assert "suspended already" in made.goal("third", delay(1), on_new="suspend")
    assert made.goal("fourth", delay(1)) == ""  # takes the place of the guest
    made.to(9.0)
    assert list(made.ended) == ["guest", "fourth", "old"]


def test_suspended_run_goes_before_the_queue_unless_that_has_a_higher_priority():
    made = house(suspendable=True)
    made.goal("guest", delay(0.5), on_new="suspend")
    made.goal("same", delay(0.5), on_new="queue")
    made.goal("higher", delay(0.5), on_new="queue", priority=1)
    made.to(12.0)
    assert list(made.ended) == ["guest", "higher", "old", "same"]


@pytest.mark.parametrize("on_new", ["replace", "suspend"])
def test_a_lower_priority_never_preempts(on_new):
    made = house(priority=5, suspendable=True)
    assert made.goal("low", delay(1), on_new=on_new, priority=4) == "old has the priority 5, this goal 4"
    assert made.goal("same", delay(1), on_new=on_new, priority=5) == ""
    assert made.state("old") is not RunState.RUNNING


def test_next_run_is_not_replaced_by_a_lower_one():
    made = House()
    made.goal("old", lastly(delay(9), delay(1)))
    made.tick()
    made.goal("high", delay(1), priority=5)
    assert "priority" in made.goal("low", delay(1), priority=1)


# Pausing.


def test_goal_during_a_pause_waits_for_resume():
    made = house()
    assert made.scheduler.pause()
    made.to(2.0)
    assert made.goal("new", delay(1)) == ""
    assert "gives way" in made.goal("shy", delay(1), on_new="reject")
    assert made.goal("later", delay(1), on_new="queue") == ""
    made.to(5.0)
    assert (made.state("old"), made.state("new")) == (RunState.PAUSED, RunState.LOADING)
    assert made.scheduler.resume()
    made.to(9.0)
    assert list(made.ended) == ["old", "new", "later"]
    assert made.ended["old"] == ("PREEMPTED", 1.0)


def test_goal_at_a_breakpoint_waits_too():
    made = House()
    made.goal("old", seq(delay(1), delay(1)))
    made.runs["old"].set_breakpoints(["/1"])
    made.tick()
    made.to(2.0)
    assert made.scheduler.is_paused
    made.goal("new", delay(1))
    made.to(3.0)
    assert made.state("new") is RunState.LOADING
    assert made.scheduler.step() is True
    made.to(4.5)
    made.scheduler.pause()
    made.scheduler.resume()
    made.to(9.0)
    assert made.ended["old"][0] in ("PREEMPTED", "SUCCEEDED")
    assert made.ended["new"] == ("SUCCEEDED", 1.0)


def test_suspension_that_waits_for_resume_suspends_then():
    made = house(suspendable=True)
    made.scheduler.pause()
    made.goal("guest", delay(1), on_new="suspend")
    made.to(3.0)
    made.scheduler.resume()
    made.to(9.0)
    assert made.ended == {"guest": ("SUCCEEDED", 1.0), "old": ("SUCCEEDED", 4.0)}


def test_cancel_and_stop_work_during_a_pause():
    made = house()
    made.scheduler.pause()
    made.goal("new", delay(1))
    assert made.scheduler.cancel("old")
    made.to(2.0)
    assert made.ended == {"old": ("CANCELED", 1.0)}
    assert made.state("new") is RunState.LOADING  # still paused
    assert sorted(made.scheduler.stop_all()) == ["new"]
    made.to(3.0)
    assert made.ended["new"] == ("CANCELED", 0.0)


@pytest.mark.parametrize(
    "end", [lambda scheduler: scheduler.cancel("old"), lambda scheduler: scheduler.stop_all()]
)
def test_a_pause_lasts_until_it_is_resumed_whatever_ends(end):
    made = house()
    made.scheduler.pause()
    end(made.scheduler)
    made.to(2.0)
    assert made.ended == {"old": ("CANCELED", 1.0)}
    assert made.goal("after", delay(1)) == ""
    made.to(5.0)
    assert made.state("after") is RunState.LOADING
    assert not made.scheduler.needs_tick
    assert made.scheduler.resume()
    made.to(7.0)
    assert made.ended["after"] == ("SUCCEEDED", 1.0)


@pytest.mark.parametrize("on_new", ["replace", "reject", "queue", "suspend"])
def test_a_pause_where_nothing_runs_holds_what_comes(on_new):
    made = House()
    assert not made.scheduler.pause()
    assert made.scheduler.is_paused
    assert made.goal("new", delay(1), on_new=on_new) == ""
    made.to(2.0)
    assert made.state("new") is RunState.LOADING
    assert made.scheduler.resume()
    made.to(4.0)
    assert made.ended == {"new": ("SUCCEEDED", 1.0)}


def test_a_pause_while_a_run_winds_down_holds_the_next_one():
    made = House()
    made.goal("old", lastly(delay(9), delay(1)))
    made.tick()
    made.goal("next", delay(1), on_new="queue")
    made.scheduler.cancel("old")
    assert not made.scheduler.pause()
    made.to(5.0)
    assert list(made.ended) == ["old"]
    assert made.state("next") is RunState.LOADING


def test_neither_resume_nor_step_without_a_run():
    scheduler = RunScheduler()
    assert not scheduler.resume()
    assert not scheduler.step()
    assert scheduler.stop_all() == []


# Stopping.


def test_stop_all_ends_everything_and_may_be_repeated_during_the_halt():
    made = House()
    made.goal("old", lastly(delay(9), delay(1)), suspendable=True)
    made.tick()
    made.goal("guest", lastly(delay(9), delay(1)), on_new="suspend")
    made.goal("queued", delay(1), on_new="queue")
    made.to(1.0)
    assert sorted(made.scheduler.stop_all("enough")) == ["guest", "old", "queued"]
    made.to(1.5)
    assert sorted(made.scheduler.stop_all()) == ["guest", "old"]
    assert made.goal("new", delay(1)) == ""  # waits for the halts
    made.to(9.0)
    assert {name: end[0] for name, end in made.ended.items()} == {
        "queued": "CANCELED", "guest": "CANCELED", "old": "CANCELED", "new": "SUCCEEDED",
    }  # fmt: skip
    assert not made.scheduler.needs_tick


def test_cancel_of_each_kind_and_of_nothing():
    made = house(suspendable=True)
    made.goal("guest", delay(5), on_new="suspend")
    made.goal("queued", delay(5), on_new="queue")
    made.to(1.5)
    assert not made.scheduler.cancel("nobody")
    assert made.scheduler.cancel("queued")
    assert made.scheduler.cancel("old")
    assert made.scheduler.cancel("old")  # it is on its way
    made.to(9.0)
    assert made.ended == {"queued": ("CANCELED", 0.0), "old": ("CANCELED", 1.0), "guest": ("SUCCEEDED", 5.0)}


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"on_new": "shove"}, "did you mean|known"),
        ({"priority": 1.5}, "whole number"),
        ({"priority": True}, "whole"),
    ],
)
def test_bad_goal_is_refused(options, match):
    made = House()
    assert re.search(match, made.goal("a", delay(1), **options))
    assert made.goal("b", delay(1)) == ""
    assert "already" in made.scheduler.submit(made.runs["b"], "b")


ACTIONS = st.sampled_from(
    ["goal", "goal", "goal", "tick", "tick", "pause", "resume", "step", "stop", "cancel"]
)


@given(
    st.lists(
        st.tuples(ACTIONS, st.integers(0, 3), st.sampled_from(["replace", "reject", "queue", "suspend"])),
        max_size=30,
    )
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_asked_each_run_ends_once_and_one_runs_at_a_time(actions):
    made = House()
    accepted = []
    for place, (action, number, on_new) in enumerate(actions):
        if action == "goal":
            root = [
                delay(1),
                lastly(delay(2), delay(0.5)),
                loop(2, body(slot=0.5)),
                seq(delay(0.5), delay(0.5)),
            ][number]
            run_id = f"r{place}"
            if made.goal(run_id, root, on_new=on_new, priority=number % 2, suspendable=number > 1) == "":
                accepted.append(run_id)
        elif action == "tick":
            made.to(made.now + 0.25 * (1 + number))
        elif action == "cancel" and accepted:
            made.scheduler.cancel(accepted[number % len(accepted)])
        elif action in ("pause", "resume", "step"):
            getattr(made.scheduler, action)()
        elif action == "stop":
            made.scheduler.stop_all()
        running = [run for run in made.runs.values() if run.state is RunState.RUNNING]
        assert len(running) <= 1
    made.scheduler.stop_all()
    made.to(made.now + 12.0)
    assert sorted(made.ended) == sorted(accepted)
    assert not made.scheduler.needs_tick
