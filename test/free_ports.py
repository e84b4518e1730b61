# SPDX-License-Identifier: Apache-2.0
"""TCP ports for programs that a test starts: none that the system gives to somebody else before they are used."""

import random
import socket
from collections.abc import Iterator
from itertools import islice

RANGE = range(20000, 32000)  # the system gives those from 32768 on to whoever asks for any


def free_ports(number: int = 2) -> tuple[int, ...]:
    """So many on which nobody listens on this machine; fewer where there are not so many."""
    return tuple(islice(_free(), number))


def _free() -> Iterator[int]:
    """In another order in each process, however its random numbers are seeded: several run at once."""
    for port in random.SystemRandom().sample(RANGE, len(RANGE)):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        yield port
