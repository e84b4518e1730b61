# SPDX-License-Identifier: Apache-2.0
"""What rcssservermj 0.2.1 does with trainer commands. The world is our ``map`` as it is."""

from typing import Final

from embodiment_bridge.protocols.soccer_monitor.dialect import Dialect

_UNKNOWN: Final = "0.2.1 does not know this command and ignores it"
_NOTHING: Final = "0.2.1 takes this command and does nothing"

DIALECT: Final = Dialect(
    server="rcssservermj",
    yaw_offset_deg=0.0,
    can_ask=False,
    can_weaken=False,
    needs_position=True,
    free_poses=True,
    ignored={
        "set_play_mode": _NOTHING,
        "kill_simulator": _NOTHING,
        "select_agent": _UNKNOWN,
        "kill_agent": _UNKNOWN,
        "reposition_agent": _UNKNOWN,
        "set_game": _UNKNOWN,
        "request_full_state": f"{_UNKNOWN}; it sends a full state every 5 s",
        "get_ack": _UNKNOWN,
    },
    notes={},
)
