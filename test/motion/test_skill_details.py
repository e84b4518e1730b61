# SPDX-License-Identifier: Apache-2.0
"""What a skill and its parameters say of themselves, from the body file to the message and back."""

from math import inf
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from motion_stage import SMALL_FILE

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.state import ParameterInfo, SkillInfo, SkillRequest
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.motion.skills.requests import parameters_of, skill_of
from embodiment_bridge.nodes.body.skill_server import skill_infos, skill_list

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
