# SPDX-License-Identifier: Apache-2.0
"""RoboCup 3D soccer simulator: the agent port of rcssserver3d on SimSpark."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import Input, ProtocolSpec
from embodiment_bridge.protocols.soccer import ENTITY_MEMORY, SAY, TEAM, TEAM_FRAME

SPEC = ProtocolSpec(
    name="simspark",
    summary="RoboCup 3D soccer simulator (rcssserver3d on SimSpark), agent port",
    codec="embodiment_bridge.protocols.simspark.codec:Codec",
    converter="embodiment_bridge.protocols.simspark.converter:NaoConverter",
    parameters=(
        Parameter("port", 3100, "TCP port for agents.", 1, 65535),
        Parameter(
            "robot",
            "nao",
            "Robot model: nao, or one of the types of nao_hetero.rsg.",
            choices=("nao", "nao0", "nao1", "nao2", "nao3", "nao4"),
        ),
        TEAM,
        Parameter("number", 2, "Player number; 0 takes the next that is free.", 0, 11),
        Parameter(
            "start_pose",
            "server",
            "Where the player is beamed after joining before kick-off: line_up (by its number), server (nowhere: it "
            "stays where the server puts it), or x, y in m and heading in rad, as -3.0 1.0 0.0.",
        ),
        TEAM_FRAME,
        Parameter("field_length", 30.0, "Length of the field, m: where its landmarks are.", 1.0, 1000.0),
        Parameter("field_width", 20.0, "Width of the field, m.", 1.0, 1000.0),
        ENTITY_MEMORY,
    ),
    outputs="embodiment_bridge.protocols.simspark.messages:OUTPUTS",
    inputs=(SAY,),
    services=(Input("beam", "embodiment_bridge.srv:Beam"), Input("pass", "std_srvs.srv:Trigger", "Pass")),
    commands="embodiment_bridge.protocols.simspark.codec:COMMANDS",
    refusal="the server hung up before the first percept",
    quiet_after=5.0,  # a server in sync mode waits for its agents, and one that is busy stalls for seconds
)
