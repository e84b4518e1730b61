# SPDX-License-Identifier: Apache-2.0
"""A servo whose axis is a simulator's joint."""

import pytest

from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.clock import VirtualClock
from embodiment_bridge.dynamixel.virtual.outside import OutsideDrive
from embodiment_bridge.dynamixel.wire import packet


def test_joint_of_a_simulator_behind_the_registers():
    joint = {"knee": (0.5, 0.1, 0.3)}
    heard = []
    drive = OutsideDrive(
        "knee", read=joint.get, command=lambda *words: heard.append(words), torque_per_amp=1.5
    )
    clock = VirtualClock()
    bus = VirtualBus([(1, "xm430_w350")], clock=clock, drives={1: drive})
    bus.receive(packet.write(1, 116, (2500).to_bytes(4, "little")) + packet.write(1, 64, b"\1"))
    assert heard == [("knee", "position", pytest.approx((2500 - 2048) * 0.0015339808))]
    joint["knee"] = (0.7, 0.2, 0.6)
    clock.advance(0.01)
    shot = bus.snapshot()[1]
    assert (shot["present_position"], shot["present_velocity"]) == (2048 + 456, 8)
    assert shot["present_current"] == round(0.4 / 2.69e-3)
    bus.receive(packet.write(1, 64, b"\0"))
    assert heard[-1] == ("knee", "off", 0.0)
