# SPDX-License-Identifier: Apache-2.0
"""Motors that are told the same as before are not converted and written once more."""

from dataclasses import replace

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.codec import CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import Frame, Init, Motor
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS

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
