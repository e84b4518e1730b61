# SPDX-License-Identifier: Apache-2.0
"""Random documents with conditions, time-outs, clean-ups and choices: they end, in the time that was estimated."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stage import (
    LENGTHS,
    SKILLS,
    Stage,
    body,
    delay,
    document,
    drawn,
    dry_run,
    guard,
    lastly,
    lines,
    par,
    put,
    reactive,
    retry,
    seq,
    timeout,
)  # fmt: skip
from test_random_documents import ANYTHING, CHAIN, COUNTS, FINITE, OUTCOMES, SECONDS, TIMED, trees

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.bml import analyse

KEYS = st.sampled_from(["a", "b"])
VALUES = st.fixed_dictionaries({}, optional={"a": st.just(True), "b": st.just(True)})
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=SLOW)


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


@given(root=extended(ANYTHING | st.builds(body, st.just("HEAD_SHAKE"), SECONDS), COUNTS), data=st.data())
@QUICK
def test_whatever_is_done_to_it_a_run_can_be_ended(root, data):
    stage = Stage(root, settings=Settings())
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
    assert stage.skills.next_time() == float("inf")
    starts = Counter((e.origin.pointer, e.origin.kind) for e in stage.events if e.event == "start")
    for (pointer, kind), times in starts.items():
        if pointer.endswith("/finally") and kind in ("delay", "body"):
            assert times <= starts[pointer.removesuffix("/finally"), "finally"]


def test_two_level_clean_up_in_a_race():
    root = par(lastly(seq(lastly(delay(9), delay(1)), delay(1)), delay(1)), delay(2), succeed_on_one=True)
    assert lines(root)[-1] == {"outcome": "SUCCEEDED", "t": 4.0}
