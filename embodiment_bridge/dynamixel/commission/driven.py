# SPDX-License-Identifier: Apache-2.0
"""A program that drives one servo where it is, until it is killed: PORT BAUD ID MODEL.

It also ends when its standard input does, which is a pipe from the checklist: whatever ends that, the servo is limp.
"""

import sys
import time
from contextlib import suppress

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig

PATIENCE_S = 20.0


def main() -> None:
    """Hold the servo; print a line once its torque is on. Ends with a line on standard error if it does not come on."""
    port, baud, id, model = sys.argv[1:]
    servo = ServoConfig("commissioned", int(id), model=model, velocity=0.2, soft_start_s=0.1)
    bus = ServoBus(BusConfig("commission", port, (servo,), baud_rate=int(baud)))
    bus.start()
    bus.activate(True)
    deadline = time.monotonic() + PATIENCE_S
    while not bus.readings()[0].torque:
        if time.monotonic() > deadline:
            reading = bus.readings()[0]
            bus.stop()
            sys.exit(reading.reason or bus.reason or "the torque did not come on")
        time.sleep(0.01)
    with suppress(BrokenPipeError):
        sys.stdout.write("drives\n")
        sys.stdout.flush()
    sys.stdin.buffer.read()
    bus.stop()


if __name__ == "__main__":
    main()
