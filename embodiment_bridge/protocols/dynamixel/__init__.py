# SPDX-License-Identifier: Apache-2.0
"""Dynamixel servos, as `embodiment_bridge decode dynamixel` and `encode dynamixel` know them.

The codec is in ``devices/dynamixel``. There is no converter: what a register means depends on the servo's model, which
the driver knows (``nodes/joint_driver.py``); so this room is none for ``agent_bridge``.
"""

from embodiment_bridge.protocols.contract import Room

ROOM = Room(
    name="dynamixel",
    summary="Dynamixel servo bus, protocols 1.0 and 2.0, both directions",
    codec="embodiment_bridge.devices.dynamixel.codec:Codec",
    converter="",
    commands="embodiment_bridge.devices.dynamixel.events:COMMANDS",
    parameters=(),
    outputs=(),
)
