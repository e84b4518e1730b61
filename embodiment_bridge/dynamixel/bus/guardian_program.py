# SPDX-License-Identifier: Apache-2.0
"""The guardian of a servo bus, a program by itself: makes servos safe when their driver is gone.

It shares the open port with the driver and hears from it over a pipe: four bytes of length, then the packets that make
the servos safe; length 0: the driver has made safe, end. The pipe breaks when the driver is gone, however that came
about, and what was told last goes onto the wire, several times, for a packet may meet an answer on it.

It needs the standard library alone, asks the servos nothing, and heeds no signal that can be ignored: a service
manager that ends all processes of the driver shall not end this one first.
"""

import os
import select
import signal
import sys
import time

LAST_S = 0.3  # s for which it writes
PAUSE_S = 0.02  # s between two times; longer than the pause after which servos drop half a packet
HEAD = 4  # bytes of length


def main(port: int, orders: int, driver: int) -> None:
    """Guard: file descriptors of port and pipe, process id of the driver."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    packets = wait(orders, driver)
    if packets:
        make_safe(port, packets)


def wait(orders: int, driver: int) -> bytes:
    """What is to be sent, once the driver is gone; nothing when it told us to stand down."""
    watched = select.poll()
    for file in (orders, *process_handle(driver)):
        watched.register(file, select.POLLIN)
    packets, told = b"", b""
    while True:
        ready = [file for file, _ in watched.poll()]
        data = os.read(orders, 65536) if orders in ready else b""
        if (
            not data
        ):  # the pipe is broken; or a copy of it lives on, in a child of the driver, but not the driver
            return packets
        told += data
        while len(told) >= HEAD and len(told) >= HEAD + (size := int.from_bytes(told[:HEAD], "little")):
            if size == 0:
                return b""
            packets, told = told[HEAD : HEAD + size], told[HEAD + size :]


def process_handle(driver: int) -> "list[int]":
    """What can be waited for until the driver ends; nothing where the system has no such thing."""
    try:
        handle = os.pidfd_open(driver)
    except (AttributeError, OSError):
        return []
    return [handle] if os.getppid() == driver else []


def make_safe(port: int, packets: bytes) -> None:
    """Write until the time is over, or the port is gone."""
    end = time.monotonic() + LAST_S
    while time.monotonic() < end:
        try:
            os.write(port, packets)
        except BlockingIOError:
            pass  # it takes no bytes just now
        except OSError:
            return
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]))
