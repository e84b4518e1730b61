# SPDX-License-Identifier: Apache-2.0
"""``start``: reading, checking, writing; and the words that it counts."""

import json

import pytest

from embodiment_bridge import bml
from embodiment_bridge.bml.base.texts import place_at, place_of, words_of
from embodiment_bridge.bml.nodes.decorators import Guard
from embodiment_bridge.bml.nodes.sound import Player
from embodiment_bridge.bml.nodes.start import Start

SAY = {"type": "speak", "name": "hi", "content": "Look over there, a bird!"}
STEP = {"type": "delay", "duration": 1}


def beside(start, say=SAY):
    return json.dumps({"type": "parallel", "behaviors": [say, {**STEP, "start": start}]})


def codes(text, strict=True):
    result = bml.read(text, strict=strict)
    problems = list(result.problems)
    if result.document is not None:
        problems += bml.check(result.document, {}, speech=True)
    return [(problem.pointer, problem.code) for problem in problems]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ({"at": "hi"}, ("hi", "", 0.0)),
        ({"at": "hi", "mark": "there"}, ("hi", "there", 0.0)),
        ({"at": "hi", "mark": 4, "offset": 0.5}, ("hi", "4", 0.5)),
    ],
)
def test_a_start_is_read_and_comes_back(start, expected):
    result = bml.read(beside(start), strict=True)
    assert result.problems == []
    node = result.document.root.children[1]
    assert isinstance(node, Start)
    assert (node.at, node.mark, node.offset_s) == expected
    assert bml.read(bml.to_json(result.document), strict=True).document == result.document
    assert codes(beside(start)) == []


def test_the_condition_is_looked_at_when_the_word_has_come():
    text = beside({"at": "hi"}).replace('"delay"', '"delay", "condition": {"key": "a", "op": "exists"}')
    node = bml.read(text, strict=True).document.root.children[1]
    assert isinstance(node, Start)
    assert isinstance(node.child, Guard)


@pytest.mark.parametrize(
    ("start", "where", "code"),
    [
        ("there", "", "WRONG_TYPE"),
        ({}, "", "MISSING_KEY"),
        ({"at": ""}, "/at", "EMPTY_TEXT"),
        ({"at": 3}, "/at", "WRONG_TYPE"),
        ({"at": "hi", "mark": -1}, "/mark", "WRONG_TYPE"),
        ({"at": "hi", "mark": True}, "/mark", "WRONG_TYPE"),
        ({"at": "hi", "offset": -0.1}, "/offset", "OUT_OF_RANGE"),
        ({"at": "hi", "offset": 3601}, "/offset", "OUT_OF_RANGE"),
        ({"at": "hi", "word": "there"}, "/word", "UNKNOWN_KEY"),
        ({"at": "ho"}, "/at", "UNKNOWN_START"),
        ({"at": "hi", "mark": "fish"}, "/mark", "UNKNOWN_MARK"),
        ({"at": "hi", "mark": 5}, "/mark", "UNKNOWN_MARK"),
    ],
)
def test_a_bad_start_is_told_at_its_place(start, where, code):
    assert (f"/behaviors/1/start{where}", code) in codes(beside(start))


def test_elsewhere_it_would_wait_in_its_turn():
    text = json.dumps({"type": "sequence", "behaviors": [{**STEP, "start": {"at": "hi"}}, SAY]})
    assert codes(text) == [("/behaviors/0/start", "START_OUTSIDE_PARALLEL")]


def test_the_new_keys_of_a_player():
    play = {"type": "player", "action": "play", "url": "https://a.example/a.wav"}
    more = {"channel": "music", "fade": 0.5, "marks_url": "https://a.example/a.json", "content": "la la"}
    document = bml.read(json.dumps({**play, **more}), strict=True).document
    assert isinstance(document.root, Player)
    assert (document.root.channel, document.root.fade_s) == ("music", 0.5)
    assert json.loads(bml.to_json(document)) == {**play, **more}


@pytest.mark.parametrize("channel", ["2nd", "a b", "x" * 33, "a/b"])
def test_a_bad_channel(channel):
    assert codes(json.dumps({**SAY, "channel": channel})) == [("/channel", "BAD_CHANNEL")]


def test_a_marks_url_is_checked_as_any_other():
    play = {"type": "player", "action": "play", "url": "https://a.example/a.wav"}
    assert codes(json.dumps({**play, "marks_url": "http://169.254.169.254/x"})) == [
        ("/marks_url", "URL_REFUSED")
    ]


def test_two_channels_do_not_conflict():
    def both(first, second):
        players = [{"type": "speak", "content": "a", **one} for one in (first, second)]
        document = bml.read(json.dumps({"type": "parallel", "behaviors": players})).document
        return [warning.code for warning in bml.analyse(document, {}).warnings]

    assert both({}, {}) == ["CHANNEL_CONFLICT"]
    assert both({}, {"channel": "music"}) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Look over there, a bird!", ["Look", "over", "there", "a", "bird"]),
        ("it's well-known", ["it's", "well-known"]),
        ("你好，世界 hello", ["你", "好", "世", "界", "hello"]),
        ("...", []),
        ("", []),
    ],
)
def test_words(text, expected):
    words = words_of(text)
    assert [word.text for word in words] == expected
    assert [text[word.start : word.end] for word in words] == expected


def test_places():
    assert place_of("THERE", "Look over there, there") == 2
    assert place_of("3", "Look over there, there") == 3
    assert place_of("9" * 50, "a") is None
    assert place_at(words_of("a, b"), 1) == 1
    assert place_at(words_of("a, b"), 4) is None
