# SPDX-License-Identifier: Apache-2.0
"""The monitor port of rcssserver3d on SimSpark: its bytes to events, trainer commands to bytes."""

from embodiment_bridge.protocols.simspark_monitor.frame_reader import read_frame
from embodiment_bridge.protocols.soccer_monitor.codec import MonitorCodec
from embodiment_bridge.protocols.soccer_monitor.commands import COMMANDS
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME


class Codec(MonitorCodec):
    """The server tells faults in its own log only."""

    def __init__(self, max_frame: int = DEFAULT_MAX_FRAME) -> None:
        super().__init__(read_frame, COMMANDS, max_frame)
