# SPDX-License-Identifier: Apache-2.0
"""The servos of a robot description on a pseudo terminal, that tell when torque off comes on their wire.

python benchmarks/stop_server.py URDF

First the name of the terminal; then, by turns, a line when torque is asked for again, and one for the packet that takes
the torque of all, with the time at which it was read: s of the monotonic clock, which all processes of a machine share.
Until a line comes.
"""

import json
import sys
import time
from typing import Any

from processes import take_priority
from typing_extensions import override

from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.dynamixel.wire.packet import sync_write
from embodiment_bridge.urdf import read_urdf

TORQUE_ENABLE = 64
ON = b"\x03\x40\x00\x01"  # write, address, value


class TellingBus(VirtualBus):
    """Reports torque commands before it carries them out."""

    def __init__(self, servos: Any) -> None:
        super().__init__(servos)
        self._off = sync_write(TORQUE_ENABLE, 1, {id: b"\0" for id, _ in servos})
        self._driven = False

    @override
    def receive(self, data: bytes) -> None:
        if self._driven and self._off in data:
            self._driven = False
            print(json.dumps({"off": time.monotonic()}), flush=True)
        elif not self._driven and ON in data:
            self._driven = True
            print(json.dumps({"on": True}), flush=True)
        super().receive(data)


def main() -> None:
    take_priority()
    servos = [(servo.id, servo.model) for servo in read_servo_setup(read_urdf(sys.argv[1])).servos]
    with VirtualPort(TellingBus(servos)) as port:
        print(json.dumps({"port": port.name}), flush=True)
        sys.stdin.readline()
        print(json.dumps({}), flush=True)


if __name__ == "__main__":
    main()
