# SPDX-License-Identifier: Apache-2.0
"""The journal and the log of a run, from which it can be done again."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_random_documents import ANYTHING, CHAIN, COUNTS, trees
from virtual_run import (
    LENGTHS,
    SKILLS,
    Script,
    VirtualRun,
    body,
    box,
    delay,
    document,
    drawn,
    guard,
    lastly,
    par,
    put,
    reactive,
    seq,
    timeout,
)

from embodiment_bridge.behaviour.engine import journal
from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.journal import Journal, Origin
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.rehearsal.rehearse import EXACT
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.bml import to_json
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import ConfigError

WAIT = '{"type": "delay", "duration": 1}'


class Logged(VirtualRun):
    """A stage whose run keeps a log."""

    def __init__(self, text, *, skills=None, requests=None, run_settings=EXACT, max_bytes=10**7, **rules):
        requests = requests or VirtualRequests({"http://cloud.example/chain": CHAIN})
        super().__init__(delay(1), skills=skills, requests=requests)
        self.lines = []
        ports = Ports(self.skills, self.media, self.requests)
        self.run = LoggedRun(
            text, ports, Rules(SKILLS, **rules), write=self.lines.append, settings=run_settings,
            blackboard=self.board, max_bytes=max_bytes,
        )  # fmt: skip

    def of(self, kind):
        found = [json.loads(line) for line in self.lines]
        return [entry for entry in found if entry["kind"] == kind]


EXTENSIONS = (
    st.builds(put, st.sampled_from(["a", "b"]), st.sampled_from([True, None, 2]))
    | st.builds(lambda one, other: drawn(one, other), ANYTHING, ANYTHING)
    | st.builds(lambda one, other: reactive(guard("a", one), other), ANYTHING, ANYTHING)
    | st.builds(lastly, st.builds(lambda one, other: seq(one, other), ANYTHING, ANYTHING), ANYTHING)
    | st.builds(timeout, st.floats(0.1, 2.0), ANYTHING)
    | st.builds(guard, st.sampled_from(["a", "b"]), ANYTHING)
)
ACTIONS = st.sampled_from(
    ["tick"] * 6
    + ["pause", "resume", "resume", "step", "cancel", "preempt", "a", "b", "back", "break", "fall"]
)


@given(root=trees(ANYTHING | EXTENSIONS, COUNTS), data=st.data())
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_replay_gives_the_same_transitions(root, data):
    stage = Logged(to_json(document(root)), run_settings=Settings(grace_s=0.05))
    for _ in range(25):
        action = data.draw(ACTIONS)
        if action in ("a", "b"):
            stage.board.write(action, data.draw(st.sampled_from([True, False, None, 1])))
        elif action == "break":
            stage.run.set_breakpoints(["/behaviors/0", "/behaviors/1/behaviors/0"])
        elif action == "fall":
            stage.run.note_fall("fallen")
        elif action == "back":
            stage.tick(stage.now - 0.3)
        elif action != "tick":
            getattr(stage.run, action)()
        else:
            for _ in range(4):
                stage.tick(stage.now + data.draw(st.sampled_from([0.0, 0.02, 0.3])))
    stage.tick(stage.now)
    assert logged(stage.lines) == stage.events
    assert replay(stage.lines) == stage.events


def test_a_whole_run_with_faults():
    stage = Logged(
        '{"type":"sequence","behaviors":[{"type":"body","action":"RESET"},{"type":"body","action":"FLY"}]}'
    )
    assert stage.tick(0.0) is RunState.ENDED
    assert [entry["outcome"] for entry in stage.of("end")] == ["REJECTED"]
    assert replay(stage.lines) == []

    class Moody(Script):
        def start(self, request):
            if request.name == "head_shake":
                raise RuntimeError("not now")
            super().start(request)

    skills = Moody()
    text = to_json(document(par(body("HEAD_SHAKE"), body("RESET"), fail_on_all=True)))
    stage = Logged(text, skills=skills)
    stage.to(1.0)
    skills.end("reset", SkillStatus.FAILED, "fell over")
    stage.to(2.0)
    assert "RuntimeError: not now" in [entry["error"] for entry in stage.of("port") if "error" in entry]
    assert replay(stage.lines) == stage.events
    assert stage.of("end")[0]["reason"] == "fell over"


def test_only_ticks_in_which_something_happens_are_written():
    stage = Logged(WAIT)
    stage.to(1.0, step=0.01)
    assert [entry["now"] for entry in stage.of("tick")] == [0.0, 1.0]
    assert len(stage.lines) < 10


def test_header_tells_document_seed_and_settings():
    head = json.loads(Logged(WAIT, subtrees={"x": b"{}"}).lines[0])
    assert head["document"] == WAIT
    assert len(head["sha256"]) == 64
    assert head["seed"] == head["seed"] // 1
    assert head["settings"]["halt_limit_s"] == 2.0
    assert head["subtrees"] == {"x": "{}"}


def test_subtrees_and_random_orders_are_done_again():
    text = '{"type":"loop","loop":5,"behavior":{"type":"subtree","ref":"x"}}'
    inner = f'{{"type":"selector","random":true,"behaviors":[{WAIT},{WAIT},{WAIT}]}}'
    stage = Logged(text, subtrees={"x": inner})
    stage.to_end(0.25)
    assert replay(stage.lines) == stage.events


def test_a_log_that_becomes_too_long_is_cut_and_the_run_goes_on():
    stage = Logged('{"type":"delay","duration":0.1,"loop":-1}', max_bytes=5000)
    stage.to(30.0, step=0.1)
    assert json.loads(stage.lines[-1]) == {"kind": "cut"}
    assert sum(map(len, stage.lines)) < 6000
    assert stage.run.state is RunState.RUNNING
    again = replay(stage.lines)
    assert again[: len(logged(stage.lines))] == logged(stage.lines)


def test_a_document_that_was_read_has_no_text():
    ports = Ports(VirtualSkills({}), VirtualMedia(LENGTHS), VirtualRequests({}))
    with pytest.raises(ConfigError, match="text"):
        LoggedRun(document(par()), ports, Rules(), write=print, blackboard=Blackboard())


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["{"],
        ["[1]"],
        ['{"kind":"tick","now":1}'],
        ['{"kind":"header","format":99}'],
        ['{"kind":"header","format":1}'],
        ["[" * 100_000],
    ],
)
def test_bad_log(lines):
    with pytest.raises(ConfigError):
        replay(lines)


@pytest.mark.parametrize(
    "line",
    [
        '{"kind":"tick"}',
        '{"kind":"tick","now":"x"}',
        '{"kind":"control","call":"_end","arguments":[]}',
        '{"no":1}',
    ],
)
def test_bad_line(line):
    stage = Logged(WAIT)
    stage.tick(0.0)
    with pytest.raises(ConfigError):
        replay([*stage.lines, line])


@pytest.mark.parametrize(
    "change",
    [
        {"allowed": [[], None]},
        {"allowed": 1},
        {"skills": []},
        {"urls": None},
        {"settings": {"no": 1}},
    ],
)
def test_bad_header(change):
    stage = Logged(WAIT)
    stage.tick(0.0)
    header = json.dumps({**json.loads(stage.lines[0]), **change})
    with pytest.raises(ConfigError):
        replay([header, *stage.lines[1:]])


@pytest.mark.parametrize(
    "change",
    [
        {"t": "soon"},
        {"t": None},
        {"t": 10**400},
        {"event": 1},
        {"message": []},
        {"origin": []},
        {"origin": {"pointer": 1, "kind": "delay"}},
    ],
)
def test_bad_transition(change):
    stage = Logged(WAIT)
    stage.tick(0.0)
    (start,) = stage.of("transition")
    assert logged([json.dumps(start)])
    with pytest.raises(ConfigError, match="a transition of the log is bad"):
        logged([json.dumps({**start, **change})])


def test_a_halt_that_waits_for_a_clean_up_is_a_reason_to_write_a_tick():
    text = to_json(document(box(0.4, lastly(delay(0.1, False), body("RESET", 2.0)))))
    stage = Logged(text)
    stage.to(5.0, step=0.1)
    assert stage.ended is not None
    assert replay(stage.lines) == stage.events


HERE = Origin("/0", "delay")


def test_events_nobody_takes_are_dropped_and_counted(monkeypatch):
    monkeypatch.setattr(journal, "EVENT_LIMIT", 3)
    kept = Journal()
    for t in range(5):
        kept.note(float(t), "start", HERE)
    assert [event.t for event in kept.take()] == [2.0, 3.0, 4.0]
    assert kept.dropped == 2
    assert kept.take() == []


def test_a_warning_is_given_once_for_each_node_and_code():
    kept = Journal()
    for origin in (HERE, HERE, Origin("/1", "delay"), Origin("/0", "delay", document=1)):
        kept.warn(0.0, origin, "LATE", "too late")
    kept.warn(0.0, HERE, "EARLY", "too early")
    assert len(kept.take()) == 4
    assert kept.warnings[-1] == "/0: EARLY: too early"


def test_a_fall_is_told_with_the_motion_before_it_else_with_the_one_that_runs():
    walk, wave, kept = Origin("/0", "body"), Origin("/1", "body"), Journal()
    assert not kept.note_fall(1.0, [HERE], "fallen")
    kept.note(2.0, "success", walk)
    kept.note(2.0, "success", HERE)
    assert kept.note_fall(4.0, [HERE, wave], "fallen 2.0 s after the end of 'walk'")
    assert kept.note_fall(6.0, [HERE, wave], "fallen")
    assert not kept.note_fall(6.0, [HERE], "fallen")
    falls = [event for event in kept.take() if event.event == "fallen"]
    assert [(event.t, event.origin) for event in falls] == [(4.0, walk), (6.0, wave)]
    assert "'walk'" in falls[0].message


def test_warnings_are_bounded():
    kept = Journal()
    for number in range(1000):
        kept.warn(0.0, Origin("/0", "delay", document=number), "LATE", "x" * 10_000)
    assert len(kept.warnings) == journal.WARNING_LIMIT
    assert all(len(line) <= journal.MESSAGE_LIMIT + 20 for line in kept.warnings)


def test_status_after_each_event():
    kept = Journal()
    for event in ("start", "success", "failure", "halted", "warning"):
        kept.note(0.0, event, HERE)
    assert [event.status for event in kept.take()] == ["RUNNING", "SUCCESS", "FAILURE", "HALTED", ""]
