# SPDX-License-Identifier: Apache-2.0
"""Nodes that begin at a word of a sound, on the virtual clock (words are spread evenly over a text there)."""

import json

import pytest
from virtual_run import SKILLS, dry_run

FOUR = {"type": "speak", "name": "four", "content": "one two three four"}
NOD = {"type": "body", "action": "HEAD_SHAKE", "duration": 1}


def lines(*behaviors, speech=4.0, **more):
    text = json.dumps({"type": "parallel", "behaviors": list(behaviors), **more})
    return list(dry_run(text, SKILLS, speech=speech))


def begun(found, node="/behaviors/1"):
    return [
        line["t"]
        for line in found
        if line["event"] == "start" and line["node"] == node and line["type"] == "body"
    ]


@pytest.mark.parametrize(
    ("start", "t"),
    [
        ({"at": "four"}, 0.0),
        ({"at": "four", "mark": "one"}, 0.0),
        ({"at": "four", "mark": "three"}, 2.0),
        ({"at": "four", "mark": 3}, 3.0),
        ({"at": "four", "mark": "two", "offset": 0.25}, 1.25),
        ({"at": "four", "mark": "four", "offset": 5}, 8.0),
    ],
)
def test_it_begins_at_the_word(start, t):
    found = lines(FOUR, {**NOD, "start": start})
    assert begun(found[:-1]) == [t]
    assert found[-1] == {"outcome": "SUCCEEDED", "t": max(4.0, t + 1.0)}


def test_the_order_in_the_document_is_of_no_account():
    found = lines({**NOD, "start": {"at": "four", "mark": "three"}}, FOUR)
    assert begun(found[:-1], "/behaviors/0") == [2.0]


def test_a_pause_of_the_player_moves_the_word():
    pause = {"type": "sequence", "behaviors": [
        {"type": "delay", "duration": 0.5}, {"type": "player", "action": "pause"},
        {"type": "delay", "duration": 2}, {"type": "player", "action": "resume"},
    ]}  # fmt: skip
    found = lines(FOUR, {**NOD, "start": {"at": "four", "mark": "two"}}, pause)
    assert begun(found[:-1]) == [3.0]


def test_each_iteration_listens_anew():
    both = {
        "type": "parallel",
        "behaviors": [FOUR, {**NOD, "start": {"at": "four", "mark": "three"}}],
        "loop": 2,
    }
    found = lines(both)
    assert begun(found[:-1], "/behaviors/0/behaviors/1") == [2.0, 6.0]


def test_a_sound_that_ends_before_its_word():
    stop_at = 1.0
    stop = {
        "type": "sequence",
        "behaviors": [{"type": "delay", "duration": stop_at}, {"type": "player", "action": "stop"}],
    }
    found = lines(FOUR, {**NOD, "start": {"at": "four", "mark": "four"}}, stop)
    assert begun(found[:-1]) == [stop_at]
    assert "MARK_NOT_HEARD" in [line.get("code") for line in found]


def test_a_sound_that_never_begins():
    choice = {"type": "selector", "behaviors": [{"type": "delay", "duration": 2}, FOUR]}
    found = lines(choice, {**NOD, "start": {"at": "four", "mark": "two"}})
    assert begun(found[:-1]) == [2.0]
    assert "MARK_NOT_HEARD" in [line.get("code") for line in found]


def test_a_word_that_is_not_there_is_waited_for_until_the_end():
    found = lines(FOUR, {**NOD, "start": {"at": "four", "mark": "fish"}})
    assert begun(found[:-1]) == [4.0]


def test_one_that_still_waits_is_halted_with_its_parallel():
    found = lines(
        FOUR, {**NOD, "start": {"at": "four", "mark": "four"}}, {"type": "delay", "duration": 1},
        successPolicy="SucceedOnOne",
    )  # fmt: skip
    assert begun(found[:-1]) == []
    assert found[-1]["t"] == 1.0


def test_channels_are_apart():
    song = {"type": "player", "action": "play", "url": "https://a.example/s.mp3", "channel": "music"}
    stop = {"type": "player", "action": "stop"}  # of the other channel
    text = json.dumps({"type": "parallel", "behaviors": [song, FOUR, stop]})
    found = list(dry_run(text, SKILLS, speech=4.0, media={"https://a.example/s.mp3": 9.0}))
    assert found[-1] == {"outcome": "SUCCEEDED", "t": 9.0}
    assert [line["t"] for line in found if line.get("message") == "stopped"] == [0.0]
