# SPDX-License-Identifier: Apache-2.0
"""A program that turns one servo slowly, or holds it, until it is killed: PORT BAUD ID MODEL MODE.

It also ends when its standard input does, which is a pipe from the checklist: whatever ends that, the servo is limp.
"""

import select
import sys
import time
from contextlib import suppress

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig

PATIENCE_S = 20.0
STEP_S = 0.01
SPEED = 0.2  # rad/s
TARGETS = {"commissioned": Target(velocity=SPEED)}


def main() -> None:
    """Drive the servo, and print a line once it does. Ends with a line on standard error if it does not."""
    port, baud, id, model, mode = sys.argv[1:]
    servo = ServoConfig("commissioned", int(id), model=model, mode=mode, velocity=SPEED, soft_start_s=0.1)
    bus = ServoBus(BusConfig("commission", port, (servo,), baud_rate=int(baud)))
    bus.start()
    bus.activate(True)
    deadline = time.monotonic() + PATIENCE_S
    while not _drives(bus):
        if time.monotonic() > deadline:
            reading = bus.readings()[0]
            bus.stop()
            sys.exit(reading.reason or bus.reason or "the torque did not come on, or it does not turn")
        time.sleep(STEP_S)
    with suppress(BrokenPipeError):
        sys.stdout.write("drives\n")
        sys.stdout.flush()
    while not select.select([sys.stdin.buffer], [], [], STEP_S)[0]:
        bus.command(TARGETS)
    bus.stop()


def _drives(bus: ServoBus) -> bool:
    """Command it once more; return whether it does what it is to do."""
    bus.command(TARGETS)
    reading = bus.readings()[0]
    return reading.torque and (reading.mode != "velocity" or abs(reading.velocity) > SPEED / 2)


if __name__ == "__main__":
    main()
