# SPDX-License-Identifier: Apache-2.0
"""The sample documents, good and bad."""

import json

import pytest
from bml_documents import DATA, EXTENDED, INVALID, SKILLS, VALID, document, resolves

from embodiment_bridge.bml import analyse, check, read
from embodiment_bridge.bml.base.conditions import Compare, Group
from embodiment_bridge.bml.nodes.body import Body
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.decorators import Box
from embodiment_bridge.bml.nodes.leaves import Delay, Stop
from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Document, Node
from embodiment_bridge.bml.nodes.other_documents import Request
from embodiment_bridge.bml.nodes.sound import Player, Speak


def body(pointer: str, action: str, duration: float = 0.0, kind: str = "body", **more: str) -> Body:
    return Body(pointer=pointer, kind=kind, action=action, duration_s=duration, **more)


def play(pointer: str, url: str, **more: str | float) -> Player:
    return Player(pointer=pointer, action="play", url=url, **more)


def kind(pointer: str, name: str, *children: Node, one: bool = False, every: bool = False, label: str = ""):
    return Composite(
        pointer=pointer, kind=name, children=children, succeed_on_one=one, fail_on_all=every, name=label
    )


def colours(pointer: str) -> Loop:
    names = ("YELLOW", "RED", "BLUE", "GREEN")
    leaves = (body(f"{pointer}/behavior/behaviors/{i}", f"EYE_{n}", 1.0) for i, n in enumerate(names))
    return Loop(pointer=pointer, count=-1, child=kind(f"{pointer}/behavior", "sequence", *leaves))


def song_with_colours(root: str) -> Composite:
    at = f"{root}/behaviors"
    sounds = ("http://media.example/tts/ok.wav", "http://media.example/music/evening.mp3")
    song = kind(f"{at}/0", "sequence", *(play(f"{at}/0/behaviors/{i}", u) for i, u in enumerate(sounds)))
    lights = kind(f"{at}/1", "sequence", colours(f"{at}/1/behaviors/0"))
    return kind(root, "parallel", song, lights, one=True)


TREES = {
    "01_seed_play_music.json": kind(
        "",
        "sequence",
        play("/behaviors/0", "http://gxrobot.com/voice?id=AABBCCDDEEFFGGHHIIJJ.wav"),
        play("/behaviors/1", "http://gxrobot.com/music?id=BBCCDDEEFFGGHHIIJJKK.mp3"),
        Request(pointer="/behaviors/2", url="http://gxrobot.com/reqest?type=next"),
    ),
    "02_seed_body_steps.json": kind(
        "",
        "sequence",
        Loop(pointer="/behaviors/0", count=2, child=body("/behaviors/0", "STEP_FORWARD", 1.0)),
        body("/behaviors/1", "STEP_BACKWARD", 1.0),
        body("/behaviors/2", "RESET"),
    ),
    "03_seed_delay.json": Delay(pointer="", duration_s=2.0),
    "04_song_with_eye_colours.json": song_with_colours(""),
    "06_reply_speak_unprocessed.json": kind(
        "",
        "sequence",
        Speak(pointer="/behaviors/0", content="今天晴，最高气温二十五度。"),
        Loop(pointer="/behaviors/1", count=2, child=body("/behaviors/1", "EYE_WINK", 0.5)),
    ),
    "08_alarm_with_timeout.json": kind(
        "",
        "parallel",
        Loop(
            pointer="/behaviors/0",
            count=-1,
            child=play("/behaviors/0", "http://media.example/alarm.wav", volume=80.0),
        ),
        Loop(
            pointer="/behaviors/1",
            count=-1,
            child=kind(
                "/behaviors/1/behavior",
                "sequence",
                body("/behaviors/1/behavior/behaviors/0", "EYE_RED", 0.4),
                body("/behaviors/1/behavior/behaviors/1", "EYE_CLOSE", 0.4),
            ),
        ),
        kind(
            "/behaviors/2",
            "sequence",
            Delay(pointer="/behaviors/2/behaviors/0", duration_s=30.0),
            Stop(pointer="/behaviors/2/behaviors/1"),
        ),
        one=True,
        label="alarm",
    ),
    "09_fetch_story_with_fallback.json": kind(
        "",
        "selector",
        kind(
            "/behaviors/0",
            "parallel",
            Request(pointer="/behaviors/0/behaviors/0", url="http://cloud.example/story?n=1"),
            Delay(pointer="/behaviors/0/behaviors/1", duration_s=20.0, succeed=False),
            one=True,
            label="online story, counted as failed if longer than 20 s",
        ),
        Loop(
            pointer="/behaviors/1",
            name="retry",
            count=3,
            succeed_on_one=True,
            fail_on_all=True,
            child=kind(
                "/behaviors/1/behavior",
                "sequence",
                Delay(pointer="/behaviors/1/behavior/behaviors/0", duration_s=1.0),
                Request(pointer="/behaviors/1/behavior/behaviors/1", url="http://mirror.example/story?n=1"),
            ),
        ),
        kind(
            "/behaviors/2",
            "sequence",
            play("/behaviors/2/behaviors/0", "http://media.example/offline_story.mp3"),
            label="offline",
        ),
        one=True,
        every=True,
        label="story",
    ),
    "12_tolerated_spellings.json": kind(
        "",
        "sequence",
        kind(
            "/behaviors",
            "parallel",
            Loop(
                pointer="/behaviors/behaviors/0",
                count=2,
                child=body("/behaviors/behaviors/0", "STEP_FORWARD", 1.0),
            ),
            play("/behaviors/behaviors/1", "http://media.example/a.mp3"),
        ),
    ),
}
WARNINGS = {
    "04_song_with_eye_colours.json": [("/behaviors/1", "MISSING_TYPE")],
    "12_tolerated_spellings.json": [
        ("/type", "TYPE_SPELLING"),
        ("/behaviors", "OBJECT_CHILDREN"),
        ("/behaviors/type", "TYPE_SPELLING"),
        ("/behaviors/successPolicy", "POLICY_SPELLING"),
        ("/behaviors/behaviors/0/type", "TYPE_SPELLING"),
        ("/behaviors/behaviors/1/type", "TYPE_SPELLING"),
        ("/behaviors/behaviors/1/action", "ACTION_SPELLING"),
    ],
}


def found(problems):
    return [(p.pointer, p.code) for p in problems]


@pytest.mark.parametrize("name", TREES)
def test_sample_has_the_tree_written_by_hand(name):
    assert read((DATA / name).read_bytes()).document == Document(TREES[name])


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.name)
def test_valid_sample_reads_with_exactly_these_warnings(path):
    result = read(path.read_bytes())
    assert result.document is not None
    assert found(result.problems) == WARNINGS.get(path.name, [])
    assert not any(p.fatal for p in result.problems)


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.name)
def test_strict_reading_refuses_exactly_the_tolerated_forms(path):
    result = read(path.read_bytes(), strict=True)
    assert (result.document is None) == (path.name in WARNINGS)
    assert found(p for p in result.problems if p.fatal) == WARNINGS.get(path.name, [])


def test_envelope_is_opened_and_kept_as_metadata():
    result = read((DATA / "extended/e2_envelope.json").read_bytes())
    metadata = {"name": "music_demo", "req_time": "20180108101105", "suspendable": True}
    assert result.document == Document(song_with_colours("/action"), metadata)
    assert found(result.problems) == [
        ("", "ENVELOPE"),
        ("/suspendable", "BOOLEAN_SPELLING"),
        ("/action/behaviors/1", "MISSING_TYPE"),
    ]


def test_conditions_are_guards():
    result = read((DATA / "extended/e1_conditional.json").read_bytes(), strict=True)
    assert result.problems == []
    tired, touched, otherwise = result.document.root.children
    assert tired.condition == Compare("battery.percent", "<", 15)
    assert touched.condition == Group(
        "all", (Compare("touch.head", "==", True), Compare("mood", "!=", "sleepy"))
    )
    assert isinstance(otherwise, Delay)


def test_speech_marks_are_read():
    result = read((DATA / "extended/e3_speech_marks.json").read_bytes(), strict=True)
    assert result.problems == []
    assert result.document is not None
    later = result.document.root.children[1]
    assert (later.at, later.mark, later.offset_s) == ("s1", "there", 0.0)
    assert later.child.kind == "sequence"


# file -> what reading, checking and analysing find, and whether the document can be used
INVALID_SAMPLES = {
    "b01_unknown_type": [("/type", "UNKNOWN_TYPE", True)],
    "b02_no_type_leaf": [("", "MISSING_TYPE", True)],
    "b03_unknown_action": [("/action", "UNKNOWN_ACTION", True)],
    "b04_negative_duration": [("/duration", "OUT_OF_RANGE", True)],
    "b05_loop_minus_two": [("/loop", "OUT_OF_RANGE", True)],
    "b06_loop_and_repeat_differ": [("/repeat", "LOOP_AND_REPEAT", True)],
    "b07_both_child_keys": [
        ("", "BOTH_CHILD_KEYS", True),
        ("/behaviors", "EMPTY_COMPOSITE", False),
        ("/children", "EMPTY_COMPOSITE", False),
    ],
    "b08_loop_without_child": [("", "MISSING_KEY", True)],
    "b09_play_without_url": [("", "MISSING_KEY", True)],
    "b10_bad_policy": [("/successPolicy", "UNKNOWN_POLICY", True)],
    "b11_string_duration": [("/duration", "WRONG_TYPE", True)],
    "b12_file_url": [("/url", "URL_REFUSED", True)],
    "b13_metadata_url": [("/url", "URL_REFUSED", True)],
    "b14_two_errors": [
        ("/behaviors/0/duration", "OUT_OF_RANGE", True),
        ("/behaviors/1/action", "UNKNOWN_ACTION", True),
    ],
    "b15_unreachable": [
        ("/behaviors/0", "FOREVER_WITHOUT_EXIT", False),
        ("/behaviors/1", "UNREACHABLE", False),
    ],
    "b16_busy_forever": [("", "FOREVER_WITHOUT_EXIT", False), ("", "BUSY_FOREVER", False)],
    "b17_nan": [("/duration", "NOT_FINITE", True)],
    "b18_infinite": [("/duration", "NOT_FINITE", True)],
    "b19_duplicate_key": [("/duration", "DUPLICATE_KEY", True)],
    "b20_depth_301": [("", "TOO_DEEP", True)],
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("path", INVALID, ids=lambda p: p.stem)
def test_invalid_sample_is_told_at_its_place(path, strict):
    text = path.read_bytes()
    result = read(text, strict=strict)
    problems = result.problems
    if result.document is not None:
        problems += check(result.document, SKILLS) + analyse(result.document, SKILLS).warnings
    assert [(p.pointer, p.code, p.fatal) for p in problems] == INVALID_SAMPLES[path.stem]
    assert all(resolves(p.pointer, json.loads(text)) for p in problems)


def test_every_sample_is_in_a_table():
    assert {path.stem for path in INVALID} == set(INVALID_SAMPLES)
    assert len(VALID) == 12
    assert len(EXTENDED) == 3


def test_loop_goes_round_the_box_round_the_node():
    value = {"type": "sequence", "name": "n", "loop": 3, "duration": 5, "behaviors": [{"type": "stop"}]}
    inner = kind("", "sequence", Stop(pointer="/behaviors/0"), label="n")
    box = Box(pointer="", name="n", duration_s=5.0, child=inner)
    assert document(value).root == Loop(pointer="", name="n", count=3, child=box)


def test_duration_of_a_loop_is_that_of_one_iteration():
    value = {"type": "loop", "loop": 2, "duration": 5, "behavior": {"type": "delay", "duration": 1}}
    box = Box(pointer="", duration_s=5.0, child=Delay(pointer="/behavior", duration_s=1.0))
    assert document(value).root == Loop(pointer="", count=2, child=box)


@pytest.mark.parametrize(
    ("node", "is_box"),
    [
        ({"type": "player", "action": "play", "url": "http://a.example/a"}, True),
        ({"type": "request", "url": "http://a.example/a"}, True),
        ({"type": "speak", "content": "a"}, True),
        ({"type": "stop"}, True),
        ({"type": "parallel", "behaviors": []}, True),
        ({"type": "body", "action": "RESET"}, False),
        ({"type": "emotion", "action": "HAPPY"}, False),
        ({"type": "delay"}, False),
    ],
)
def test_duration_is_a_box_but_for_delay_and_body(node, is_box):
    root = document({**node, "duration": 2}).root
    assert isinstance(root, Box) == is_box
    assert root.duration_s == 2.0


def test_duration_zero_is_the_natural_length():
    root = document({"type": "player", "action": "pause", "duration": 0}).root
    assert root == Player(pointer="", action="pause")


def test_minus_zero_is_zero():
    assert str(document({"type": "player", "action": "setVolume", "volume": -0.0}).root.volume) == "0.0"
