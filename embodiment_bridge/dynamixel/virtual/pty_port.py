# SPDX-License-Identifier: Apache-2.0
"""A pseudo terminal that a driver opens as if it were /dev/ttyUSB0."""

import fcntl
import os
import struct
import tty
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import LinkError

# glibc's tcgetattr does not give a baud rate without a name, such as 4.5 M; this does (asm-generic/termbits.h).
TCGETS2: Final = 0x802C542A
TERMIOS2: Final = struct.Struct("4IB19sII")
CHUNK: Final = 4096
LOCK: Final = struct.Struct(
    "hhqqi4x"
)  # struct flock, of Linux with 64 bits: type, whence, start, length, process


class PtyPort:
    """An open terminal; ``link`` is a symbolic link that points to it.

    Raises:
        LinkError: the system gives no terminal; ``link`` is no symbolic link, or another process serves it.
    """

    def __init__(self, link: str | None) -> None:
        self._link = Path(link) if link else None
        try:
            self._master, self._slave = os.openpty()
        except OSError as error:
            raise LinkError(f"no pseudo terminal: {error}") from error
        # The slave stays open: otherwise the master hangs up when a client closes, which dynamixel-sdk does at every
        # change of the baud rate. Raw mode before the first byte: otherwise the terminal echoes and changes bytes.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        fcntl.lockf(
            self._slave, fcntl.LOCK_EX | fcntl.LOCK_NB
        )  # a sign of life, which ends with this process
        self.name = os.ttyname(self._slave)
        try:
            self._point()
        except BaseException:
            self._close_files()
            raise

    def fileno(self) -> int:
        """The file descriptor, for select."""
        return self._master

    def read(self) -> bytes:
        """The bytes that the client has written; empty if none."""
        try:
            return os.read(self._master, CHUNK)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> int:
        """Send bytes to the client; returns how many fit (the limit is 20 kB unread)."""
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    @property
    def baud(self) -> int:
        """The baud rate that the client has set, 1/s; 0 if it is unknown."""
        try:
            raw = fcntl.ioctl(self._master, TCGETS2, bytes(TERMIOS2.size))
        except OSError:
            return 0
        return int(TERMIOS2.unpack(raw)[-1])

    def close(self) -> None:
        """Close the terminal, and remove the link if it still points to it."""
        if self._link is not None and self._link.is_symlink() and str(self._link.readlink()) == self.name:
            self._link.unlink()
        self._close_files()

    def _close_files(self) -> None:
        os.close(self._slave)
        os.close(self._master)

    def _point(self) -> None:
        """Set the link to this terminal, atomically."""
        link = self._link
        if link is None:
            return
        if link.exists() and not link.is_symlink():
            raise LinkError(f"{link} exists and is not a symbolic link: not replaced")
        server = _server_of(link)
        if server:
            raise LinkError(
                f"{link} is the port of process {server}, which serves it: end that, or choose another path"
            )
        new = link.with_name(f".{link.name}.{os.getpid()}")
        try:
            new.unlink(missing_ok=True)
            new.symlink_to(self.name)
            new.replace(link)
        except OSError as error:
            raise LinkError(f"{link}: cannot be linked to {self.name}: {error}") from error


def _server_of(link: Path) -> int:
    """The process that serves the terminal behind a link; 0 if there is none, as after it was killed."""
    try:
        terminal = os.open(link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:  # it went with its process
        return 0
    try:
        asked = LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        found = LOCK.unpack(fcntl.fcntl(terminal, fcntl.F_GETLK, asked))
    finally:
        os.close(terminal)
    return 0 if found[0] == fcntl.F_UNLCK else int(found[-1])
