# SPDX-License-Identifier: Apache-2.0
"""RoboCup MuJoCo soccer: the monitor port of RCSSServerMJ, which speaks RSMP 1.0."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import ProtocolSpec

SPEC = ProtocolSpec(
    name="rcsssmj_monitor",
    summary="RoboCup MuJoCo soccer simulator (RCSSServerMJ), monitor and trainer port",
    codec="embodiment_bridge.protocols.rcsssmj_monitor.codec:Codec",
    converter="embodiment_bridge.protocols.rcsssmj_monitor.codec:DIALECT",
    commands="embodiment_bridge.protocols.soccer_monitor.commands:RCSSSMJ_COMMANDS",
    parameters=(Parameter("port", 60001, "TCP port for monitors.", 1, 65535),),
    outputs=(),
)
