# SPDX-License-Identifier: Apache-2.0
"""Which channels the documents of a source may drive: the table, and what is refused at which pointer."""

import json

import pytest

from embodiment_bridge.behaviour.engine.loading import Rejected, Rules, load
from embodiment_bridge.bml import read
from embodiment_bridge.bml.rules.operator_rules import (
    EVERYTHING,
    allowed_fetched,
    allowed_to,
    check_channels,
    parse_table,
)
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError

SKILLS = {
    "step_forward": SkillInfo("step_forward", "walk", ("legs",), 1.0, 0.5),
    "eye_red": SkillInfo("eye_red", "light", ("eyes",), 0.0, 0.0),
    "reset": SkillInfo("reset", "motion", ("eyes", "head", "legs"), 1.0, 0.5),
    "hand_grip": SkillInfo("hand_grip", "motion", ("hand_l",), 1.0, 0.5, available=False),
}
STEP = {"type": "body", "action": "STEP_FORWARD"}
EYES = {"type": "body", "action": "EYE_RED"}
PLAY = {"type": "player", "action": "play", "url": "https://a.example/a.wav"}


def refused(value, *entries, source="cloud"):
    found = check_channels(read(json.dumps(value)).document, SKILLS, allowed_to(parse_table(entries), source))
    assert all(problem.fatal and problem.code == "CHANNEL_NOT_ALLOWED" for problem in found)
    return [problem.pointer for problem in found]


def test_a_denied_channel_is_refused_where_it_is_used():
    root = {"type": "sequence", "behaviors": [EYES, STEP, {"type": "loop", "loop": 2, "behavior": STEP}]}
    assert refused(root, "cloud=-legs") == ["/behaviors/1/action", "/behaviors/2/behavior/action"]


def test_the_refusal_names_action_channel_source_and_parameter():
    (problem,) = check_channels(
        read(json.dumps(STEP)).document, SKILLS, allowed_to(parse_table(["cloud=-legs"]), "cloud")
    )
    assert problem.message == "STEP_FORWARD drives legs, which 'cloud' may not (parameter source_channels)"


@pytest.mark.parametrize(
    ("value", "entries", "source", "pointers"),
    [
        (STEP, (), "cloud", []),
        (STEP, ("cloud=-legs",), "desk", []),
        (STEP, ("*=-legs",), "desk", ["/action"]),
        (STEP, ("*=-legs", "desk=legs"), "desk", []),
        (STEP, ("topic bml=eyes, head",), "topic bml", ["/action"]),
        (EYES, ("cloud=eyes,audio",), "cloud", []),
        (PLAY, ("cloud=eyes",), "cloud", ["/type"]),
        (PLAY, ("cloud=-legs",), "cloud", []),
        ({"type": "speak", "content": "hi"}, ("cloud=-audio",), "cloud", ["/type"]),
        ({"type": "player", "action": "stop"}, ("cloud=-audio",), "cloud", ["/type"]),
        ({"type": "body", "action": "RESET"}, ("cloud=-legs",), "cloud", ["/action"]),
        (
            {"type": "body", "action": "HAND_GRIP"},
            ("cloud=-hand_l",),
            "cloud",
            ["/action"],
        ),  # also where it is missing
        (STEP, ("cloud=",), "cloud", ["/action"]),
        ({"type": "delay", "duration": 1}, ("cloud=",), "cloud", []),
        (STEP, ("a=b=-legs",), "a=b", ["/action"]),
    ],
)
def test_table(value, entries, source, pointers):
    assert refused(value, *entries, source=source) == pointers


def test_what_was_fetched_may_what_both_may():
    table = parse_table(["fetched=-legs", "cloud=legs,eyes", "desk=legs"])
    assert allowed_fetched(table, "cloud").channels == {"eyes"}
    assert allowed_fetched(table, "desk").channels == frozenset()
    assert allowed_fetched(table, "other").channels == EVERYTHING - {"legs"}
    assert allowed_fetched(parse_table(["cloud=eyes"]), "cloud").channels == {"eyes"}
    assert allowed_fetched({}, "cloud") is None


def test_a_document_with_it_is_rejected_as_a_whole():
    rules = Rules(SKILLS, allowed=allowed_to(parse_table(["cloud=-legs"]), "cloud"))
    text = json.dumps({"type": "sequence", "behaviors": [EYES, STEP]})
    with pytest.raises(Rejected) as caught:
        load(text, rules, speech=True)
    assert [problem.pointer for problem in caught.value.problems] == ["/behaviors/1/action"]
    load(text, rules.of_fetched, speech=True)  # no rule for those: as before


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        (["legs"], "is not one more"),
        (["=legs"], "is not one more"),
        (["a=legs", "a=eyes"], "is not one more"),
        (["a=legz"], "did you mean 'legs'"),
        (["a=-legs,eyes"], "all channels have a '-'"),
    ],
)
def test_bad_entries(entries, text):
    with pytest.raises(ConfigError, match="parameter source_channels") as caught:
        parse_table(entries)
    assert text in str(caught.value)


def test_a_client_of_a_kind_of_source_may_what_the_kind_may():
    table = parse_table(["mcp=head", "mcp/7=legs", "*=eyes"])
    assert allowed_to(table, "mcp/4711").channels == {"head"}
    assert allowed_to(table, "mcp/7").channels == {"legs"}
    assert allowed_to(table, "other/1").channels == {"eyes"}
