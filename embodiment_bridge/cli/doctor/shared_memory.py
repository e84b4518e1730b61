# SPDX-License-Identifier: Apache-2.0
"""Checks the shared memory of Fast DDS: its files remain after a process was killed."""

import fcntl
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, ok, warn

FOLDER = Path("/dev/shm")
NAMES = ("fastrtps_*", "fastdds_*")  # of Fast DDS 2 and 3
LOCKS = ("_el", "_sl")  # suffixes of the files that a running user keeps locked
ENOUGH = 32 << 20  # bytes; a process takes 0.6 MB


def check_shared_memory(leftovers: int, free: int | None) -> Finding:
    """leftovers: number of unused segments; free: bytes, None without shared memory."""
    what = "shared memory"
    if free is None:
        return warn(what, f"{FOLDER} cannot be used: DDS goes over UDP", f"mount a tmpfs on {FOLDER}")
    text = f"{free >> 20} MB free in {FOLDER}"
    if free < ENOUGH:
        return warn(
            what,
            f"{text}, nodes may not start",
            "`fastdds shm clean`; in a container give more, e.g. --shm-size 256m",
        )
    if leftovers:
        return warn(
            what, f"{text}, {leftovers} segments were left by processes that died", "`fastdds shm clean`"
        )
    return ok(what, text)


def count_leftovers(folder: Path) -> int:
    """Number of segments with a lock file that no process holds."""
    locks = [path for name in NAMES for suffix in LOCKS for path in folder.glob(name + suffix)]
    return sum(not _is_held(path) for path in locks)


def _is_held(path: Path) -> bool:
    """Whether another process has locked a file; also true for a file that cannot be opened."""
    try:
        with path.open("rb") as file:  # closing the file releases the lock
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False
