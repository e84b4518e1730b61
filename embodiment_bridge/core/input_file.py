# SPDX-License-Identifier: Apache-2.0
"""Looks at paths and reads files that come from outside: regular files only, and never more than a limit.

pathlib raises for a path below a folder that may not be entered, and for a name that is too long or has a NUL: here
such a path is not there.
"""

import os
import stat
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded

MOST_TEXT: Final = 4 << 20  # bytes; the YAML reader takes a million characters


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


def check_file(path: Path, most: int, what: str = "") -> int:
    """The size of a regular file that is not too large; to be asked before a reader opens it.

    A device or a pipe with a name could block, or never end.

    Args:
        path: of the file.
        most: bytes that it may have.
        what: the kind of file, for errors, such as "plan file".

    Raises:
        ConfigError: it is not there, not a file, or larger; the text names the file and the limit.
    """
    name = f"{what} {path}".strip()
    try:
        found = path.stat()
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise ConfigError(f"{name}: cannot be read: {getattr(error, 'strerror', error)}") from error
    if not stat.S_ISREG(found.st_mode) and not _is_own_pipe(path):
        raise ConfigError(f"{name}: cannot be read: it is a folder, a pipe or a device, not a file")
    if found.st_size > most:
        raise ConfigError(f"{name}: its {found.st_size} bytes are more than the limit of {most}")
    return found.st_size


def read_bytes(path: Path, most: int, what: str = "") -> bytes:
    """The content of a file; the arguments are those of ``check_file``.

    Raises:
        ConfigError: as of ``check_file``, or it cannot be read.
    """
    check_file(path, most, what)
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)  # the files of /proc have size 0 and any content
    except OSError as error:
        raise ConfigError(f"{what} {path}: cannot be read: {error.strerror}".strip()) from error
    if len(data) > most:
        raise ConfigError(f"{what} {path}: it has more bytes than the limit of {most}".strip())
    return data


def read_text(path: Path, what: str = "", *, most: int = MOST_TEXT) -> str:
    """The content of a file of UTF-8 text; the arguments are those of ``check_file``.

    Raises:
        ConfigError: as of ``read_bytes``, or it is not UTF-8.
    """
    try:
        return decoded(read_bytes(path, most, what))
    except NotUtf8Error as error:
        raise ConfigError(f"{what} {path}: {error}".strip()) from error


def _is_own_pipe(path: Path) -> bool:
    """Whether it is a pipe that this process has open, such as /dev/fd/63, which a shell makes of ``<(command)``."""
    return os.path.realpath(path).startswith(f"/proc/{os.getpid()}/fd/pipe:")
