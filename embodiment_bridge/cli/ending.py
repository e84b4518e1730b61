# SPDX-License-Identifier: Apache-2.0
"""Helps programs end together with another process."""

import os


def is_gone(process: int | None) -> bool:
    """Whether the process with this number has ended; False for None."""
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it runs and belongs to another user
        return False
    return False
