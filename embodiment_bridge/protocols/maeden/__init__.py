# SPDX-License-Identifier: Apache-2.0
"""The Maeden simulator: agents in a grid world, text or JSON lines over TCP (docs/maeden.md).

There are a codec for all dialects, a conversation that knows the habits of the servers (``conversation.py``,
``link.py``), what an agent knows of its world (``world.py``), skills (``skills.py``), and a converter to ROS.
"""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import Input, Output, ProtocolSpec

SPEC = ProtocolSpec(
    name="maeden",
    summary="agent in the grid world of the Maeden simulator, text or JSON lines over TCP",
    codec="embodiment_bridge.protocols.maeden.codec:Codec",
    converter="embodiment_bridge.protocols.maeden.converter:GridConverter",
    commands="embodiment_bridge.protocols.maeden.events:COMMANDS",
    link="embodiment_bridge.protocols.maeden.link:make_link",
    parameters=(
        Parameter("port", 7237, "TCP port of the simulator.", 1, 65535),
        Parameter(
            "dialect",
            "auto",
            "What the server speaks. auto finds out, but takes a server of the one-day dialect j2 for json, and keeps "
            "other agents of a server of dialect text waiting for a second.",
            choices=("auto", "text", "json", "j1", "j2"),
        ),
        Parameter("role", "base", "What to be in a server of dialect text.", choices=("base", "helper")),
        Parameter(
            "pacing",
            "on_demand",
            "When to act. on_demand: only when told to; the state ages meanwhile. listen: wait, a command that costs "
            "1 unit of energy, is sent when nothing else is due, so that everything is seen and heard.",
            choices=("on_demand", "listen"),
        ),
        Parameter(
            "listen_interval",
            0.0,
            "With listen: s from an answer to the next wait; 0 is every cycle.",
            0.0,
            60.0,
        ),
        Parameter(
            "settle", 0.25, "How long the line is to be quiet before the first command, s.", 0.05, 10.0
        ),
        Parameter("reply_timeout", 5.0, "How long an answer may take, s.", 0.1, 60.0),
        Parameter(
            "rejoin",
            "lost",
            "When to connect again, as a new agent at the start. lost: when the link ended without a word; always: "
            "also after an ending; never: only when the node is activated again.",
            choices=("never", "lost", "always"),
        ),
        Parameter(
            "kill_on_shutdown",
            False,
            "Take the agent out of the world when the node ends; else it stays there.",
        ),
        Parameter("cell_size", 1.0, "Side of a cell, m.", 0.01, 100.0),
        Parameter("initial_heading", "W", "Heading at the start.", choices=("N", "E", "S", "W")),
    ),
    outputs=(
        Output("percept", "embodiment_bridge.msg:GridPercept", "events"),
        Output("local_grid", "nav_msgs.msg:OccupancyGrid", "state"),
        Output("map", "nav_msgs.msg:OccupancyGrid", "latched"),
        Output("odom", "nav_msgs.msg:Odometry", "sensor"),
        Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
        Output("entities", "embodiment_bridge.msg:EntityArray", "state"),
        Output("heard", "embodiment_bridge.msg:HeardMessage", "events"),
        Output("battery", "sensor_msgs.msg:BatteryState", "state"),
        Output("event", "embodiment_bridge.msg:EpisodeEvent", "latched"),
    ),
    inputs=(Input("say", "std_msgs.msg:String"),),
)
