# SPDX-License-Identifier: Apache-2.0
"""What is at a path, where pathlib raises.

Below a folder that may not be entered, for a name too long or with a NUL.

Paths come from variables, files and command lines; what cannot be looked at is not there.
"""

from pathlib import Path


def exists(path: Path) -> bool:
    """Whether there is something."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether there is a regular file."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_dir(path: Path) -> bool:
    """Whether there is a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
