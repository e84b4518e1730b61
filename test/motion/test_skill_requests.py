# SPDX-License-Identifier: Apache-2.0
"""Requests of skills: what is said of them, what is refused, and that a refusal changes nothing."""

import math
from math import inf
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from motion_stage import SMALL, SMALL_FILE, T1, MovedBody

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.state import ParameterInfo, SkillInfo, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.motion.skills import skill_table
from embodiment_bridge.motion.skills.requests import parameters_of, skill_of
from embodiment_bridge.nodes.body.skill_server import skill_infos, skill_list

WRONG = [
    (SMALL, "nodd", {}, 0.0, r"unknown skill 'nodd'; did you mean 'nod'\? \(known: .*bow.*wave"),
    (SMALL, "NOD", {}, 0.0, "unknown skill 'NOD'"),
    (SMALL, "grab", {}, 0.0, "skill 'grab' is done by body 'small' itself"),
    (SMALL, "nod", {"far": 1.0}, 0.0, r"unknown parameter of skill 'nod' 'far' \(known: none\)"),
    (SMALL, "nod", {}, -1.0, "slot of skill 'nod' is -1.0 s, not within 0..86400 s"),
    (SMALL, "nod", {}, math.nan, "slot of skill 'nod' is nan s"),
    (SMALL, "nod", {}, math.inf, "slot of skill 'nod' is inf s"),
    (T1, "step_forward", {"distanse": 0.1}, 0.0, "'distanse'; did you mean 'distance'"),
    (
        T1,
        "step_forward",
        {"distance": 9.0},
        0.0,
        "'distance' of skill 'step_forward' is 9.0, not within 0.03..5 m",
    ),
    (T1, "step_forward", {"distance": math.nan}, 0.0, "is nan, not within"),
    (T1, "step_forward", {"distance": "far"}, 0.0, "is 'far', not within"),
    (T1, "walk", {"distance": 1.0, "speed": -0.1}, 0.0, "distance 1 m cannot be walked at speed -0.1 m/s"),
    (T1, "walk", {"distance": 1.0, "speed": 0.0}, 0.0, "cannot be walked at speed 0"),
]


@pytest.mark.parametrize(("body", "name", "parameters", "slot", "message"), WRONG)
def test_wrong_request_is_refused_and_disturbs_nothing(body, name, parameters, slot, message) -> None:
    stage = MovedBody(body, settle=1.2)
    running = stage.start("reset", 5.0)
    with pytest.raises(CommandError, match=message):
        stage.runner.start(SkillRequest("new", name, parameters, slot))
    stage.run(0.5)
    assert stage.status(running) is SkillStatus.RUNNING
    assert stage.last("new") is None


def test_number_given_as_text_is_a_number() -> None:
    MovedBody(T1).runner.start(SkillRequest("a", "step_forward", {"distance": "0.2"}))


def test_id_that_is_running_is_refused() -> None:
    stage = MovedBody()
    stage.runner.start(SkillRequest("a", "nod"))
    with pytest.raises(CommandError, match="a skill with id 'a' is running"):
        stage.runner.start(SkillRequest("a", "bow"))
    assert stage.finish("a").status is SkillStatus.SUCCEEDED
    stage.runner.start(SkillRequest("a", "bow"))


def test_requests_are_refused_while_nobody_takes_reports() -> None:
    runner = MovedBody().runner
    for number in range(skill_table.PENDING_LIMIT // 2):  # each start also replaces the one before
        runner.start(SkillRequest(str(number), "nod"))
    runner.start(SkillRequest("last", "nod"))
    with pytest.raises(CommandError, match="reports wait to be taken"):
        runner.start(SkillRequest("one too many", "nod"))
    assert len(runner.take_reports()) >= skill_table.PENDING_LIMIT
    runner.start(SkillRequest("now", "nod"))


@pytest.mark.parametrize(("forward", "turn"), [(math.nan, 0.0), (0.0, math.inf)])
def test_velocity_must_be_finite(forward: float, turn: float) -> None:
    with pytest.raises(CommandError, match="is not finite"):
        MovedBody(T1).runner.set_velocity(forward, turn)


def test_body_without_gait_takes_no_velocity() -> None:
    with pytest.raises(CommandError, match="body 'small' does not walk"):
        MovedBody().runner.set_velocity(0.1, 0.0)


BODIES = sorted(Path(__file__).parents[2].joinpath("config", "bodies").glob("*.yaml"))
NATIVE = """
body: small
channels: [face]
skills:
  fetch:
    kind: native
    channels: [face]
    nominal_s: 1.0
    min_s: 0.0
    description: Bring something.
    parameters:
      what: {longest: 9, type: thing, required: true, description: What to bring.}
      text: {longest: 4, default: hey}
      speed: {range: [0.5, 2], unit: m/s, default: 1}
      times: {range: [1, 3]}
"""


def test_the_file_says_it() -> None:
    (fetch,) = parse_body(NATIVE, "small.yaml").skill_infos()
    assert fetch.description == "Bring something."
    assert fetch.details == (
        ParameterInfo("what", "What to bring. At most 9 characters.", "thing", required=True),
        ParameterInfo("text", "What to say. At most 4 characters.", "text", default="hey"),
        ParameterInfo(
            "speed",
            "Speed; negative is backward where the range allows it.",
            "number",
            "m/s",
            0.5,
            2.0,
            default="1",
        ),
        ParameterInfo("times", "", "number", "1", 1.0, 3.0),
    )


@pytest.mark.parametrize("path", BODIES, ids=lambda path: path.stem)
def test_every_skill_and_parameter_of_the_shipped_bodies_is_described(path: Path) -> None:
    infos = read_body(path).skill_infos()
    assert infos
    silent = [info.name for info in infos if not info.description]
    silent += [f"{info.name}.{one.name}" for info in infos for one in info.details if not one.description]
    assert silent == []
    for info in infos:
        assert tuple(one.name for one in info.details) == info.parameters
        assert all(
            one.unit and -inf < one.minimum < one.maximum < inf
            for one in info.details
            if one.type == "number"
        )


def test_the_message_brings_all_of_it() -> None:
    infos = parse_body(NATIVE, "small.yaml").skill_infos()
    message = skill_list("small", infos, Time())
    assert [one.name for one in message.skills[0].parameter_details] == list(message.skills[0].parameters)
    back = skill_infos(message)
    assert back == {"fetch": SkillInfo(**{name: getattr(infos[0], name) for name in SkillInfo.__slots__})}


def test_a_required_parameter_is_asked_for() -> None:
    body = parse_body(NATIVE, "small.yaml")
    skill = skill_of(body, SkillRequest("1", "fetch"), {"fetch"})
    with pytest.raises(CommandError, match="skill 'fetch' needs the parameter 'what'"):
        parameters_of(skill, {"speed": 1.0})
    assert parameters_of(skill, {"what": "cup"}) == {"what": "cup", "text": "hey", "speed": 1.0}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type: thing", "type: stuff", r"fetch.parameters.what.type: unknown value 'stuff'"),
        (
            "longest: 4, default: hey",
            "longest: 4, default: hey, required: true",
            "required: True is not left out",
        ),
        ("description: Bring something.", "description: 7", "fetch.description: 7 is not a text"),
    ],
)
def test_what_the_file_may_not_say(old: str, new: str, message: str) -> None:
    assert old in NATIVE
    with pytest.raises(ConfigError, match=message):
        parse_body(NATIVE.replace(old, new), "small.yaml")


def test_a_file_without_these_keys_is_as_before() -> None:
    assert all(
        info.parameters == tuple(one.name for one in info.details)
        for info in parse_body(SMALL_FILE, "small.yaml").skill_infos()
    )
