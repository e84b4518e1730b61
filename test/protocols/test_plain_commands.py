# SPDX-License-Identifier: Apache-2.0
"""Commands that need no code: a made-up one from its topic to the wire."""

import math
from dataclasses import dataclass

import pytest
from embodiment_bridge.srv import Beam
from std_msgs.msg import Int32
from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.soccer.plain_commands import made_of, plain_inputs, plain_writer
from embodiment_bridge.protocols.soccer.requests import Requests
from embodiment_bridge.protocols.spec import Input, ProtocolSpec


@dataclass(frozen=True)
class Wave:
    count: int


@dataclass(frozen=True)
class Jump:
    pass


SPEC = ProtocolSpec(
    name="made_up",
    summary="a made-up protocol",
    codec="",
    converter="",
    parameters=(),
    outputs=(),
    inputs=(Input("say", "std_msgs.msg:String"), Input("wave", "std_msgs.msg:Int32", "Wave")),
    services=(Input("jump", "std_srvs.srv:Trigger", "Jump"),),
)
PLAIN = plain_inputs(SPEC, (Wave, Jump))


def number(name, value):
    if value < 0:
        raise CommandError(f"{name} is {value}")
    return f"{value:g}"


WRITERS = {kind: plain_writer(kind, kind.__name__.lower(), number) for kind in (Wave, Jump)}


def requests():
    return Requests(lambda text: [], lambda x, y, yaw: Jump(), PLAIN, lambda one: WRITERS[type(one)](one))


def test_text():
    assert WRITERS[Wave](Wave(3)) == "(wave 3)"
    assert WRITERS[Jump](Jump()) == "(jump)"
    with pytest.raises(CommandError, match=r"Wave\.count is -1"):
        WRITERS[Wave](Wave(-1))


def test_values_of_a_message_make_the_command():
    assert {"wave": Wave, "jump": Jump} == PLAIN
    assert made_of(Int32(data=3), Wave) == Wave(3)
    assert made_of(Trigger.Request(), Jump) == Jump()
    assert made_of(Beam.Request(x=1.0, theta=math.pi), lambda *values: values) == (1.0, 0.0, math.pi)


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
    assert list(asked.next_actions()) == []


def test_request_that_does_not_exist():
    with pytest.raises(CommandError, match=r"unknown request 'bow' \(known: beam, jump, say, wave\)"):
        requests().handle("bow", Int32())
