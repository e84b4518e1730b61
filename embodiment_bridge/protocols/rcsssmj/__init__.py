# SPDX-License-Identifier: Apache-2.0
"""RoboCup MuJoCo soccer: the agent port of RCSSServerMJ."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import Input, ProtocolSpec
from embodiment_bridge.protocols.soccer import ENTITY_MEMORY, SAY, TEAM, TEAM_FRAME

SPEC = ProtocolSpec(
    name="rcsssmj",
    summary="RoboCup MuJoCo soccer simulator (RCSSServerMJ), agent port",
    codec="embodiment_bridge.protocols.rcsssmj.codec:Codec",
    converter="embodiment_bridge.protocols.rcsssmj.converter:RobotConverter",
    parameters=(
        Parameter("port", 60000, "TCP port for agents.", 1, 65535),
        Parameter(
            "monitor_port",
            60001,
            "TCP port for monitors; watched until the first percept, to know that the world exists. 0: wait 3 s.",
            0,
            65535,
        ),
        Parameter("robot", "T1", "Robot model of the server.", choices=("T1", "K1", "PiPlus", "ant")),
        TEAM,
        Parameter("number", 2, "Player number; 1 is the goalkeeper.", 1, 99),
        TEAM_FRAME,
        Parameter(
            "say_split", False, "Cut a text of more than 10 bytes into several messages, not refuse it."
        ),
        ENTITY_MEMORY,
        Parameter(
            "rules",
            "ssim",
            "Rule book of the world with transport managed.",
            choices=("ssim", "ssim26", "fifa"),
        ),
        Parameter(
            "world",
            "own",
            "World with transport managed: robots of one process with the same name share it; own: not shared.",
        ),
        Parameter(
            "realtime_factor",
            1.0,
            "Simulated time per real time, for transport managed; factor 0 is as fast as possible.",
            0.0,
            100.0,
        ),
    ),
    outputs="embodiment_bridge.protocols.rcsssmj.messages:OUTPUTS",
    inputs=(SAY,),
    services=(
        Input("beam", "embodiment_bridge.srv:Beam"),
        Input("place_thing", "embodiment_bridge.srv:PlaceThing"),
        Input("reset", "std_srvs.srv:Trigger"),
    ),
    commands="embodiment_bridge.protocols.rcsssmj.commands:COMMANDS",
    managed="embodiment_bridge.protocols.rcsssmj.managed_link:make_opener",
    probe="monitor_port",
    quiet_after=5.0,  # while another robot joins the server says nothing for 1 to 3 s
    stay_for_answer=True,  # 0.2.1 keeps a robot for ever whose player leaves while it is made; its number stays taken
    refusal=(
        "the server closes without a word when it refuses an init: the number is taken in that team, there are two "
        "other teams already, the team is full, or it does not know the robot"
    ),
)
