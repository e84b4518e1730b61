# SPDX-License-Identifier: Apache-2.0
"""Programs that end with another process."""

import os


def is_gone(process: int | None) -> bool:
    """Whether the process of that number is no more; of None: no."""
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it is there, and somebody else's
        return False
    return False
