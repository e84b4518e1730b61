# SPDX-License-Identifier: Apache-2.0
"""Conditions, time-outs, the blackboard, reactive and random selectors."""

from collections import Counter

import pytest
from stage import (
    ONE_ALL,
    Script,
    Stage,
    body,
    box,
    delay,
    drawn,
    dry_run,
    fail,
    guard,
    lines,
    loop,
    outcome,
    par,
    put,
    reactive,
    request,
    retry,
    sel,
    seq,
    stop,
    timeout,
)  # fmt: skip

from embodiment_bridge.behaviour.engine.blackboard import MAX_KEYS, Blackboard
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests
from embodiment_bridge.core.errors import CommandError

NO = guard("no", delay(1))
YES = guard("yes", delay(1))
VALUES = {"yes": True}


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (YES, ("SUCCEEDED", 1.0)),
        (NO, ("SUCCEEDED", 0.0)),
        (seq(NO, delay(2)), ("SUCCEEDED", 2.0)),
        (seq(NO, NO), ("SUCCEEDED", 0.0)),
        (seq(NO, fail(2)), ("FAILED", 2.0)),
        (seq(delay(1), NO), ("SUCCEEDED", 1.0)),
        (sel(NO, YES, delay(5)), ("SUCCEEDED", 1.0)),
        (sel(NO, NO), ("FAILED", 0.0)),
        (sel(NO, guard("yes", fail(1)), delay(5)), ("SUCCEEDED", 6.0)),
        (sel(NO, guard("yes", fail(1)), delay(5), succeed_on_one=True, fail_on_all=False), ("FAILED", 1.0)),
        (par(NO, delay(2)), ("SUCCEEDED", 2.0)),
        (par(NO, fail(2), **ONE_ALL), ("FAILED", 2.0)),
        (par(NO, delay(2), **ONE_ALL), ("SUCCEEDED", 2.0)),
        (loop(3, YES), ("SUCCEEDED", 3.0)),
        (box(4, NO), ("SUCCEEDED", 4.0)),
        (guard("yes", NO), ("SUCCEEDED", 0.0)),
        (seq(put("no", True), NO), ("SUCCEEDED", 1.0)),
        (seq(put("yes", None), YES, delay(3)), ("SUCCEEDED", 3.0)),
        (timeout(3, delay(1)), ("SUCCEEDED", 1.0)),
        (timeout(3, fail(1)), ("FAILED", 1.0)),
        (timeout(1, delay(1)), ("SUCCEEDED", 1.0)),
        (timeout(3, loop(-1, delay(1))), ("FAILED", 3.0)),
        (sel(timeout(3, delay(9)), delay(1)), ("SUCCEEDED", 4.0)),
        (seq(timeout(3, stop()), delay(1)), ("STOPPED", 0.0)),
        (timeout(2, NO), ("SUCCEEDED", 0.0)),
        (retry(2, delay(1)), ("SUCCEEDED", 1.0)),
        (retry(2, fail(1)), ("FAILED", 4.0)),
        (retry(-1, sel(NO, seq(put("no", True), fail(1)))), ("SUCCEEDED", 2.5)),
        (retry(2, NO), ("SUCCEEDED", 0.0)),
        (retry(2, timeout(3, fail(1))), ("FAILED", 4.0)),
        (retry(2, timeout(1, delay(9))), ("FAILED", 1.0)),
        (timeout(5, retry(-1, fail(1))), ("FAILED", 5.0)),
        (retry(2, retry(1, fail(1))), ("FAILED", 8.5)),
        (retry(1, seq(fail(1), delay(3))), ("FAILED", 2.5)),
        (loop(2, retry(1, fail(1)), fail_on_all=True), ("FAILED", 5.0)),
    ],
)
def test_outcome(root, expected):
    assert outcome(root, values=VALUES) == expected


def test_loop_waits_for_a_condition():
    root = par(loop(-1, NO, **ONE_ALL), seq(delay(2), put("no", True)))
    name, end = outcome(root)
    assert name == "SUCCEEDED"
    assert end == pytest.approx(3.0, abs=0.03)


def test_left_out_is_told_with_the_reason():
    seen = lines(seq(NO, delay(1)))
    skipped = [line for line in seen if line.get("event") == "skipped"]
    assert [(line["node"], line["message"]) for line in skipped] == [("/0", "not met: no == True")]


def test_timeout_halts_the_body_and_says_why():
    stage = Stage(timeout(1, body(slot=5)))
    stage.to_end(0.1)
    assert stage.ended == ("FAILED", 1.0)
    assert stage.run.ending.reason == "TIMEOUT: has not ended after 1 s"
    assert stage.seen("halted") == ["halted /0"]


def test_an_end_is_judged_by_its_scheduled_time_not_by_the_tick():
    for period in (0.05, 0.7, 3.0):
        assert _ended(timeout(1, delay(1.5)), period) == ("FAILED", 1.0)
        assert _ended(timeout(1.5, delay(1)), period) == ("SUCCEEDED", 1.0)


def _ended(root, period):
    stage = Stage(root)
    stage.to_end(period)
    return stage.ended


def test_values_are_those_of_the_tick_that_begins_the_child():
    stage = Stage(seq(delay(1), guard("go", delay(2))))
    stage.to(0.9)
    stage.board.write("go", True)
    stage.tick(1.0)
    stage.board.write("go", None)  # too late: it runs
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 3.0)


# Reactive selectors.


def test_higher_child_takes_over_and_the_lower_one_is_halted():
    stage = Stage(reactive(guard("alarm", delay(1)), body(slot=5)))
    stage.to(2.0)
    stage.board.write("alarm", True)
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 3.0)
    assert stage.seen("skipped", "halted") == ["skipped /0", "halted /1"]


def test_plain_selector_does_not_look_again():
    stage = Stage(sel(guard("alarm", delay(1)), delay(5)))
    stage.to(2.0)
    stage.board.write("alarm", True)
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 5.0)


def test_a_failed_higher_child_waits_until_its_condition_was_not_met_again():
    stage = Stage(reactive(guard("alarm", fail(1)), delay(9)), board={"alarm": True})
    stage.to(3.0)
    assert stage.seen("failure") == ["failure /0/0", "failure /0"]
    stage.board.write("alarm", False)
    stage.tick(3.5)
    stage.board.write("alarm", True)
    stage.tick(4.0)
    assert "halted /1" in stage.seen()
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 14.0)  # fails at 5, then the lower one anew


def test_the_highest_of_several_is_chosen_and_the_others_are_open_again():
    root = reactive(guard("a", fail(1)), guard("b", fail(1)), delay(9))
    stage = Stage(root)
    stage.tick(0.0)
    stage.board.write("a", True)
    stage.board.write("b", True)
    stage.to(2.0)
    assert [line for line in stage.seen("start") if line in ("start /0/0", "start /1/0")] == [
        "start /0/0",
        "start /1/0",
    ]


def test_a_higher_child_waits_for_the_body_to_come_to_rest():
    skills = Script()
    skills.obedient = False
    stage = Stage(reactive(guard("alarm", delay(1)), body()), skills=skills)
    stage.to(1.0)
    stage.board.write("alarm", True)
    stage.to(2.0)
    assert "start /0/0" not in stage.seen()
    skills.end("head_shake")
    stage.tick(2.5)
    assert "start /0/0" in stage.seen()


def test_request_below_a_reactive_selector_does_not_replace_the_tree():
    replies = VirtualRequests({"http://cloud.example/x": '{"type": "delay", "duration": 5}'})
    stage = Stage(reactive(guard("alarm", delay(1)), request("http://cloud.example/x")), requests=replies)
    stage.to(2.0)
    stage.board.write("alarm", True)
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 3.0)


# Random selectors.


def order(root, seed):
    started = [line["node"] for line in lines(root, seed=seed) if line.get("type") == "delay"]
    return tuple(dict.fromkeys(started))


def test_same_seed_same_order_other_seeds_other_orders():
    root = drawn(fail(1), fail(1), fail(1), fail(1))
    orders = [order(root, seed) for seed in range(40)]
    assert orders == [order(root, seed) for seed in range(40)]
    assert all(sorted(found) == ["/0", "/1", "/2", "/3"] for found in orders)
    assert len(set(orders)) > 10


def test_weights_are_chances():
    root = drawn(delay(1), delay(1), weights=(3.0, 1.0))
    first = Counter(order(root, seed)[0] for seed in range(400))
    assert 250 < first["/0"] < 350


def test_each_execution_draws_anew():
    seen = lines(loop(30, drawn(delay(1), delay(1))), seed=3)
    started = [line["node"] for line in seen if line.get("event") == "start" and line["type"] == "delay"]
    assert len(set(started)) == 2


@pytest.mark.parametrize("period", [0.03, 0.4])
def test_the_tick_rate_changes_no_draw(period):
    root = par(loop(5, drawn(delay(0.3), delay(0.7))), loop(5, drawn(delay(0.2), fail(0.1), delay(0.5))))
    stage = Stage(root, seed=7)
    stage.to_end(period)
    assert stage.ended[1] == pytest.approx(outcome(root, seed=7)[1])


def test_a_run_tells_the_seed_that_it_drew():
    one, other = Stage(delay(1), seed=None).run.seed, Stage(delay(1), seed=None).run.seed
    assert one != other
    assert Stage(delay(1), seed=5).run.seed == 5


# The blackboard.


def test_blackboard_takes_values_away_and_counts_changes():
    board = Blackboard({"a": 1})
    board.write("a", 1.0)
    assert board.version == 1
    board.write("a", True)
    board.write("b", None)
    assert (board.version, board.values()) == (2, {"a": True})
    board.write("a", None)
    assert (board.read("a"), board.values()) == (None, {})


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("", 1, "not a key"),
        ("a b", 1, "not a key"),
        ("a" * 129, 1, "not a key"),
        (3, 1, "not a key"),
        ("a", [1], "not a list"),
        ("a", float("nan"), "finite"),
        ("a", 2**53 + 1, "at most"),
        ("a", 10**400, "at most"),
        ("a", "x" * 4001, "4000"),
    ],
)
def test_bad_value(key, value, match):
    with pytest.raises(CommandError, match=match):
        Blackboard().write(key, value)


def test_a_full_blackboard_fails_the_node_that_writes():
    full = {f"k{i}": i for i in range(MAX_KEYS)}
    assert outcome(sel(put("one.more", 1), delay(1)), values=full) == ("SUCCEEDED", 1.0)
    assert outcome(put("k1", 5), values=full) == ("SUCCEEDED", 0.0)


def test_subtrees_run_and_keep_their_pointers():
    text = '{"type":"sequence","behaviors":[{"type":"subtree","ref":"nap","args":{"s":2}}]}'
    seen = list(dry_run(text, {}, subtrees={"nap": '{"type":"delay","duration":"${s}"}'}))
    assert seen[-1] == {"outcome": "SUCCEEDED", "t": 2.0}
    assert [line["node"] for line in seen if line.get("type") == "delay"] == ["/behaviors/0#nap"] * 2
