# SPDX-License-Identifier: Apache-2.0
"""What rcssserver3d 0.7.3 on SimSpark 0.3.2 does with trainer commands. The world is our ``map`` as it is."""

from typing import Final

from embodiment_bridge.protocols.soccer_monitor.dialect import Dialect

DIALECT: Final = Dialect(
    server="SimSpark",
    yaw_offset_deg=-90.0,  # its rot of 0 looks along y
    can_ask=True,
    can_weaken=True,
    needs_position=False,
    free_poses=False,
    ignored={"get_ack": "0.3.2 takes this command and never answers it"},
    notes={
        "train_ball": "before kick-off SimSpark puts the ball back to the middle while players are there",
        "kill_agent": "SimSpark does not close the player's connection, it repeats the last percept",
    },
)
