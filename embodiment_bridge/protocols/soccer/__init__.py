# SPDX-License-Identifier: Apache-2.0
"""Holds the common parts of the soccer simulators: S-expression lists, percepts, messages and requests of a player."""

from typing import Final

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.protocols.registry import Input

TEAM: Final = Parameter("team", "bridge", "Team name, without blanks.")
TEAM_FRAME: Final = Parameter(
    "team_frame", False, "Poses, entities and goals are in the frame team, x to the opponents' goal."
)
ENTITY_MEMORY: Final = Parameter(
    "entity_memory",
    86400.0,
    "Longest time for which entities out of view are remembered, s; they go when their place is empty.",
    0.0,
    1e7,
)
SAY: Final = Input("say", "std_msgs.msg:String")
