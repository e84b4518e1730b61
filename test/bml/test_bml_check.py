# SPDX-License-Identifier: Apache-2.0
"""Documents against a body."""

from dataclasses import replace

import pytest
from bml_documents import SKILLS, VALID, document

from embodiment_bridge.bml import UrlPolicy, check, read
from embodiment_bridge.body.state import ParameterInfo

RESET = {"type": "body", "action": "reset"}


def found(problems):
    return [(p.pointer, p.code, p.fatal) for p in problems]


def in_sequence(*nodes):
    return document({"type": "sequence", "behaviors": list(nodes)})


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.name)
def test_samples_fit_the_table(path):
    tree = read(path.read_bytes()).document
    expected = [("/behaviors/0", "UNRESOLVED_SPEAK", True)] if path.name.startswith("06") else []
    assert found(check(tree, SKILLS)) == expected
    assert check(tree, SKILLS, speech=True) == []


def test_unknown_action_names_the_nearest_one():
    problems = check(in_sequence(RESET, {"type": "body", "action": "head-shakes"}), SKILLS)
    assert found(problems) == [("/behaviors/1/action", "UNKNOWN_ACTION", True)]
    assert "unknown body action 'HEAD_SHAKES'; did you mean 'HEAD_SHAKE'?" in problems[0].message


def test_unknown_action_can_be_a_warning():
    problems = check(document({"type": "body", "action": "FLY"}), SKILLS, skip_unknown=True)
    assert found(problems) == [("/action", "UNKNOWN_ACTION", False)]


@pytest.mark.parametrize("action", ["STOP", "PAUSE", "RESUME"])
def test_actions_that_the_language_comments_out_are_the_tables_choice(action):
    tree = document({"type": "body", "action": action})
    assert found(check(tree, SKILLS)) == [("/action", "UNKNOWN_ACTION", True)]
    own = replace(SKILLS["reset"], name=action.lower())
    assert check(tree, {**SKILLS, own.name: own}) == []


@pytest.mark.parametrize("key", ["action", "emotion", "expression"])
def test_unknown_emotion_is_told_at_the_key_that_names_it(key):
    problems = check(document({"type": "emotion", key: "HAPPY"}), SKILLS)
    assert found(problems) == [(f"/{key}", "UNKNOWN_ACTION", True)]
    assert "emotion action" in problems[0].message


def test_lacking_channel_is_a_warning():
    skills = {**SKILLS, "hand_grip": replace(SKILLS["hand_grip"], available=False)}
    problems = check(in_sequence(RESET, {"type": "body", "action": "HAND_GRIP", "duration": 0.1}), skills)
    assert found(problems) == [("/behaviors/1/action", "MISSING_CHANNEL", False)]
    assert "hand_l, hand_r" in problems[0].message


@pytest.mark.parametrize(("duration", "too_short"), [(0, False), (0.29, True), (0.3, False), (5, False)])
def test_slot_shorter_than_the_motion(duration, too_short):
    problems = check(document({**RESET, "duration": duration}), SKILLS)
    assert found(problems) == ([("/duration", "SLOT_TOO_SHORT", False)] if too_short else [])


def test_target_must_be_a_name():
    stop = {"type": "stop", "target": "dance"}
    assert found(check(in_sequence(stop), SKILLS)) == [("/behaviors/0/target", "UNKNOWN_TARGET", False)]
    assert check(in_sequence({**RESET, "name": "dance"}, stop), SKILLS) == []


def test_urls_of_players_and_requests_are_checked():
    tree = in_sequence(
        {"type": "player", "action": "play", "url": "http://127.0.0.1/a"},
        {"type": "player", "action": "stop"},
        {"type": "request", "url": "http://user:secret@a.example/?token=secret"},
    )
    problems = check(tree, SKILLS)
    assert found(problems) == [
        ("/behaviors/0/url", "URL_REFUSED", True),
        ("/behaviors/2/url", "URL_REFUSED", True),
    ]
    assert "secret" not in problems[1].message
    assert found(check(tree, SKILLS, urls=UrlPolicy(trusted_hosts=frozenset({"127.0.0.1"}))))[:1] == [
        ("/behaviors/2/url", "URL_REFUSED", True)
    ]


def test_many_unknown_actions_are_told_soon():
    tree = in_sequence(*({"type": "body", "action": f"HEAD_{i}"} for i in range(999)))
    assert len(check(tree, SKILLS)) == 999


WALK = replace(
    SKILLS["step_forward"],
    name="walk",
    parameters=("distance", "text", "gait"),
    details=(
        ParameterInfo("distance", unit="m", minimum=-2.0, maximum=2.0),
        ParameterInfo("text", type="text", required=True),
        ParameterInfo("gait", type="text", choices=("slow", "fast")),
    ),
)


@pytest.mark.parametrize(
    ("parameters", "pointer", "code", "words"),
    [
        (
            {"text": "a", "distanse": 1},
            "/parameters/distanse",
            "UNKNOWN_PARAMETER",
            "did you mean 'distance'",
        ),
        ({"text": "a", "distance": 3}, "/parameters/distance", "BAD_PARAMETER", "a number within -2 to 2 m"),
        ({"text": "a", "distance": "far"}, "/parameters/distance", "BAD_PARAMETER", "'far'"),
        ({"text": "a", "gait": "odd"}, "/parameters/gait", "BAD_PARAMETER", "one of slow, fast"),
        ({"distance": 1}, "", "MISSING_PARAMETER", "WALK needs the parameter 'text'"),
    ],
)
def test_parameters_that_the_skill_does_not_take(parameters, pointer, code, words):
    tree = document({"type": "body", "action": "WALK", "parameters": parameters})
    problems = check(tree, {"walk": WALK})
    assert found(problems) == [(pointer, code, True)]
    assert words in problems[0].message


def test_parameters_that_it_takes():
    given = {"text": "a", "distance": 2, "gait": "slow"}
    assert check(document({"type": "body", "action": "WALK", "parameters": given}), {"walk": WALK}) == []


def test_of_a_body_that_gives_no_details_only_the_names_are_known():
    bare = replace(WALK, details=())
    far = document({"type": "body", "action": "WALK", "parameters": {"distance": 300}})
    assert check(far, {"walk": bare}) == []
    odd = document({"type": "body", "action": "WALK", "parameters": {"distanse": 3}})
    assert found(check(odd, {"walk": bare})) == [("/parameters/distanse", "UNKNOWN_PARAMETER", True)]
