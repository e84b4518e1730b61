# SPDX-License-Identifier: Apache-2.0
"""The guardian of a servo bus: a program that makes servos safe when their driver is gone.

It shares the open port with the driver and reads from a pipe: four bytes of length, then the packets that make
the servos safe; length 0: the driver has made them safe, so end. The pipe breaks when the driver ends, whatever the
reason. The last packets are then written to the wire several times, because a packet may collide with an answer.

It needs only the standard library, does not read from the servos, and ignores all signals that can be ignored: a
service manager that ends all processes of the driver must not end this one first.
"""

import os
import select
import signal
import sys
import time

LAST_S = 0.3  # s for which it repeats the packets
LEAST = 5  # repetitions, also where a busy computer leaves it no time for them within LAST_S
# s between two repetitions; longer than the pause after which servos drop an unfinished packet
PAUSE_S = 0.02
HEAD = 4  # bytes of the length


def main(port: int, orders: int, driver: int) -> None:
    """Guard the servos. Arguments: file descriptors of port and pipe, process id of the driver."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    packets = wait(orders, driver)
    if packets:
        make_safe(port, packets)


def wait(orders: int, driver: int) -> bytes:
    """Wait until the driver is gone and return the packets to send; empty if it has made the servos safe itself."""
    watched = select.poll()
    for file in (orders, *process_handle(driver)):
        watched.register(file, select.POLLIN)
    packets, received = b"", b""
    while True:
        ready = [file for file, _ in watched.poll()]
        data = os.read(orders, 65536) if orders in ready else b""
        # The pipe is broken; or the driver has ended while a child of it still has a copy of the pipe.
        if not data:
            return packets
        received += data
        while len(received) >= HEAD and len(received) >= HEAD + (
            size := int.from_bytes(received[:HEAD], "little")
        ):
            if size == 0:
                return b""
            packets, received = received[HEAD : HEAD + size], received[HEAD + size :]


def process_handle(driver: int) -> "list[int]":
    """Return a file descriptor that becomes readable when the driver ends.

    Empty where the system does not offer it.
    """
    try:
        handle = os.pidfd_open(driver)
    except (AttributeError, OSError):
        return []
    return [handle] if os.getppid() == driver else []


def make_safe(port: int, packets: bytes) -> None:
    """Write the packets until ``LAST_S`` is over, ``LEAST`` times at least, or the port is gone."""
    end, least = time.monotonic() + LAST_S, LEAST
    while time.monotonic() < end or least > 0:
        least -= 1
        try:
            os.write(port, packets)
        except BlockingIOError:
            pass  # the port takes no bytes now
        except OSError:
            return
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]))
