# SPDX-License-Identifier: Apache-2.0
"""Limits of a run: how long it may take, and how many leaves may begin in a second."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from virtual_run import (
    SKILLS,
    Script,
    VirtualRun,
    body,
    box,
    delay,
    forever,
    lastly,
    loop,
    par,
    player,
    put,
    request,
    seq,
)

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.rehearse import EXACT
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests
from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun

TICK = 0.02
REASON = "RUN_TIME: the run has lasted 5 s, as long as max_run_time allows"


def limited(**limits):
    return replace(EXACT, **limits)


@pytest.mark.parametrize("period", [0.02, 0.15, 1.0])
def test_a_run_is_ended_when_its_time_is_up(period):
    stage = VirtualRun(forever(body(slot=1.0)), settings=limited(max_run_s=5.0))
    stage.to_end(period)
    assert stage.ended == ("ERROR", 5.0)
    assert stage.run.ending.reason == REASON


def test_what_ends_in_time_has_its_own_outcome():
    """Also when the tick that sees it comes after both, and when they are the same instant."""
    stage = VirtualRun(seq(delay(2.0), delay(3.0)), settings=limited(max_run_s=5.0))
    stage.tick(0.0)
    stage.tick(7.0)
    assert stage.ended == ("SUCCEEDED", 5.0)


def test_a_pause_is_no_time():
    stage = VirtualRun(delay(4.0), settings=limited(max_run_s=5.0))
    stage.to(1.0)
    stage.run.pause()
    stage.to(100.0, step=10.0)
    stage.run.resume()
    stage.to_end(0.1)
    assert stage.ended == ("SUCCEEDED", 4.0)


def test_nothing_begins_at_the_end_of_the_time_but_the_clean_up():
    stage = VirtualRun(
        lastly(seq(delay(5.0), body("HEAD_SHAKE")), body("RESET")), settings=limited(max_run_s=5.0)
    )
    stage.to_end(0.1)
    assert stage.ended[0] == "ERROR"
    started = [
        event.message for event in stage.events if event.event == "start" and event.origin.kind == "body"
    ]
    assert started == ["RESET"]


def test_a_chain_of_documents_has_one_time_in_all():
    url = "http://cloud.example/next"
    text = json.dumps(
        {"type": "sequence", "behaviors": [{"type": "delay", "duration": 1}, {"type": "request", "url": url}]}
    )
    stage = VirtualRun(request(url), requests=VirtualRequests({url: text}), settings=limited(max_run_s=5.0))
    stage.to_end(0.1)
    assert stage.ended == ("ERROR", 5.0)


class At(Script):
    """Ends every skill at once; keeps when each began."""

    def __init__(self):
        super().__init__()
        self.begun, self.stage = [], None

    def start(self, request):
        super().start(request)
        self.begun.append((self.stage.now, request.name))
        self.end(request.name)


def flooding(root, rate, seconds):
    """What a body hears of a document at 50 ticks per s."""
    script = At()
    stage = script.stage = VirtualRun(root, skills=script, settings=limited(max_starts=rate))
    while stage.now < seconds:
        stage.tick(stage.now + TICK)
    return script.begun, stage


def busy(*actions):
    return forever(seq(*(body(action) for action in actions)))


def test_a_busy_loop_does_not_flood_the_body():
    """Without the limit such a loop begins as often as there are leaves in it, times 50 a second."""
    many = busy(*["EYE_RED", "EYE_BLUE"] * 5)
    free, _ = flooding(many, 0.0, 1.0)
    begun, stage = flooding(many, 50.0, 3.0)
    assert len(free) > 300
    for second in range(3):
        within = [t for t, _ in begun if second < t <= second + 1.0]
        assert len(within) <= (100 if second == 0 else 51)  # a burst at first, then the rate
    assert len(begun) >= 3 * 50
    assert stage.ended is None
    assert any(event.code == "START_LIMIT" for event in stage.events)


def test_what_waits_begins_in_its_order():
    begun, _ = flooding(par(*(body(name) for name in ("EYE_RED", "EYE_BLUE", "EYE_GREEN"))), 1.0, 3.0)
    assert [name for _, name in begun] == ["eye_red", "eye_blue", "eye_green"]
    assert all(later - earlier >= 1.0 - TICK for (earlier, _), (later, _) in pairwise(begun))


def test_no_branch_starves_another():
    begun, _ = flooding(par(*(busy(name) for name in ("EYE_RED", "EYE_BLUE", "EYE_GREEN"))), 10.0, 10.0)
    counts = Counter(name for _, name in begun)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_an_ordinary_document_is_not_held_up():
    root = seq(par(*(body(slot=1.0) for _ in range(20))), *(body(slot=0.1) for _ in range(50)))
    stages = [VirtualRun(root, settings=limited(max_starts=rate)) for rate in (0.0, 50.0)]
    for stage in stages:
        stage.to_end(TICK)
    assert stages[0].ended == stages[1].ended
    assert [event.t for event in stages[0].events] == [event.t for event in stages[1].events]


def test_player_commands_keep_their_place():
    stage = VirtualRun(
        par(body("EYE_RED"), body("EYE_BLUE"), player("pause")), settings=limited(max_starts=1.0)
    )
    stage.to_end(TICK)
    starts = [event.origin.pointer for event in stage.events if event.event == "start"]
    assert starts == ["", "/0", "/1", "/2"]


def test_what_needs_no_port_does_not_wait():
    stage = VirtualRun(
        seq(body("EYE_RED"), *(put("a", n) for n in range(100))), settings=limited(max_starts=1.0)
    )
    stage.to_end(TICK)
    assert not any(event.code == "START_LIMIT" for event in stage.events)


def test_who_was_halted_while_waiting_takes_nobodys_place():
    waiting = box(0.5, par(*(body("EYE_RED") for _ in range(30))))
    stage = VirtualRun(seq(body("EYE_GREEN"), waiting, body("EYE_BLUE")), settings=limited(max_starts=1.0))
    stage.to_end(TICK)
    blue = next(
        event
        for event in stage.events
        if event.event == "success" and event.message == "" and event.origin.pointer == "/2"
    )
    assert blue.t <= 3.5


def test_a_halt_does_not_wait_for_those_in_the_queue():
    stage = VirtualRun(par(*(body("EYE_RED") for _ in range(30))), settings=limited(max_starts=1.0))
    stage.to(2.0, step=TICK)
    stage.run.cancel()
    stage.tick(2.1)
    assert stage.ended[0] == "CANCELED"


def test_a_dry_run_of_a_limited_run_leaps_from_token_to_token():
    stage = VirtualRun(par(*(body("EYE_RED") for _ in range(4))), settings=limited(max_starts=1.0))
    stage.tick(0.0)
    assert stage.run.next_time() == pytest.approx(1.0)
    assert VirtualRun(delay(9.0), settings=limited(max_run_s=5.0)).run.next_time() == 0.0


@pytest.mark.parametrize("rate", [1.0, 7.0, 50.0])
def test_the_log_of_a_limited_run_replays_to_the_same(rate):
    eyes = {"type": "sequence", "behaviors": [{"type": "body", "action": "EYE_RED"}] * 5}
    text = json.dumps({"type": "parallel", "behaviors": [{**eyes, "loop": 20}, eyes, {**eyes, "loop": 3}]})
    lines, script = [], At()
    ports = Ports(script, VirtualMedia({}), VirtualRequests({}))
    run = LoggedRun(text, ports, Rules(SKILLS), write=lines.append, settings=limited(max_starts=rate))
    script.stage = type("Now", (), {"now": 0.0})
    events, tick = [], 0
    while run.ending is None and tick < 10_000:
        tick += 1
        run.tick(tick * TICK)
        events += run.take_events()
    assert run.ending.outcome.value == "SUCCEEDED"
    assert replay(lines) == logged(lines) == events


def test_a_loop_of_one_start_keeps_its_own_pace():
    begun, _ = flooding(loop(10, body("EYE_RED")), 50.0, 1.0)
    assert len(begun) == 10
