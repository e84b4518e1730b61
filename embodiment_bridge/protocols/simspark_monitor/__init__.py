# SPDX-License-Identifier: Apache-2.0
"""RoboCup 3D soccer: the monitor port of rcssserver3d, the server on SimSpark."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import ProtocolSpec

SPEC = ProtocolSpec(
    name="simspark_monitor",
    summary="RoboCup 3D soccer simulator (rcssserver3d on SimSpark), monitor and trainer port",
    codec="embodiment_bridge.protocols.simspark_monitor.codec:Codec",
    converter="embodiment_bridge.protocols.simspark_monitor.codec:DIALECT",
    commands="embodiment_bridge.protocols.soccer_monitor.commands:COMMANDS",
    parameters=(Parameter("port", 3200, "TCP port for monitors.", 1, 65535),),
    outputs=(),
)
