# SPDX-License-Identifier: Apache-2.0
"""The monitor port of RCSSServerMJ: its bytes to events, trainer commands to bytes."""

from embodiment_bridge.protocols.rcsssmj_monitor.frame_reader import read_frame
from embodiment_bridge.protocols.soccer_monitor.codec import MonitorCodec
from embodiment_bridge.protocols.soccer_monitor.commands import RCSSSMJ_COMMANDS
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME


class Codec(MonitorCodec):
    """Refuses commands with which rcssservermj 0.2.1 does nothing."""

    def __init__(self, max_frame: int = DEFAULT_MAX_FRAME) -> None:
        super().__init__(read_frame, RCSSSMJ_COMMANDS, max_frame, rsmp=True)
