# SPDX-License-Identifier: Apache-2.0
"""Documents written in Python are those written in JSON, and what is wrong with them is told when they are built."""

import json
import math
from pathlib import Path

import pytest
from bml_documents import VALID, extended_trees, leaves, other_leaves, setters, trees
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import embodiment_bridge.bml.authoring.builder as b
from embodiment_bridge.bml import UrlPolicy, read, to_data
from embodiment_bridge.bml.authoring.predicate import key

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
URL = "https://a.example/a"
WAIT = {"type": "delay", "duration": 1}
FIRST = {"successPolicy": "SucceedOnOne"}
RETRYING = {**FIRST, "failurePolicy": "FailOnAll"}
LOW = {"key": "battery", "op": "<", "value": 20}

PARTS = [
    (b.delay(1), WAIT),
    (b.delay(1, succeed=False), {**WAIT, "return": False}),
    (b.delay(1).named("n").loop(3), {**WAIT, "name": "n", "loop": 3}),
    (b.delay(1).forever(), {**WAIT, "loop": -1}),
    (b.delay(1).loop(2).loop(3), {"type": "loop", "loop": 3, "behavior": {**WAIT, "loop": 2}}),
    (b.body("HEAD_SHAKE", 2), {"type": "body", "action": "HEAD_SHAKE", "duration": 2}),
    (b.body("RESET", intensity=0.5), {"type": "body", "action": "RESET", "intensity": 0.5}),
    (
        b.body("WALK", parameters={"distance": 0.5}),
        {"type": "body", "action": "WALK", "parameters": {"distance": 0.5}},
    ),
    (b.emotion("HAPPY"), {"type": "emotion", "action": "HAPPY"}),
    (b.play(URL, volume=20), {"type": "player", "action": "play", "url": URL, "volume": 20}),
    (b.play(URL, content="c"), {"type": "player", "action": "play", "url": URL, "content": "c"}),
    (b.play(URL, channel="m", fade=2), {"type": "player", "action": "play", "url": URL, "channel": "m", "fade": 2}),
    (
        b.parallel(b.speak("a b").named("s"), b.body("RESET").starting("s", mark="b", offset=0.5)),
        {"type": "parallel", "behaviors": [
            {"type": "speak", "name": "s", "content": "a b"},
            {"type": "body", "action": "RESET", "start": {"at": "s", "mark": "b", "offset": 0.5}}]},
    ),
    (b.pause(), {"type": "player", "action": "pause"}),
    (b.resume(), {"type": "player", "action": "resume"}),
    (b.silence(), {"type": "player", "action": "stop"}),
    (b.volume(0), {"type": "player", "action": "setVolume", "volume": 0}),
    (b.speak("hi", voice="v", rate=2), {"type": "speak", "content": "hi", "voice": "v", "rate": 2}),
    (b.request(URL), {"type": "request", "url": URL}),
    (b.stop(), {"type": "stop"}),
    (b.stop("n"), {"type": "stop", "target": "n"}),
    (b.put("k", None), {"type": "set", "key": "k", "value": None}),
    (b.sequence(), {"type": "sequence", "behaviors": []}),
    (b.sequence(b.delay(1)).box(4), {"type": "sequence", "behaviors": [WAIT], "duration": 4}),
    (b.delay(1).retry(2), {**WAIT, "retry": 2}),
    (b.selector(b.delay(1)).timeout(4), {"type": "selector", "behaviors": [WAIT], "timeout": 4}),
    (b.parallel(b.delay(1)).first_wins(), {"type": "parallel", "behaviors": [WAIT], **FIRST}),
    (b.loop(3, b.delay(1)).retrying(), {"type": "loop", "loop": 3, "behavior": WAIT, **RETRYING}),
    (b.sequence(b.delay(1)).afterwards(b.delay(1)), {"type": "sequence", "behaviors": [WAIT], "finally": WAIT}),
    (b.delay(1).when(key("battery") < 20), {**WAIT, "condition": LOW}),
    (
        b.node("sequence", behaviors=[b.delay(1)], **{"finally": b.delay(1)}),
        {"type": "sequence", "behaviors": [WAIT], "finally": WAIT},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("part", "value"), PARTS)
def test_part(part, value):
    assert to_data(part.build()) == value
    assert json.loads(part.to_json()) == value
    assert to_data(b.from_json(json.dumps(value)).build()) == value


CONDITIONS = [
    (key("a") == 1, {"key": "a", "op": "==", "value": 1}),
    (key("a") != "x", {"key": "a", "op": "!=", "value": "x"}),
    (key("a") <= 1, {"key": "a", "op": "<=", "value": 1}),
    (key("a") > 1, {"key": "a", "op": ">", "value": 1}),
    (key("a") >= 1, {"key": "a", "op": ">=", "value": 1}),
    (key("a").among(1, "x"), {"key": "a", "op": "in", "value": [1, "x"]}),
    (~key("a").exists(), {"not": {"key": "a", "op": "exists", "value": True}}),
    ((key("battery") < 20) & (key("battery") < 20), {"all": [LOW, LOW]}),
    ((key("battery") < 20) | (key("battery") < 20), {"any": [LOW, LOW]}),
]


@pytest.mark.parametrize(("condition", "value"), CONDITIONS)
def test_condition(condition, value):
    assert to_data(b.delay(1).when(condition).build())["condition"] == value


def test_a_condition_has_no_truth_value():
    with pytest.raises(TypeError, match="join conditions"):
        bool(key("a") == 1)


BAD = [
    (b.delay(math.nan), "/duration: NOT_FINITE"),
    (b.sequence(b.delay(1), b.delay(-1), b.speak("")), "/behaviors/1/duration: OUT_OF_RANGE"),
    (b.delay(1).having(colour="red"), "/colour: UNKNOWN_KEY"),
    (b.put("k", {1, 2}), "WRONG_TYPE"),
]


@pytest.mark.parametrize(("part", "text"), BAD)
def test_what_is_wrong_is_told_at_its_place(part, text):
    with pytest.raises(b.BuildError, match=text):
        part.build()


def test_all_problems_are_told():
    with pytest.raises(b.BuildError) as caught:
        b.sequence(b.delay(-1), b.speak("")).build()
    assert [p.pointer for p in caught.value.problems] == ["/behaviors/0/duration", "/behaviors/1/content"]


def test_ever_deeper_parts_are_refused():
    part = b.delay(1)
    for _ in range(5000):
        part = b.sequence(part)
    with pytest.raises(b.BuildError, match="TOO_DEEP"):
        part.build()


def test_urls_and_skills_are_checked_when_given():
    with pytest.raises(b.BuildError, match="URL_REFUSED"):
        b.request("http://127.0.0.1/").build(urls=UrlPolicy())
    b.sequence(b.body("DANCE"), b.request(URL)).build(urls=UrlPolicy())
    with pytest.raises(b.BuildError, match="UNKNOWN_ACTION"):
        b.body("DANCE").build(skills={})


def test_parts_can_be_used_again():
    step = b.body("STEP_FORWARD", 1)
    assert step.loop(2).data != step.data
    assert to_data(b.sequence(step, step).build())["behaviors"] == [dict(step.data)] * 2


def test_envelope():
    document = b.delay(1).build(metadata={"suspendable": True})
    assert to_data(document) == {"suspendable": True, "action": WAIT}


def test_subtree():
    text = b.subtree("greet", who="you").to_json(subtrees={"greet": '{"type":"speak","content":"${who}"}'})
    assert json.loads(text) == {"type": "subtree", "ref": "greet", "args": {"who": "you"}}


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.name)
def test_samples_come_back(path):
    document = read(path.read_bytes()).document
    assert to_data(b.from_document(document).build()) == to_data(type(document)(document.root))


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(trees(leaves() | other_leaves()) | extended_trees(leaves() | other_leaves() | setters()))
def test_any_document_comes_back(value):
    document = read(json.dumps(value).replace('"children"', '"behaviors"'), strict=True).document
    assert b.from_document(document).build().root == document.root


PIECES = st.recursive(
    st.sampled_from([b.delay(1), b.body("RESET", 1), b.request(URL), b.stop("n"), b.speak("hi")]),
    lambda inner: st.builds(
        lambda make, parts, shape: shape(make(*parts)),
        st.sampled_from([b.sequence, b.selector, b.parallel]),
        st.lists(inner, max_size=4),
        st.sampled_from([
            lambda p: p, lambda p: p.named("n"), lambda p: p.loop(2), b.forever, lambda p: p.first_wins(),
            lambda p: p.box(3), lambda p: p.timeout(2).afterwards(b.delay(0)), lambda p: p.loop(2).loop(3),
        ]),
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=100, deadline=None, suppress_health_check=SLOW)
@given(PIECES)
def test_whatever_is_put_together_is_read_and_comes_back(part):
    document = part.build()
    assert b.from_document(document).build() == document
    assert part.to_json() == part.to_json()


EXAMPLES = sorted((Path(__file__).parents[2] / "docs/examples/builder").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, capsys):
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    assert read(capsys.readouterr().out, strict=True).document is not None


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


def test_problems_of_the_text_and_of_the_body_are_told_at_once() -> None:
    with pytest.raises(b.BuildError) as caught:
        b.sequence(b.body("FLY"), b.delay(-1.0)).build(skills={})
    assert [problem.code for problem in caught.value.problems] == ["OUT_OF_RANGE", "UNKNOWN_ACTION"]
