# SPDX-License-Identifier: Apache-2.0
"""The step in which a driver is killed: the driver of this package, in a process of its own."""

import select
import subprocess
import sys
from contextlib import suppress
from typing import Final

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.dynamixel.bus.servo import modes_of
from embodiment_bridge.dynamixel.commission.subject import Subject, Watch

START_S: Final = 30.0  # until the driver drives; the computer may be slow
LET_GO_S: Final = 10.0  # after the kill, until the torque must be off; a busy computer delays the guardian
DRIVES: Final = b"drives\n"


def killed_driver(subject: Subject) -> float | None:
    """Start a driver on the servo, kill it as nothing else does, and return the seconds until the torque is off.

    The port must be closed. None: the torque stayed on.

    Raises:
        LinkError: the driver did not drive, or the servo does not answer afterwards.
    """
    found = subject.found
    program = [sys.executable, "-m", "embodiment_bridge.dynamixel.commission.driven"]
    turns = "velocity" in modes_of(subject.table) and found.protocol == 2  # where it is no change of limits
    mode = "velocity" if turns else "position"
    words = [subject.port, str(subject.baud), str(found.id), subject.table.name, mode]
    pipe = subprocess.PIPE
    with subprocess.Popen([*program, *words], stdin=pipe, stdout=pipe, stderr=pipe) as driver:
        try:
            _wait_until_it_drives(driver)
        finally:
            driver.kill()
    return _seconds_until_limp(subject)


def _wait_until_it_drives(driver: "subprocess.Popen[bytes]") -> None:
    if driver.stdout is None or driver.stderr is None:
        raise LinkError("the driver has no output")
    ready, _, _ = select.select([driver.stdout], [], [], START_S)
    line = driver.stdout.readline() if ready else b""
    if line != DRIVES:
        driver.kill()
        said = driver.stderr.read().decode(errors="replace").strip().splitlines()
        raise LinkError(
            f"the driver did not drive it: {said[-1] if said else f'nothing within {START_S:.0f} s'}"
        )


def _seconds_until_limp(subject: Subject) -> float | None:
    answered = False
    for elapsed in Watch(LET_GO_S):
        with suppress(LinkError):  # the guardian holds the port for a moment
            torque = subject.read("torque_enable")
            answered = True
            if not torque:
                return elapsed
    if not answered:
        raise LinkError("it does not answer after its driver was killed")
    return None
