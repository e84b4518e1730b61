# SPDX-License-Identifier: Apache-2.0
"""Twenty virtual servos on a pseudo terminal, until a line comes.

python benchmarks/servo_server.py BAUD [--paced]
"""

import json
import sys

from embodiment_bridge.devices.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.devices.dynamixel.virtual.line import Pacing
from embodiment_bridge.devices.dynamixel.virtual.ports import VirtualPort

SERVOS = 20
MODEL = "xm430_w350"


def main() -> None:
    baud = int(sys.argv[1])
    pacing = Pacing(baud=baud) if "--paced" in sys.argv else None
    bus = VirtualBus([(id, MODEL) for id in range(1, SERVOS + 1)], pacing=pacing, baud=baud)
    with VirtualPort(bus) as port:
        print(json.dumps({"port": port.name}), flush=True)
        sys.stdin.readline()
        print(json.dumps({}), flush=True)


if __name__ == "__main__":
    main()
