# SPDX-License-Identifier: Apache-2.0
"""Virtual servos (20) on a pseudo terminal, until a line comes.

python benchmarks/servo_server.py BAUD [--paced | --canned] [--servos=N]

With ``--canned`` a group read that was asked before is answered with the bytes of the first time, and goals before it
are dropped: a bus that takes no time of its own, so that what is measured is its client.
"""

import json
import sys
from typing import Any

from typing_extensions import override

from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import Pacing
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

SERVOS = 20
MODEL = "xm430_w350"
HEADER = b"\xff\xff\xfd\x00"
CYCLE_READS = b"\x8a\x7e", b"\x82\x7e"  # fast sync read and sync read, from address 126


class CannedBus(VirtualBus):
    """Answers repeated questions at once, from memory."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._canned: dict[bytes, bytes] = {}
        self._next = b""

    @override
    def receive(self, data: bytes) -> None:
        question = data[data.rfind(HEADER) :]
        if question[7:9] not in CYCLE_READS or not data.startswith(HEADER):
            super().receive(data)
            return
        if question not in self._canned:
            super().receive(data)
            self._canned[question] = super().transmit()
        self._next = self._canned[question]

    @override
    def transmit(self) -> bytes:
        answer, self._next = self._next, b""
        return answer or super().transmit()


def main() -> None:
    baud = int(sys.argv[1])
    pacing = Pacing(baud=baud) if "--paced" in sys.argv else None
    kind = CannedBus if "--canned" in sys.argv else VirtualBus
    servos = next((int(word.partition("=")[2]) for word in sys.argv if word.startswith("--servos=")), SERVOS)
    bus = kind([(id, MODEL) for id in range(1, servos + 1)], pacing=pacing, baud=baud)
    with VirtualPort(bus) as port:
        print(json.dumps({"port": port.name}), flush=True)
        sys.stdin.readline()
        print(json.dumps({}), flush=True)


if __name__ == "__main__":
    main()
