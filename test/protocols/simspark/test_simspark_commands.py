# SPDX-License-Identifier: Apache-2.0
"""Commands to bytes: each of them, and each way in which one cannot be sent."""

import math

import pytest

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.protocols.simspark.codec import (
    Beam,
    Codec,
    Frame,
    Hinge,
    Init,
    Pass,
    Say,
    Scene,
    Syn,
    Universal,
)
from embodiment_bridge.protocols.simspark.robots import ROBOTS
from embodiment_bridge.wire.codec import Unknown

COMMANDS = {
    "(scene rsg/agent/nao/nao.rsg)": Scene("rsg/agent/nao/nao.rsg"),
    "(scene rsg/agent/nao/nao_hetero.rsg 4)": Scene("rsg/agent/nao/nao_hetero.rsg", ("4",)),
    "(init (unum 1)(teamname alpha))": Init(1, "alpha"),
    "(lae3 1.25)": Hinge("lae3", 1.25),
    "(he1 -0)": Hinge("he1", -0.0),
    "(lae1_2 1 -0.5)": Universal("lae1_2", 1.0, -0.5),
    "(beam -3 0.5 90)": Beam(-3.0, 0.5, 90.0),
    "(say hello_from_a1)": Say("hello_from_a1"),
    "(say 12345678901234567890)": Say("12345678901234567890"),
    "(pass)": Pass(),
    "(syn)": Syn(),
    "(he1 0.1)(say hi)(syn)": Frame((Hinge("he1", 0.1), Say("hi"), Syn())),
}
REFUSED = (
    (Say("123456789012345678901"), "1 to 20"),
    (Say(""), "1 to 20"),
    (Say("two words"), "' '"),
    (Say("a(b"), "'\\('"),
    (Say("é"), "'é'"),
    (Hinge("lae9", 1.0), "lae1"),
    (Hinge("lae1", math.nan), "speed_rad_s"),
    (Hinge("lae1", 1e9), "speed_rad_s"),
    (Beam(0.0, math.inf, 0.0), "Beam.y"),
    (Init(12, "a"), "0 to 11"),
    (Init(1, "two words"), "Init.team"),
    (Init(True, "a"), "Init.number"),
    (Scene("../etc/passwd"), "Scene.file"),
    (Scene("a b"), "Scene.file"),
    (Scene("a", ("(x",)), "Scene.arguments"),
    (Universal("he1(", 1.0, 1.0), "Universal.name"),
    (Frame(()), "empty"),
    (Frame((Hinge("he1", 1.0), Hinge("he1", 2.0))), "second he1"),
    (Frame((Scene("a"),)), "Scene"),
    (Unknown(0, b"(foo 1)(beam 1 2 3)"), "command"),
    (Unknown(0, b"( he1 1)"), "command"),
)


@pytest.mark.parametrize("text", COMMANDS)
def test_command_on_the_wire(text):
    data = Codec().encode(COMMANDS[text])
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    assert data[4:].decode() == text


@pytest.mark.parametrize(("command", "named"), REFUSED, ids=lambda value: str(value)[:40])
def test_command_that_cannot_be_sent_is_refused_by_name(command, named):
    with pytest.raises(CommandError, match=named):
        Codec().encode(command)


def test_toes_are_of_type_4_only():
    assert Codec("nao4").encode(Hinge("lle7", 1.0))
    with pytest.raises(CommandError, match="lle6"):
        Codec("nao").encode(Hinge("lle7", 1.0))


def test_unknown_robot_is_refused_with_the_choices():
    with pytest.raises(ConfigError, match="nao4"):
        Codec("nao5")


def test_each_robot_has_the_joints_that_the_server_tells():
    assert {name: len(robot.joints) for name, robot in ROBOTS.items()} == {
        "nao": 22, "nao0": 22, "nao1": 22, "nao2": 22, "nao3": 22, "nao4": 24,
    }  # fmt: skip
    assert ROBOTS["nao4"].joints[-1].effector == "lle7"


def test_what_came_unknown_is_sent_again_where_it_can_be_no_command():
    assert Codec().encode(Unknown(0, b"(foo 1)"))[4:] == b"(foo 1)"
