# SPDX-License-Identifier: Apache-2.0
"""Every tolerated form: tolerant reading rewrites it and warns at its place, strict reading refuses it there."""

import json
import re

import pytest
from bml_documents import document

from embodiment_bridge.bml import read

STEP = {"type": "body", "action": "STEP_FORWARD"}
WAIT = {"type": "delay", "duration": 1}
PLAY = {"type": "player", "action": "play", "url": "http://a.example/a"}


def tolerated(given, pointer, code, same_as, label=None):
    """``same_as`` is the canonical document that the given one means (pointers aside)."""
    return pytest.param(given, pointer, code, same_as, id=label or f"{code}:{json.dumps(given)[:40]}")


def in_sequence(*nodes):
    return {"type": "sequence", "behaviors": list(nodes)}


FORMS = [
    # How often: one meaning for loop and repeat (the total), 0 is no loop, a loop without a count is one.
    tolerated({**STEP, "loop": 0}, "/loop", "LOOP_ZERO", STEP),
    tolerated({**STEP, "repeat": 0}, "/repeat", "LOOP_ZERO", STEP),
    tolerated({**STEP, "loop": 2, "repeat": 2}, "/repeat", "LOOP_AND_REPEAT", {**STEP, "loop": 2}),
    tolerated(
        {"type": "loop", "behavior": WAIT}, "", "LOOP_MISSING", {"type": "loop", "loop": 1, "behavior": WAIT}
    ),
    tolerated(
        {"type": "loop", "repeat": 3, "behavior": WAIT},
        "/repeat",
        "ALIAS_KEY",
        {"type": "loop", "loop": 3, "behavior": WAIT},
    ),
    # Children in an object.
    tolerated({"type": "sequence", "behaviors": STEP}, "/behaviors", "OBJECT_CHILDREN", in_sequence(STEP)),
    tolerated(
        {"type": "sequence", "children": {"a/b": STEP, "w": {**WAIT, "name": "own"}}},
        "/children",
        "OBJECT_CHILDREN",
        in_sequence({**STEP, "name": "a/b"}, {**WAIT, "name": "own"}),
    ),
    tolerated(
        {"type": "sequence", "behaviors": {"behavior": WAIT, "type": "loop", "loop": 2}},
        "/behaviors",
        "OBJECT_CHILDREN",
        in_sequence({"type": "loop", "loop": 2, "behavior": WAIT}),
    ),
    tolerated(
        {"type": "loop", "loop": 2, "behaviors": [WAIT, STEP]},
        "/behaviors",
        "LOOP_CHILDREN",
        {"type": "loop", "loop": 2, "behavior": in_sequence(WAIT, STEP)},
    ),
    tolerated(
        {"type": "loop", "loop": 2, "children": [WAIT]},
        "/children",
        "LOOP_CHILDREN",
        {"type": "loop", "loop": 2, "behavior": in_sequence(WAIT)},
    ),
    # A missing type.
    tolerated({"behaviors": [WAIT]}, "", "MISSING_TYPE", in_sequence(WAIT)),
    tolerated({"children": [WAIT]}, "", "MISSING_TYPE", in_sequence(WAIT)),
    tolerated(
        {"behavior": WAIT, "loop": 2}, "", "MISSING_TYPE", {"type": "loop", "loop": 2, "behavior": WAIT}
    ),
    # Spellings of types.
    *(
        tolerated({**in_sequence(WAIT), "type": word}, "/type", "TYPE_SPELLING", in_sequence(WAIT))
        for word in ("Sequence", "SequenceBehavior", "SequenceBeahvior", "SEQUENCEBEHAVIOUR")
    ),
    *(
        tolerated(
            {"type": word, "behaviors": [WAIT]},
            "/type",
            "TYPE_SPELLING",
            {"type": "selector", "behaviors": [WAIT]},
        )
        for word in ("ConditionalBehavior", "conditional", "Selector")
    ),
    tolerated({**STEP, "type": "BodyBehavior"}, "/type", "TYPE_SPELLING", STEP),
    tolerated({"type": "StopBehavior"}, "/type", "TYPE_SPELLING", {"type": "stop"}),
    *(
        tolerated({**WAIT, "type": word}, "/type", "TYPE_SPELLING", WAIT)
        for word in ("wait", "sleep", "DelayBehavior")
    ),
    *(
        tolerated({"type": word, "url": PLAY["url"]}, "/type", "TYPE_SPELLING", PLAY)
        for word in ("play", "PlayBehavior")
    ),
    tolerated(
        {"type": "play", "action": "pause"}, "/type", "TYPE_SPELLING", {"type": "player", "action": "pause"}
    ),
    *(
        tolerated(
            {"type": word, "content": "hi"}, "/type", "TYPE_SPELLING", {"type": "speak", "content": "hi"}
        )
        for word in ("tts", "say", "SpeakBehavior")
    ),
    # Spellings of policies and actions.
    *(
        tolerated(
            {"type": "parallel", "behaviors": [WAIT], "successPolicy": word},
            "/successPolicy",
            "POLICY_SPELLING",
            {"type": "parallel", "behaviors": [WAIT], "successPolicy": "SucceedOnOne"},
        )
        for word in ("succeedonone", "SuccessOnOne", "SUCCEEDONONE")
    ),
    *(
        tolerated(
            {"type": "parallel", "behaviors": [WAIT], "failurePolicy": word},
            "/failurePolicy",
            "POLICY_SPELLING",
            {"type": "parallel", "behaviors": [WAIT], "failurePolicy": "FailOnAll"},
        )
        for word in ("failonall", "FailureOnAll")
    ),
    *(
        tolerated({**STEP, "action": word}, "/action", "ACTION_SPELLING", STEP)
        for word in ("step-forward", "Step Forward", r"STEP\_FORWARD")
    ),
    tolerated({**PLAY, "action": "Play"}, "/action", "ACTION_SPELLING", PLAY),
    *(
        tolerated(
            {"type": "player", "action": word, "volume": 20},
            "/action",
            "ACTION_SPELLING",
            {"type": "player", "action": "setVolume", "volume": 20},
        )
        for word in ("set_volume", "set-volume", "SETVOLUME")
    ),
    # Other words for keys.
    *(
        tolerated(
            {"type": "emotion", word: "HAPPY"},
            f"/{word}",
            "ALIAS_KEY",
            {"type": "emotion", "action": "HAPPY"},
        )
        for word in ("emotion", "expression")
    ),
    tolerated({"type": "speak", "text": "hi"}, "/text", "ALIAS_KEY", {"type": "speak", "content": "hi"}),
    # Values.
    *(
        tolerated({**WAIT, "return": word}, "/return", "BOOLEAN_SPELLING", {**WAIT, "return": meaning})
        for word, meaning in ((1, True), (0, False), ("true", True), ("False", False), ("1", True))
    ),
    tolerated({"type": "delay"}, "", "DURATION_MISSING", {"type": "delay", "duration": 0}),
]


@pytest.mark.parametrize(("given", "pointer", "code", "same_as"), FORMS)
def test_tolerated_form(given, pointer, code, same_as):
    text = json.dumps(given)
    tolerant, strict = read(text), read(text, strict=True)
    assert [(p.pointer, p.code, p.fatal) for p in tolerant.problems] == [(pointer, code, False)]
    assert without_pointers(tolerant.document) == without_pointers(document(same_as, strict=True))
    assert (pointer, code, True) in [(p.pointer, p.code, p.fatal) for p in strict.problems]
    assert strict.document is None


def without_pointers(tree):
    """What a document means: the text of its nodes but for the pointers, which follow the given form."""
    return re.sub(r"pointer='[^']*', |action_key='[^']*'", "", repr(tree.root))


def test_keys_of_an_object_of_children_are_steps_of_pointers():
    root = document({"type": "sequence", "behaviors": {"a/b~c": STEP}}).root
    assert root.children[0].pointer == "/behaviors/a~1b~0c"
    assert root.children[0].name == "a/b~c"


def test_children_in_an_object_keep_the_order_of_the_text():
    value = {"type": "sequence", "behaviors": {name: {"type": "stop"} for name in "zayb"}}
    assert [child.name for child in document(value).root.children] == list("zayb")


@pytest.mark.parametrize("action", ["step_forward", "Step_Forward", "STEP_FORWARD"])
def test_case_of_a_body_action_is_free_in_either_mode(action):
    assert document({**STEP, "action": action}, strict=True).root.action == "STEP_FORWARD"


def test_unknown_key_is_kept():
    result = read(json.dumps({**STEP, "colour": [1]}))
    assert [(p.pointer, p.code, p.fatal) for p in result.problems] == [("/colour", "UNKNOWN_KEY", False)]
    assert result.document.root.extra == {"colour": [1]}
    assert read(json.dumps({**STEP, "colour": [1]}), strict=True).document is None


def test_unknown_key_names_the_nearest_one():
    problem = read(json.dumps({**WAIT, "retrun": False})).problems[0]
    assert "did you mean 'return'" in problem.message


@pytest.mark.parametrize("key", ["reactive", "random", "weights"])
def test_key_of_a_selector_is_unknown_elsewhere(key):
    result = read(json.dumps({**PLAY, key: 1}))
    assert [(p.pointer, p.code) for p in result.problems] == [(f"/{key}", "UNKNOWN_KEY")]


@pytest.mark.parametrize("strict", [False, True])
def test_a_clean_up_where_there_can_be_none_is_an_error(strict):
    result = read(json.dumps({**STEP, "finally": WAIT}), strict=strict)
    found = [(p.pointer, p.code, p.fatal) for p in result.problems]
    assert found == [("/finally", "UNSUPPORTED_EXTENSION", True)]


@pytest.mark.parametrize("version", ["1", "1.0"])
def test_known_version_is_kept_as_metadata(version):
    result = read(json.dumps({**WAIT, "version": version}), strict=True)
    assert result.problems == []
    assert result.document.metadata == {"version": version}


@pytest.mark.parametrize("version", ["2.0", 1.0, None, [1]])
def test_other_version_is_doubtful(version):
    text = json.dumps({**WAIT, "version": version})
    assert [(p.pointer, p.code) for p in read(text).problems] == [("/version", "UNSUPPORTED_VERSION")]
    assert read(text).document is not None
    assert read(text, strict=True).document is None


def test_version_below_the_root_is_an_unknown_key():
    result = read(json.dumps(in_sequence({**WAIT, "version": "1.0"})))
    assert [(p.pointer, p.code) for p in result.problems] == [("/behaviors/0/version", "UNKNOWN_KEY")]


def test_unknown_key_of_an_envelope_is_kept():
    result = read(json.dumps({"action": WAIT, "ip": "1.2.3.4", "mood": 3, "version": "1.0"}))
    assert [(p.pointer, p.code) for p in result.problems] == [("", "ENVELOPE"), ("/mood", "UNKNOWN_KEY")]
    assert result.document.metadata == {"ip": "1.2.3.4", "mood": 3, "version": "1.0"}


# Doubtful in either mode, fatal in none.
DOUBTS = [
    (
        {"type": "selector", "behaviors": [WAIT], "successPolicy": "SucceedOnAll"},
        "/successPolicy",
        "SELECTOR_POLICY",
    ),
    (
        {"type": "selector", "behaviors": [WAIT], "failurePolicy": "FailOnOne"},
        "/failurePolicy",
        "SELECTOR_POLICY",
    ),
    ({**PLAY, "volume": 0.5}, "/volume", "VOLUME_SCALE"),
    ({**PLAY, "volume": 1}, "/volume", "VOLUME_SCALE"),
    ({"type": "sequence", "behaviors": []}, "/behaviors", "EMPTY_COMPOSITE"),
    ({"type": "selector", "children": []}, "/children", "EMPTY_COMPOSITE"),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("given", "pointer", "code"), DOUBTS)
def test_doubtful_form(given, pointer, code, strict):
    result = read(json.dumps(given), strict=strict)
    assert [(p.pointer, p.code, p.fatal) for p in result.problems] == [(pointer, code, False)]
    assert result.document is not None


@pytest.mark.parametrize(
    "given",
    [
        {
            "type": "selector",
            "behaviors": [WAIT],
            "successPolicy": "SucceedOnOne",
            "failurePolicy": "FailOnAll",
        },
        {**PLAY, "volume": 0},
        {**PLAY, "volume": 1.5},
        {**PLAY, "content": "a song"},
    ],
)
def test_nothing_doubtful(given):
    assert read(json.dumps(given), strict=True).problems == []


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("sequence", {}, (False, False)),
        ("parallel", {}, (False, False)),
        ("selector", {}, (True, True)),
        ("selector", {"successPolicy": "SucceedOnAll"}, (False, True)),
        ("selector", {"failurePolicy": "FailOnOne"}, (True, False)),
        ("sequence", {"successPolicy": "SucceedOnOne", "failurePolicy": "FailOnAll"}, (True, True)),
    ],
)
def test_policies_are_filled_in_per_kind(kind, given, expected):
    root = document({"type": kind, "behaviors": [WAIT], **given}).root
    assert (root.succeed_on_one, root.fail_on_all) == expected


def test_volume_in_units_becomes_percent_without_guessing():
    text = json.dumps({**PLAY, "volume": 0.25})
    assert read(text, volume_scale="unit").document.root.volume == 25.0
    assert read(text, volume_scale="unit").problems == []
    assert read(text).document.root.volume == 0.25
    problems = read(json.dumps({**PLAY, "volume": 30}), volume_scale="unit").problems
    assert [(p.pointer, p.code) for p in problems] == [("/volume", "OUT_OF_RANGE")]


def test_unknown_volume_scale_is_the_callers_mistake():
    with pytest.raises(ValueError, match=r"volume scale 'db'.*percent, unit"):
        read("{}", volume_scale="db")
