# SPDX-License-Identifier: Apache-2.0
"""A pseudo terminal that a driver opens as if it were /dev/ttyUSB0."""

import fcntl
import os
import struct
import tty
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import LinkError

# What glibc's tcgetattr does not tell: a baud rate that has no name, such as 4.5 M (asm-generic/termbits.h).
TCGETS2: Final = 0x802C542A
TERMIOS2: Final = struct.Struct("4IB19sII")
CHUNK: Final = 4096


class PtyPort:
    """Open once made; ``link`` is a symbolic link that is kept at the present terminal.

    Raises:
        LinkError: no terminal can be had, or ``link`` is something else than a symbolic link.
    """

    def __init__(self, link: str | None) -> None:
        self._link = Path(link) if link else None
        try:
            self._master, self._slave = os.openpty()
        except OSError as error:
            raise LinkError(f"no pseudo terminal: {error}") from error
        # The slave stays open: else the master hangs up whenever a client closes, which dynamixel-sdk does at every
        # change of the baud rate. Raw before the first byte: else the terminal echoes and changes bytes.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.name = os.ttyname(self._slave)
        try:
            self._point()
        except BaseException:
            self._close_files()
            raise

    def fileno(self) -> int:
        """For select."""
        return self._master

    def read(self) -> bytes:
        """What the client has written; empty if nothing."""
        try:
            return os.read(self._master, CHUNK)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> int:
        """Give the client bytes; returns how many it has room for (20 kB unread are the limit)."""
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    @property
    def baud(self) -> int:
        """What the client has set, 1/s; 0 where it cannot be known."""
        try:
            raw = fcntl.ioctl(self._master, TCGETS2, bytes(TERMIOS2.size))
        except OSError:
            return 0
        return int(TERMIOS2.unpack(raw)[-1])

    def close(self) -> None:
        """Hang up; the link goes, if it is still ours."""
        if self._link is not None and self._link.is_symlink() and str(self._link.readlink()) == self.name:
            self._link.unlink()
        self._close_files()

    def _close_files(self) -> None:
        os.close(self._slave)
        os.close(self._master)

    def _point(self) -> None:
        """Let the link point here, at once: there is no moment without it."""
        link = self._link
        if link is None:
            return
        if link.exists() and not link.is_symlink():
            raise LinkError(f"{link} is there and no symbolic link: not replaced")
        new = link.with_name(f".{link.name}.{os.getpid()}")
        try:
            new.unlink(missing_ok=True)
            new.symlink_to(self.name)
            new.replace(link)
        except OSError as error:
            raise LinkError(f"{link}: cannot be linked to {self.name}: {error}") from error
