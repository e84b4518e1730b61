# SPDX-License-Identifier: Apache-2.0
"""Dynamixel servos, as `embodiment_bridge decode dynamixel` and `encode dynamixel` know them.

The codec is in ``dynamixel/wire``. There is no converter: what a register means depends on the servo's model, which
the driver knows (``nodes/body/joint_driver.py``); so ``agent_bridge`` cannot run this protocol.
"""

from embodiment_bridge.protocols.registry import ProtocolSpec

SPEC = ProtocolSpec(
    name="dynamixel",
    summary="Dynamixel servo bus, protocols 1.0 and 2.0, both directions",
    codec="embodiment_bridge.dynamixel.wire.codec:Codec",
    converter="",
    commands="embodiment_bridge.dynamixel.wire.events:COMMANDS",
    parameters=(),
    outputs=(),
)
