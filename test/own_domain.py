# SPDX-License-Identifier: Apache-2.0
"""A ROS domain that no other test process of this machine has, so that no two graphs ever meet."""

import fcntl
import os
import tempfile
from pathlib import Path
from typing import IO

LAST_SAFE_DOMAIN = 101  # above it, DDS ports meet the ephemeral ports of Linux

_held: list[IO[bytes]] = []  # a lock lives as long as its file is open: to the end of the process


def claim() -> int:
    """Lock a domain for this process, 1 to 101; the system gives it back when the process ends, however it ends.

    Raises:
        RuntimeError: all of them are taken.
    """
    for step in range(LAST_SAFE_DOMAIN):
        domain = 1 + (os.getpid() + step) % LAST_SAFE_DOMAIN
        if _locked(Path(tempfile.gettempdir()) / f"embodiment_bridge_domain_{domain}_{os.getuid()}.lock"):
            return domain
    raise RuntimeError(f"all ROS domains from 1 to {LAST_SAFE_DOMAIN} are taken by other test runs")


def _locked(path: Path) -> bool:
    file = path.open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    _held.append(file)
    return True
