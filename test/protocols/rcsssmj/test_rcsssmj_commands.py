# SPDX-License-Identifier: Apache-2.0
"""Commands to bytes: each of them, and each way in which one cannot be sent; motors are written once."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.codec import Codec, CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import Beam, Frame, Init, Motor, Say, Syn
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.wire.codec import Unknown
from embodiment_bridge.wire.framing import frame

HE1 = Motor("he1", 12.42, 0, 0.9, 0, 0)


@pytest.mark.parametrize(
    ("command", "payload"),
    [
        (Init("T1", "teamBlue", 2), b"(init T1 teamBlue 2)"),
        (Init("ant", "Bären_1", 0), "(init ant Bären_1 0)".encode()),
        (HE1, b"(he1 12.42 0 0.9 0 0)"),
        (Motor("l1e1", -0.5, 1e-5, 150.0, 5.0, -1.25), b"(l1e1 -0.5 1e-05 150 5 -1.25)"),
        (Motor("te1", 1 / 3, 2 / 3, 100, 0.1, 0), b"(te1 0.3333333 0.6666667 100 0.1 0)"),
        (Motor("te1", np.float64(1.5), np.float32(2.5), np.int64(3), 0, 0), b"(te1 1.5 2.5 3 0 0)"),
        (Beam(-29.5, 16, -35.0), b"(beam -29.5 16 -35)"),
        (Say(100, b"hello"), b"(SPK say 100 aGVsbG8=)"),
        (Say(0.5, "0123456789"), b"(SPK say 0.5 MDEyMzQ1Njc4OQ==)"),
        (Say(1, "ä"), b"(SPK say 1 w6Q=)"),
        (Syn(), b"(syn)"),
        (
            Frame((HE1, Beam(1, 2, 3), Say(1, b"\0"), Syn())),
            b"(he1 12.42 0 0.9 0 0)(beam 1 2 3)(SPK say 1 AA==)(syn)",
        ),
        (Unknown(7, b"(battery  (x 1))"), b"(battery  (x 1))"),
    ],
)
def test_encode(command, payload):
    assert Codec().encode(command) == frame(payload)


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_motor_of_a_robot_can_be_commanded_in_one_frame(robot):
    names = ROBOTS[robot].effectors
    encoded = Codec(robot=robot).encode(Frame(tuple(Motor(name, 0, 0, 0, 0, 0) for name in names)))
    assert encoded == frame(b"".join(f"({name} 0 0 0 0 0)".encode() for name in names))


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Init("t1", "A", 1), r"Init.model: unknown robot 't1'; did you mean 'T1'"),
        (Init("../T1", "A", 1), r"Init.model: unknown robot '../T1'"),
        (Init(["T1"], "A", 1), "Init.model: unknown robot"),
        (Init("T1", "", 1), "Init.team is ''; it must be a word"),
        (Init("T1", "a b", 1), "Init.team is 'a b'"),
        (Init("T1", "a)", 1), r"Init.team is 'a\)'"),
        (Init("T1", "a\tb", 1), "Init.team is "),
        (Init("T1", "a\xa0b", 1), "Init.team is "),
        (Init("T1", "\ud800", 1), "Init.team is "),
        (Init("T1", 7, 1), "Init.team is 7"),
        (Init("T1", "A", 100), "Init.number is 100; it must be a whole number from 0 to 99"),
        (Init("T1", "A", -1), "Init.number is -1"),
        (Init("T1", "A", 1.0), r"Init.number is 1\.0"),
        (Init("T1", "A", True), "Init.number is True"),
        (Motor("zz", 0, 0, 0, 0, 0), r"Motor.name: unknown motor 'zz' \(known: he1, .* \(31 in all\)\)"),
        (Motor("he3", 0, 0, 0, 0, 0), "Motor.name: unknown motor 'he3'; did you mean 'he[12]'"),
        (Motor("q_hj1", 0, 0, 0, 0, 0), "Motor.name: unknown motor 'q_hj1'"),
        (Motor("he1 0 0 0 0 0)(zz", 0, 0, 0, 0, 0), "Motor.name: unknown motor"),
        (Motor(["he1"], 0, 0, 0, 0, 0), "Motor.name: unknown motor"),
        (Motor("he1", math.nan, 0, 0, 0, 0), "Motor.q_deg is nan; it must be a number"),
        (Motor("he1", 0, math.inf, 0, 0, 0), "Motor.dq_deg_s is inf"),
        (Motor("he1", 0, 0, -math.inf, 0, 0), "Motor.kp is -inf"),
        (
            Motor("he1", 0, 0, 0, 1e10, 0),
            r"Motor.kd is 10000000000\.0; it must be a number from -1e\+09 to 1e\+09",
        ),
        (Motor("he1", 0, 0, 0, 0, "1"), "Motor.tau_nm is '1'"),
        (Motor("he1", 0, 0, 0, 0, None), "Motor.tau_nm is None"),
        (Motor("he1", Fraction(1, 3), 1j, 0, 0, 0), "Motor.(q_deg is Fraction|dq_deg_s is 1j)"),
        (Motor("he1", np.zeros(2), 0, 0, 0, 0), "Motor.q_deg is array"),
        (Motor("he1", 10**400, 0, 0, 0, 0), "Motor.q_deg is 1000"),
        (Beam(math.nan, 0, 0), "Beam.x is nan"),
        (Beam(0, "0", 0), "Beam.y is '0'"),
        (Beam(0, 0, math.inf), "Beam.theta_deg is inf"),
        (Say(101, b"a"), "Say.volume is 101; it must be a number from 0 to 100"),
        (Say(-1, b"a"), "Say.volume is -1"),
        (Say(math.nan, b"a"), "Say.volume is nan"),
        (Say(1, b""), "Say.message: b'' has 0 bytes; it must have 1 to 10"),
        (Say(1, b"01234567890"), "Say.message: b'01234567890' has 11 bytes; it must have 1 to 10"),
        (Say(1, "ääääää"), "has 12 bytes; it must have 1 to 10"),
        (Say(1, "\ud800"), "Say.message: .* is no valid text"),
        (Say(1, 5), "Say.message: 5 is neither bytes nor text"),
        (Frame(()), "Frame.actions is empty"),
        (Frame(None), "Frame.actions is None; it must be a tuple of actions"),
        (Frame((Syn(), Motor("zz", 0, 0, 0, 0, 0))), r"Frame.actions\[1\]: Motor.name: unknown motor 'zz'"),
        (Frame((HE1, HE1)), r"Frame.actions\[1\]: a second he1"),
        (Frame((Say(1, "a"), Say(1, "b"))), r"Frame.actions\[1\]: a second Say"),
        (Frame((Init("T1", "A", 1),)), r"Frame.actions\[0\]: unknown action 'Init'"),
        (Frame((Frame((Syn(),)),)), r"Frame.actions\[0\]: unknown action 'Frame'"),
        ("(syn)", "unknown command 'str' "),
        (Unknown(0, b""), "Unknown.raw: the server may take '' for a command"),
        (Unknown(0, b"(zz 1 2 3 4 5)"), r"the server may take '\(zz 1 2 3 4 5\)' for a command"),
        (Unknown(0, b"(syn)(zz 1 2 3 4 5)"), "for a command"),
        (Unknown(0, b"(\t 1 2 3 4 5)"), "for a command"),
        (Unknown(0, b"(beam nan nan nan)"), "for a command"),
        (Unknown(0, b"(SPK say 1 aaaa)"), "for a command"),
        (Unknown(0, b"(init T1 a 1)"), "for a command"),
        (Unknown(0, b"(zz 1 2 3 4 5"), r"Unknown.raw: '\(' without its '\)' at byte 0"),
    ],
)
def test_encode_refuses(command, reason):
    with pytest.raises(CommandError, match=reason):
        Codec().encode(command)


@pytest.mark.parametrize(
    ("robot", "command", "reason"),
    [
        ("K1", Motor("te1", 0, 0, 0, 0, 0), "Motor.name: unknown motor of robot K1 'te1'"),
        ("ant", Motor("he1", 0, 0, 0, 0, 0), "Motor.name: unknown motor of robot ant 'he1'"),
        ("ant", Say(1, "a"), "Say: robot ant has no speaker"),
        ("T1", Init("K1", "A", 1), "Init.model is 'K1', but this codec is for robot 'T1'"),
    ],
)
def test_a_robot_allows_only_what_it_has(robot, command, reason):
    with pytest.raises(CommandError, match=reason):
        Codec(robot=robot).encode(command)
    with pytest.raises(CommandError, match=reason):
        Codec(robot=ROBOTS[robot]).encode(command)


def test_init_tells_a_codec_which_motors_there_are():
    codec = Codec()
    waist = Motor("te1", 0, 0, 0, 0, 0)
    assert codec.encode(waist) == frame(b"(te1 0 0 0 0 0)")
    codec.encode(Init("K1", "A", 1))
    with pytest.raises(CommandError, match="unknown motor of robot K1 'te1'"):
        codec.encode(waist)
    codec.encode(Init("T1", "A", 1))
    assert codec.encode(waist) == frame(b"(te1 0 0 0 0 0)")


def test_a_refused_init_changes_nothing():
    codec = Codec()
    with pytest.raises(CommandError):
        codec.encode(Init("K1", "A B", 1))
    assert codec.encode(Motor("te1", 0, 0, 0, 0, 0))


MOTOR = Motor("he1", 1.0, 2.0, 3.0, 4.0, 5.0)


def test_a_motor_with_other_numbers_is_written_anew() -> None:
    writer = CommandWriter(ROBOTS["T1"])
    first = writer.payload(Frame((MOTOR,)))
    assert writer.payload(Frame((MOTOR,))) == first == b"(he1 1 2 3 4 5)"
    assert writer.payload(Frame((replace(MOTOR, q_deg=9.0),))) == b"(he1 9 2 3 4 5)"
    assert writer.payload(Frame((MOTOR,))) == first


def test_a_robot_that_lacks_the_motor_refuses_it_also_when_it_was_written_before() -> None:
    writer = CommandWriter()
    only_of_t1 = Motor(
        next(iter(set(ROBOTS["T1"].effectors) - set(ROBOTS["ant"].effectors))), 0.0, 0.0, 0.0, 0.0, 0.0
    )
    writer.payload(Frame((only_of_t1,)))
    writer.payload(Init("ant", "team", 1))
    with pytest.raises(CommandError, match="motor of robot ant"):
        writer.payload(Frame((only_of_t1,)))


def test_a_motor_without_a_usable_name_is_refused() -> None:
    with pytest.raises(CommandError, match=r"Motor\.name"):
        CommandWriter(ROBOTS["T1"]).payload(Frame((replace(MOTOR, name=["he1"]),)))
