# SPDX-License-Identifier: Apache-2.0
"""Helps programs end together with another process."""

import os
import select


def is_gone(process: int | None) -> bool:
    """Whether the process with this number has ended; False for None.

    A process that was killed and that its parent has not reaped yet has ended too, where the system can tell (Linux).
    """
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it runs and belongs to another user
        return False
    return _has_ended(process)


def _has_ended(process: int) -> bool:
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:  # just now
        return True
    except (AttributeError, OSError):  # the system has no such thing
        return False
    try:
        return bool(select.select([handle], [], [], 0.0)[0])
    finally:
        os.close(handle)
