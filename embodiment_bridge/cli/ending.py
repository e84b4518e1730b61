# SPDX-License-Identifier: Apache-2.0
"""Programs that end with another process."""

import os
import select


def is_gone(process: int | None) -> bool:
    """Whether the process of that number is no more; of None: no.

    One that was killed and whose parent has not noticed yet is gone, too, where the system can tell (Linux).
    """
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is there, and somebody else's
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
