# SPDX-License-Identifier: Apache-2.0
"""Time estimates and warnings, by hand and against a plain simulation."""

import json
from math import inf

import pytest
from bml_documents import DATA, MEDIA_S, SKILLS, document, leaves, trees
from hypothesis import given, settings
from hypothesis import strategies as st

from embodiment_bridge.bml import Estimate, analyse, read
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.decorators import Box
from embodiment_bridge.bml.nodes.leaves import Delay, Stop
from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Document, preorder
from embodiment_bridge.bml.nodes.sound import Player
from embodiment_bridge.body.state import SkillInfo

S, F, NEVER = "success", "failure", "never"
WAIT = {"type": "delay", "duration": 1}
HEAD = {"type": "body", "action": "HEAD_SHAKE", "duration": 2}
FETCH = {"type": "request", "url": "http://cloud.example/next"}


def of(value, **lengths):
    return analyse(document(value), SKILLS, **lengths)


def whole(value, **lengths):
    return of(value, **lengths).estimates[""]


def found(analysis):
    return [(p.pointer, p.code) for p in analysis.warnings]


def exactly(seconds):
    return Estimate(seconds, seconds, seconds, False)


def several(kind, *children, **more):
    return {"type": kind, "behaviors": list(children), **more}


FOREVER = Estimate(inf, inf, inf, True)
MEDIA = {"http://gxrobot.com/voice?id=AABBCCDDEEFFGGHHIIJJ.wav": 3.0, **MEDIA_S}

SAMPLES = {
    "01_seed_play_music": Estimate(3.0, None, inf, False),  # only one of two lengths is known, and no reply
    "02_seed_body_steps": Estimate(4.0, 4.0, 8.0, False),
    "03_seed_delay": exactly(2.0),
    "04_song_with_eye_colours": exactly(23.0),
    "05_sing_and_dance": Estimate(24.0, None, inf, False),
    "06_reply_speak_unprocessed": exactly(4.0),
    "07_reply_speak_processed": exactly(4.0),
    "08_alarm_with_timeout": exactly(30.0),
    "09_fetch_story_with_fallback": Estimate(0.0, None, inf, False),
    "10_player_controls": Estimate(6.5, None, inf, False),
    "11_self_test_all_actions": Estimate(20.0, 20.0, 27.0, False),
    "12_tolerated_spellings": exactly(20.0),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_sample(name):
    tree = read((DATA / f"{name}.json").read_bytes()).document
    analysis = analyse(tree, SKILLS, media_s=MEDIA, speech_s=3.0)
    assert analysis.estimates[""] == SAMPLES[name]
    assert found(analysis) == []


@pytest.mark.parametrize(
    ("value", "estimate"),
    [
        (WAIT, exactly(1.0)),
        ({"type": "body", "action": "RESET"}, Estimate(1.0, 1.0, 2.0, False)),  # nominal; until it is quiet
        ({"type": "body", "action": "RESET", "duration": 0.1}, Estimate(0.3, 0.3, 1.3, False)),  # never cut
        ({"type": "body", "action": "EYE_RED"}, exactly(0.0)),  # switched and left on
        ({"type": "body", "action": "EYE_RED", "duration": 2}, exactly(2.0)),
        ({"type": "body", "action": "UNKNOWN"}, Estimate(0.0, None, inf, False)),
        ({"type": "body", "action": "UNKNOWN", "duration": 2}, exactly(2.0)),
        ({"type": "player", "action": "pause"}, exactly(0.0)),
        ({"type": "player", "action": "play", "url": "x"}, Estimate(0.0, None, inf, False)),
        ({"type": "player", "action": "play", "url": "x", "duration": 5}, exactly(5.0)),
        ({"type": "speak", "content": "x"}, Estimate(0.0, None, inf, False)),
        ({"type": "stop"}, exactly(0.0)),
        (FETCH, Estimate(0.0, None, inf, False)),
        ({**FETCH, "duration": 5}, Estimate(0.0, 5.0, 5.0, False)),
        ({**HEAD, "loop": 3}, exactly(6.0)),
        ({**HEAD, "loop": -1}, FOREVER),
        ({**several("sequence", {**HEAD, "loop": -1}), "duration": 7}, exactly(7.0)),
        ({"type": "loop", "loop": 4, "duration": 2, "behavior": WAIT}, exactly(8.0)),
        ({"type": "loop", "loop": -1, "duration": 2, "behavior": {**WAIT, "return": False}}, exactly(1.0)),
        (several("sequence", WAIT, {**WAIT, "return": False}, WAIT), exactly(2.0)),
        (several("selector", WAIT, WAIT), exactly(1.0)),
        (several("selector", {**WAIT, "return": False}, HEAD), exactly(3.0)),
        (several("parallel", WAIT, HEAD), exactly(2.0)),
        (several("parallel", WAIT, HEAD, successPolicy="SucceedOnOne"), exactly(1.0)),
        (several("parallel", WAIT, {**HEAD, "loop": -1}), FOREVER),
        (several("sequence", FETCH, WAIT), Estimate(0.0, None, inf, False)),
        (several("selector", FETCH, WAIT), Estimate(0.0, None, inf, False)),
        (several("parallel", FETCH, HEAD), Estimate(0.0, None, inf, False)),
        (
            several("parallel", FETCH, {**HEAD, "loop": -1}, successPolicy="SucceedOnOne"),
            Estimate(0.0, None, inf, False),
        ),
        (several("sequence"), exactly(0.0)),
        (several("selector"), exactly(0.0)),
        (several("parallel"), exactly(0.0)),
    ],
)
def test_estimate(value, estimate):
    assert whole(value) == estimate


def test_estimates_are_those_of_the_node_with_its_loop_and_box():
    value = several("sequence", {**HEAD, "loop": 3}, {**several("parallel", WAIT), "duration": 4, "loop": 2})
    estimates = of(value).estimates
    assert estimates["/behaviors/0"] == exactly(6.0)
    assert estimates["/behaviors/1"] == exactly(8.0)
    assert estimates["/behaviors/1/behaviors/0"] == exactly(1.0)
    assert set(estimates) == {"", "/behaviors/0", "/behaviors/1", "/behaviors/1/behaviors/0"}


def test_a_body_that_lacks_the_channel_only_waits_for_the_slot():
    from dataclasses import replace

    skills = {"reset": replace(SKILLS["reset"], available=False)}
    tree = document({"type": "body", "action": "RESET", "duration": 0.1})
    assert analyse(tree, skills).estimates[""] == exactly(0.1)


def test_failure_wins_a_tie():
    race = several("parallel", WAIT, {**WAIT, "return": False}, successPolicy="SucceedOnOne")
    assert whole(several("sequence", race, HEAD)).expected_s == 1.0
    race["behaviors"].reverse()
    assert whole(several("sequence", race, HEAD)).expected_s == 1.0


ENDLESS = {**HEAD, "loop": -1}
FAIL = {**WAIT, "return": False}


@pytest.mark.parametrize(
    ("value", "warnings"),
    [
        (
            several("sequence", ENDLESS, WAIT, WAIT),
            [("/behaviors/0", "FOREVER_WITHOUT_EXIT"), ("/behaviors/1", "UNREACHABLE")],
        ),
        (several("selector", ENDLESS, WAIT), [("/behaviors/0", "FOREVER_WITHOUT_EXIT")]),  # it may fail
        (several("selector", WAIT, WAIT), [("/behaviors/1", "UNREACHABLE")]),  # a delay never fails
        (several("selector", HEAD, WAIT), []),
        (several("sequence", FAIL, WAIT), [("/behaviors/1", "UNREACHABLE")]),
        (several("sequence", FAIL, WAIT, failurePolicy="FailOnAll"), []),
        (several("sequence", {"type": "stop"}, WAIT), [("/behaviors/1", "UNREACHABLE")]),
        (several("sequence", HEAD, WAIT, successPolicy="SucceedOnOne"), [("/behaviors/1", "UNREACHABLE")]),
        (several("sequence", FETCH, WAIT), []),
        (several("parallel", ENDLESS, WAIT), [("/behaviors/0", "FOREVER_WITHOUT_EXIT")]),
        (several("parallel", ENDLESS, WAIT, successPolicy="SucceedOnOne"), []),
        (several("parallel", ENDLESS, FAIL), []),
        (several("parallel", ENDLESS, several("sequence", WAIT, {"type": "stop"})), []),
        ({**several("sequence", ENDLESS), "duration": 5}, []),
        ({"type": "loop", "loop": -1, "behavior": ENDLESS}, [("", "FOREVER_WITHOUT_EXIT")]),
        ({"type": "loop", "loop": -1, "successPolicy": "SucceedOnOne", "behavior": FETCH}, []),
        ({"type": "loop", "loop": -1, "behavior": FETCH}, [("", "FOREVER_WITHOUT_EXIT")]),
        (
            {"type": "loop", "loop": -1, "behavior": {"type": "player", "action": "pause"}},
            [("", "FOREVER_WITHOUT_EXIT"), ("", "BUSY_FOREVER")],
        ),
        (
            several("parallel", {**several("sequence"), "loop": -1}, HEAD, successPolicy="SucceedOnOne"),
            [("/behaviors/0", "BUSY_FOREVER")],
        ),
        ({"type": "loop", "loop": 1000, "behavior": several("sequence")}, []),
        (several("parallel", {**ENDLESS, "name": "n"}, several("sequence", WAIT, {"type": "stop", "target": "n"})), []),
    ],
)  # fmt: skip
def test_what_cannot_be_reached_and_what_never_ends(value, warnings):
    assert found(of(value)) == warnings


def body(action):
    return {"type": "body", "action": action}


SPEAK = {"type": "speak", "content": "a"}
PLAY = {"type": "player", "action": "play", "url": "http://a.example/a"}


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        (several("parallel", body("HEAD_SHAKE"), body("WAIST_SHAKE")), []),
        (several("sequence", body("HEAD_SHAKE"), body("HEAD_SHAKE")), []),
        (several("parallel", body("HEAD_SHAKE"), body("HEAD_SHAKE"), body("HEAD_SHAKE")), ["/behaviors/1"]),
        (several("parallel", body("HAND_ROLL"), body("HAND_PITCH")), ["/behaviors/1", "/behaviors/1"]),
        (several("parallel", several("sequence", WAIT, body("EYE_RED")), body("RESET")), ["/behaviors/1"]),
        (
            several("parallel", several("parallel", body("EYE_RED"), body("EYE_BLUE")), HEAD),
            ["/behaviors/0/behaviors/1"],
        ),
        (several("parallel", PLAY, {"type": "loop", "loop": 2, "behavior": SPEAK}), ["/behaviors/1"]),
        (several("parallel", PLAY, {"type": "player", "action": "setVolume", "volume": 9}), []),
        (several("parallel", body("NO_SUCH"), body("NO_SUCH")), []),
    ],
)  # fmt: skip
def test_channel_conflicts(value, pointers):
    conflicts = [p for p in of(value).warnings if p.code == "CHANNEL_CONFLICT"]
    assert [p.pointer for p in conflicts] == pointers


@pytest.mark.parametrize(
    ("other", "count"),
    [(body("SAY"), 1), ({**SPEAK, "channel": "speech"}, 1), (SPEAK, 0), (PLAY, 0), (body("HEAD_SHAKE"), 0)],
)
def test_a_skill_that_speaks_conflicts_with_speech_and_not_with_other_sounds(other, count):
    skills = {**SKILLS, "say": SkillInfo("say", "native", ("audio",), 1.0, 0.0)}
    found = analyse(document(several("parallel", body("SAY"), other)), skills).warnings
    assert [p.code for p in found].count("CHANNEL_CONFLICT") == count


def test_conflict_names_both_leaves_and_the_channel():
    value = several("parallel", several("sequence", body("EYE_RED")), several("sequence", body("EYE_BLUE")))
    message = of(value).warnings[0].message
    for part in ("/behaviors/0/behaviors/0", "/behaviors/1/behaviors/0", "eyes"):
        assert part in message


# A plain simulation: every leaf takes its time, those in ``failing`` fail at their end.


def simulate(node, failing, started):
    """How and when ``node`` ends; ``started`` collects what was begun (by id)."""
    started.add(id(node))
    if isinstance(node, Delay):
        return (S if node.succeed else F), node.duration_s
    if isinstance(node, Box):
        end, seconds = simulate(node.child, failing, started)
        return (F, seconds) if end == F and seconds <= node.duration_s else (S, node.duration_s)
    if isinstance(node, Loop):
        return simulate_loop(node, failing, started)
    if isinstance(node, Composite):
        return (
            simulate_together(node, failing, started)
            if node.kind == "parallel"
            else simulate_in_order(node, failing, started)
        )
    end = F if id(node) in failing else S
    if isinstance(node, Player):
        return end, MEDIA_S[node.url] if node.action == "play" else 0.0
    skill = SKILLS[node.action.lower()]
    natural = 0.0 if skill.kind == "light" else skill.nominal_s
    return end, max(node.duration_s, skill.min_s) if node.duration_s else natural


def decides(node, end):
    return (end == S and node.succeed_on_one) or (end == F and not node.fail_on_all)


def simulate_in_order(node, failing, started):
    now, ends = 0.0, []
    for child in node.children:
        end, seconds = simulate(child, failing, started)
        now += seconds
        if end == NEVER or decides(node, end):
            return end, now
        ends.append(end)
    if not ends:
        return (F if node.kind == "selector" else S), 0.0
    return (S if set(ends) == {S} else F), now


def simulate_together(node, failing, started):
    ends = [simulate(child, failing, started) for child in node.children]
    for end, now in sorted(ends, key=lambda e: (e[1], e[0] != F)):
        if end != NEVER and decides(node, end):
            return end, now
    if any(end == NEVER for end, _ in ends):
        return NEVER, inf
    return (F if any(end == F for end, _ in ends) else S), max((now for _, now in ends), default=0.0)


def simulate_loop(node, failing, started):
    end, seconds = simulate(node.child, failing, started)
    if end == NEVER or decides(node, end):
        return end, seconds
    return (NEVER, inf) if node.count < 0 else (end, seconds * node.count)


@settings(max_examples=300)
@given(trees(leaves()))
def test_estimate_is_the_simulated_time(value):
    tree = document(value)
    end, seconds = simulate(tree.root, frozenset(), set())
    estimate = analyse(tree, SKILLS, media_s=MEDIA_S).estimates[""]
    assert estimate.forever == (end == NEVER)
    assert estimate.expected_s == pytest.approx(seconds)
    assert estimate.min_s <= seconds * (1 + 1e-9)
    assert estimate.max_s >= seconds * (1 - 1e-9)


@settings(max_examples=300)
@given(trees(leaves()), st.data())
def test_what_is_called_unreachable_never_starts(value, data):
    tree = document(value)
    nodes = preorder(tree.root)
    can_fail = [id(node) for node in nodes if not isinstance(node, (Delay, Box, Loop, Composite))]
    failing = frozenset(data.draw(st.sets(st.sampled_from(can_fail)))) if can_fail else frozenset()
    started = set()
    simulate(tree.root, failing, started)
    begun = {node.pointer for node in nodes if id(node) in started}
    warnings = analyse(tree, SKILLS, media_s=MEDIA_S).warnings
    assert not begun & {p.pointer for p in warnings if p.code == "UNREACHABLE"}


def test_deep_and_wide_documents_are_analysed():
    node = Stop(pointer="")
    for _ in range(5000):
        node = Loop(pointer="", count=2, child=node)
    assert analyse(Document(node), SKILLS).estimates[""] == exactly(0.0)
    wide = json.dumps(several("parallel", *[body("RESET")] * 1000))
    assert len(analyse(read(wide).document, SKILLS).warnings) == len(SKILLS["reset"].channels)


IF = {"condition": {"key": "a", "op": "exists"}}
FAILING = {**WAIT, "return": False}


@pytest.mark.parametrize(
    ("value", "estimate"),
    [
        ({**WAIT, **IF}, Estimate(0.0, None, 1.0, False)),
        ({**WAIT, **IF, "loop": -1}, Estimate(0.0, None, inf, False)),
        ({**WAIT, "timeout": 3}, exactly(1.0)),
        ({**HEAD, "timeout": 0.5}, exactly(0.5)),
        ({**HEAD, "loop": -1, "timeout": 7}, exactly(7.0)),
        ({**WAIT, "retry": 3}, exactly(1.0)),
        ({**FAILING, "retry": 1}, Estimate(1.0, None, 3.0, False)),
        ({**FAILING, "retry": -1}, FOREVER),
        ({**FAILING, "retry": -1, "timeout": 3}, Estimate(1.0, None, inf, False)),
        ({**FETCH, "timeout": 7}, Estimate(0.0, None, 7.0, False)),
        (several("sequence", WAIT, {**HEAD, **IF}), Estimate(1.0, None, 3.0, False)),
        (several("sequence", {**HEAD, "timeout": 1}, WAIT), exactly(1.0)),
        (several("selector", {**HEAD, "timeout": 1}, WAIT), exactly(2.0)),
        ({**several("sequence", WAIT), "finally": WAIT}, exactly(2.0)),
        ({**several("sequence", WAIT), "finally": {**WAIT, "loop": 9}}, exactly(3.0)),
        ({**several("sequence", WAIT), "finally": {**WAIT, "loop": -1}}, exactly(3.0)),
        ({**several("sequence", FAILING), "finally": WAIT, "timeout": 0.5}, exactly(1.5)),
        ({**several("sequence", {**WAIT, "loop": -1}), "finally": WAIT}, FOREVER),
        (several("selector", WAIT, HEAD, random=True), Estimate(1.0, None, 2.0, False)),
        (several("selector", WAIT, WAIT, random=True), exactly(1.0)),
        (several("selector", FAILING, HEAD, random=True), Estimate(2.0, None, 3.0, False)),
        (several("selector", {**WAIT, **IF}, HEAD, reactive=True), Estimate(0.0, None, inf, False)),
        (several("selector", {**WAIT, **IF}, {**HEAD, "loop": -1}), Estimate(0.0, None, inf, False)),
        (several("parallel", {**WAIT, **IF}, HEAD), Estimate(2.0, None, 2.0, False)),
        ({"type": "set", "key": "a", "value": 1}, exactly(0.0)),
    ],
)
def test_estimate_of_extensions(value, estimate):
    assert whole(value) == estimate


def test_what_a_condition_may_leave_out_blocks_nothing():
    assert found(of(several("selector", {**WAIT, **IF}, WAIT))) == []
    assert found(of(several("sequence", {**WAIT, "loop": -1, **IF}, WAIT))) == []


def test_what_comes_behind_a_time_out_that_must_pass_can_be_reached_all_the_same():
    assert found(of(several("sequence", {**HEAD, "loop": -1, "timeout": 1}, WAIT))) == [
        ("/behaviors/1", "UNREACHABLE")
    ]
    assert found(of(several("selector", {**HEAD, "loop": -1, "timeout": 1}, WAIT))) == []
