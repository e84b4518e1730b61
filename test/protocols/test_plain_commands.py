# SPDX-License-Identifier: Apache-2.0
"""Actions that depend on nothing but themselves: made-up ones from their topics to the wire."""

from dataclasses import dataclass

import pytest
from std_msgs.msg import ColorRGBA, Int32
from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.registry import Input, ProtocolSpec
from embodiment_bridge.protocols.soccer.command_writer import Written, writers
from embodiment_bridge.protocols.soccer.requests import Requests, makers


@dataclass(frozen=True)
class Wave:
    count: int


@dataclass(frozen=True)
class Jump:
    pass


@dataclass(frozen=True)
class Glow(Written):
    red: int

    def text(self):
        if self.red > 255:
            raise CommandError(f"Glow.red is {self.red}")
        return f"(light chest {self.red})"


def glow(message: ColorRGBA) -> Glow:
    return Glow(round(255 * message.r))


SPEC = ProtocolSpec(
    name="made_up",
    summary="a made-up protocol",
    codec="",
    converter="",
    parameters=(),
    outputs=(),
    inputs=(
        Input("say", "std_msgs.msg:String"),
        Input("wave", "std_msgs.msg:Int32", "Wave"),
        Input("glow", "std_msgs.msg:ColorRGBA", f"{__name__}:glow"),
    ),
    services=(Input("jump", "std_srvs.srv:Trigger", "Jump"),),
)
MAKERS = makers(SPEC, (Wave, Jump, Glow))


def number(name, value):
    if value < 0:
        raise CommandError(f"{name} is {value}")
    return f"{value:g}"


WRITERS = writers({Wave: "wave", Jump: "jump", Glow: "light"}, number)


def requests():
    return Requests(lambda text: [], lambda x, y, yaw: Jump(), MAKERS, lambda one: WRITERS[type(one)](one))


def test_text():
    assert WRITERS[Wave](Wave(3)) == "(wave 3)"
    assert WRITERS[Jump](Jump()) == "(jump)"
    with pytest.raises(CommandError, match=r"Wave\.count is -1"):
        WRITERS[Wave](Wave(-1))
    assert WRITERS[Glow](Glow(7)) == "(light chest 7)"


def test_messages_make_the_commands():
    assert sorted(MAKERS) == ["glow", "jump", "wave"]
    assert MAKERS["wave"](Int32(data=3)) == Wave(3)
    assert MAKERS["jump"](Trigger.Request()) == Jump()
    assert MAKERS["glow"](ColorRGBA(r=0.2, g=1.0)) == Glow(51)


def test_newest_of_each_kind_goes_into_the_next_frame():
    asked = requests()
    for name, message in (("wave", Int32(data=1)), ("jump", Trigger.Request()), ("wave", Int32(data=2))):
        assert asked.handle(name, message) == "sent"
    assert sorted(asked.next_actions(), key=repr) == [Jump(), Wave(2)]
    assert list(asked.next_actions()) == []


def test_refused_one_takes_no_frame_with_it():
    asked = requests()
    with pytest.raises(CommandError, match=r"Wave\.count is -1"):
        asked.handle("wave", Int32(data=-1))
    with pytest.raises(CommandError, match=r"Glow\.red is 510"):
        asked.handle("glow", ColorRGBA(r=2.0))
    assert list(asked.next_actions()) == []


def test_request_that_does_not_exist():
    with pytest.raises(CommandError, match=r"unknown request 'bow' \(known: beam, glow, jump, say, wave\)"):
        requests().handle("bow", Int32())
