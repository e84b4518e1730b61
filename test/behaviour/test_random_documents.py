# SPDX-License-Identifier: Apache-2.0
"""Random documents end or go on, never raise, and end as a slow but obvious calculation and the estimate say."""

import json
import math
from collections import Counter
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from virtual_run import (
    LENGTHS,
    SKILLS,
    SONG,
    VOICE,
    VirtualRun,
    body,
    box,
    delay,
    document,
    drawn,
    dry_run,
    guard,
    lastly,
    lines,
    loop,
    outcome,
    par,
    play,
    player,
    put,
    reactive,
    request,
    retry,
    seq,
    stop,
    timeout,
)

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.bml import analyse
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.decorators import Box
from embodiment_bridge.bml.nodes.leaves import Delay
from embodiment_bridge.bml.nodes.loop import Loop

OUTCOMES = {"SUCCEEDED", "FAILED", "STOPPED", "ERROR"}
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
SECONDS = st.integers(1, 30).map(lambda tenths: tenths / 10)
POLICIES = st.fixed_dictionaries({"succeed_on_one": st.booleans(), "fail_on_all": st.booleans()})
FINITE = st.integers(1, 4)
TIMED = st.builds(delay, SECONDS, st.booleans())


def trees(leaves, counts):
    def grow(inner):
        kids = st.lists(inner, min_size=1, max_size=4)
        ordered = st.builds(lambda children, policy: seq(*children, **policy), kids, POLICIES)
        parallel = st.builds(lambda children, policy: par(*children, **policy), kids, POLICIES)
        loops = st.builds(lambda count, child, policy: loop(count, child, **policy), counts, inner, POLICIES)
        return ordered | parallel | loops | st.builds(box, SECONDS, inner)

    return st.recursive(leaves, grow, max_leaves=12)


def expected(node, t):
    """(succeeds, when) of a node begun at ``t``, by the meaning of the words, without any tick."""
    if isinstance(node, Delay):
        return node.succeed, t + node.duration_s
    if isinstance(node, Box):
        ok, end = expected(node.child, t)
        due = t + node.duration_s
        return (False, end) if not ok and end <= due + 1e-6 else (True, due)
    if isinstance(node, Loop):
        return in_turn(node, [node.child] * node.count, t)
    if isinstance(node, Composite) and node.kind == "parallel":
        return together(node, [expected(child, t) for child in node.children])
    return in_turn(node, node.children, t)


def verdict(node, good, bad, total):
    if bad and (not node.fail_on_all or bad == total):
        return False
    if good and (node.succeed_on_one or good == total):
        return True
    return False if good + bad == total else None


def in_turn(node, children, t):
    good = bad = 0
    for child in children:
        ok, t = expected(child, t)
        good, bad = good + ok, bad + (not ok)
        decided = verdict(node, good, bad, len(children))
        if decided is not None:
            return decided, t
    raise AssertionError("exhausted without a verdict")


def together(node, ends):
    for _, t in sorted(ends, key=lambda end: end[1]):
        good = sum(ok for ok, end in ends if end <= t + 1e-6)
        bad = sum(not ok for ok, end in ends if end <= t + 1e-6)
        decided = verdict(node, good, bad, len(ends))
        if decided is not None:
            return decided, max(end for _, end in ends if end <= t + 1e-6)
    raise AssertionError("exhausted without a verdict")


@given(root=trees(TIMED, FINITE))
@QUICK
def test_lengths_and_outcomes_are_what_the_words_mean(root):
    ok, t = expected(root, 0.0)
    name, end = outcome(root, until=1e6)
    assert name == ("SUCCEEDED" if ok else "FAILED")
    assert math.isclose(end, t, abs_tol=2e-6)


@given(root=trees(TIMED | st.builds(stop), FINITE), period=st.floats(0.005, 0.15), seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_tick_rate_changes_nothing(root, period, seed):
    name, end = outcome(root, until=1e6)
    stage = VirtualRun(root, settings=Settings())
    noticed = stage.to_end(period, jitter=0.3, seed=seed)
    assert stage.ended[0] == name
    assert math.isclose(stage.ended[1], end, abs_tol=5e-6)
    assert noticed <= end + 1.3 * period + 1e-6


ANYTHING = (
    TIMED
    | st.builds(delay, st.just(0.0), st.booleans())
    | st.builds(body, st.sampled_from(["EYE_RED", "EYE_BLUE", "HEAD_SHAKE"]), st.just(0.0) | SECONDS)
    | st.builds(play, st.sampled_from([SONG, VOICE, "http://media.example/unheard"]))
    | st.builds(player, st.sampled_from(["pause", "resume", "stop", "setVolume"]), st.none() | st.just(50.0))
    | st.builds(request, st.sampled_from(["http://cloud.example/chain", "http://cloud.example/none"]))
    | st.builds(stop, st.sampled_from(["", "a"]))
    | st.builds(seq, name=st.just("a"))
)
NEXT = {"type": "request", "url": "http://cloud.example/chain"}
CHAIN = json.dumps({"type": "sequence", "name": "a", "behaviors": [{"type": "delay", "duration": 0.3}, NEXT]})
COUNTS = FINITE | st.just(-1)


KEYS = st.sampled_from(["a", "b"])
VALUES = st.fixed_dictionaries({}, optional={"a": st.just(True), "b": st.just(True)})


def extended(leaves, counts):
    """Trees in which anything may be round anything."""
    inner = trees(leaves, counts)
    several = st.lists(inner, min_size=1, max_size=3)
    wrapped = (
        st.builds(guard, KEYS, inner)
        | st.builds(timeout, SECONDS, inner)
        | st.builds(retry, st.integers(1, 3), inner)
        | st.builds(lastly, inner, inner)
        | st.builds(lambda children: drawn(*children), several)
        | st.builds(lambda key, one, other: reactive(guard(key, one), other), KEYS, inner, inner)
        | st.builds(put, KEYS, st.sampled_from([True, None]))
    )
    return trees(wrapped | leaves, counts)


@given(root=extended(TIMED, FINITE), values=VALUES, seed=st.integers(0, 99))
@QUICK
def test_length_is_within_the_bounds_of_the_estimate(root, values, seed):
    shown = document(root)
    estimate = analyse(shown, SKILLS, media_s=LENGTHS).estimates[""]
    last = list(dry_run(shown, SKILLS, values=values, seed=seed, until=1e7))[-1]
    assert last["outcome"] in ("SUCCEEDED", "FAILED")
    assert estimate.min_s - 1e-5 <= last["t"] <= estimate.max_s + 1e-5


@given(root=extended(ANYTHING, COUNTS), values=VALUES)
@QUICK
def test_any_document_ends_or_goes_on_without_an_error(root, values):
    seen = lines(root, until=30.0, values=values, replies={"http://cloud.example/chain": CHAIN})
    last = seen[-1]
    assert last["outcome"] in OUTCOMES
    if last["outcome"] == "ERROR":
        assert "still running" in last["reason"]
    times = [line["t"] for line in seen]
    assert all(a <= b + 2e-6 for a, b in pairwise(times))


@given(root=extended(ANYTHING | st.builds(body, st.just("HEAD_SHAKE"), SECONDS), COUNTS), data=st.data())
@QUICK
def test_whatever_is_done_to_it_a_run_can_be_ended(root, data):
    stage = VirtualRun(root, settings=Settings())
    for _ in range(12):
        stage.tick(stage.now + data.draw(st.floats(0.0, 1.0)))
        action = data.draw(
            st.sampled_from(["tick", "tick", "pause", "resume", "step", "cancel", "a", "break"])
        )
        if action == "a":
            stage.board.write("a", data.draw(st.sampled_from([True, None])))
        elif action == "break":
            stage.run.set_breakpoints(["/0"])
        elif action != "tick":
            getattr(stage.run, action)()
        assert stage.run.ending is None or stage.run.ending.outcome.value != "ERROR", stage.run.ending
    stage.run.cancel()
    stage.to(stage.now + 60.0, step=0.25)
    assert stage.run.state is RunState.ENDED
    assert stage.run.ending.outcome.value != "ERROR", stage.run.ending
    assert stage.skills.next_time() == stage.media.next_time() == stage.requests.next_time() == math.inf
    starts = Counter((e.origin.pointer, e.origin.kind) for e in stage.events if e.event == "start")
    for (pointer, kind), times in starts.items():
        if pointer.endswith("/finally") and kind in ("delay", "body"):
            assert times <= starts[pointer.removesuffix("/finally"), "finally"]


def test_two_level_clean_up_in_a_race():
    root = par(lastly(seq(lastly(delay(9), delay(1)), delay(1)), delay(1)), delay(2), succeed_on_one=True)
    assert lines(root)[-1] == {"outcome": "SUCCEEDED", "t": 4.0}
