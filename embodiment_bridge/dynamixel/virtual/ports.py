# SPDX-License-Identifier: Apache-2.0
"""Serves a virtual bus on a pseudo terminal and on TCP, on a thread that sleeps while nothing happens."""

import contextlib
import ctypes
import fcntl
import math
import os
import select
import socket
import struct
import threading
import tty
from pathlib import Path
from typing import Final

from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import VirtualClock
from embodiment_bridge.dynamixel.virtual.tcp_port import TcpPort

# A pseudo terminal that a driver opens as if it were /dev/ttyUSB0.

# glibc's tcgetattr does not give a baud rate without a name, such as 4.5 M; this does (asm-generic/termbits.h).
TCGETS2: Final = 0x802C542A
TERMIOS2: Final = struct.Struct("4IB19sII")
CHUNK: Final = 4096
# struct flock, of Linux with 64 bits: type, whence, start, length, process
LOCK: Final = struct.Struct("hhqqi4x")


class PtyPort:
    """Represents an open terminal; ``link`` is a symbolic link that points to it.

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
        # a sign of life, which ends with this process
        fcntl.lockf(self._slave, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.name = os.ttyname(self._slave)
        try:
            self._point()
        except BaseException:
            self._close_files()
            raise

    def fileno(self) -> int:
        """Return the file descriptor, for select."""
        return self._master

    def read(self) -> bytes:
        """Return the bytes that the client has written; empty if none."""
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
    """Return the process that serves the terminal behind a link; 0 if there is none, as after it was killed."""
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


HOUSEKEEPING_S: Final = 0.05  # period at which moving servos are updated while there are no requests
LONGEST_S: Final = 3600.0
# s before a paced answer is due in which the thread spins: a sleep may be that much longer
SPIN_S: Final = 0.00005
PR_SET_TIMERSLACK: Final = 29


Readable = int | PtyPort | socket.socket


class VirtualPort(ClosedOnExit):
    """Represents a port to a bus.

    ``name``: of the terminal; ``link``: symbolic link to it; ``host``, ``port``: of TCP.

    Raises:
        ConfigError: both terminal and TCP are off.
        LinkError: the terminal or the TCP port cannot be opened.
    """

    def __init__(
        self,
        bus: VirtualBus,
        *,
        link: str | None = None,
        listen: tuple[str, int] | None = None,
        pty: bool = True,
    ) -> None:
        if not pty and listen is None:
            raise ConfigError("a virtual bus needs a terminal or a TCP port to be reached by")
        self.bus, self.link = bus, link
        self._want_pty = pty
        self._tcp = TcpPort(*listen) if listen else None
        try:
            self._pty = PtyPort(link) if pty else None
        except LinkError:
            if self._tcp:
                self._tcp.close()
            raise
        self.name = self._pty.name if self._pty else ""
        self.host: str = self._tcp.host if self._tcp else ""
        self.port: int = self._tcp.port if self._tcp else 0
        self.problem = ""  # why the terminal could not be opened again
        self.lost = 0  # bytes that a client did not read
        self.rounds = 0  # how often the thread has woken up
        self._client: PtyPort | TcpPort | None = None  # the sender of the last bytes
        self._closing = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        bus.on_change = self.wake
        if isinstance(bus.clock, VirtualClock):
            bus.clock.on_advance.append(self.wake)
        self._thread = threading.Thread(
            target=self._serve, name=f"virtual bus {link or self.name}", daemon=True
        )
        self._thread.start()

    @property
    def plugged(self) -> bool:
        """Whether the terminal is open."""
        return self._pty is not None

    def close(self) -> None:
        """Close the terminal and TCP, and end the thread."""
        if self._closing:
            return
        self._closing = True
        self.wake()
        self._thread.join()
        self.bus.on_change = None
        if isinstance(self.bus.clock, VirtualClock):
            self.bus.clock.on_advance.remove(self.wake)
        for port in (self._pty, self._tcp):
            if port is not None:
                port.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def wake(self) -> None:
        """Wake the thread, because the bus or its time has changed."""
        with contextlib.suppress(OSError):  # the pipe is full, or closed
            os.write(self._wake_write, b"!")

    def _serve(self) -> None:
        _sleep_exactly()
        moving = True
        while not self._closing:
            wait = self._wait(moving)
            ready = self._select(wait)
            self.rounds += 1
            if self._wake_read in ready:
                os.read(self._wake_read, 4096)
            self._plug()
            if self._tcp is not None and self._tcp.listener in ready:
                self._tcp.accept()
            received = self._receive(ready)
            data = self.bus.transmit()
            if data and self._client is not None:
                self.lost += len(data) - self._client.write(data)
            if received:
                moving = True
            elif not data and wait >= HOUSEKEEPING_S:
                moving = self.bus.update()

    def _wait(self, moving: bool) -> float:
        """Return the time to sleep, s."""
        due = self.bus.due()
        wait = self.bus.clock.wall_time_until(due) if due < math.inf else LONGEST_S
        if wait < HOUSEKEEPING_S:
            return max(0.0, wait - SPIN_S)
        return HOUSEKEEPING_S if moving or self.bus.has_faults else min(wait, LONGEST_S)

    def _select(self, wait: float) -> list[Readable]:
        watched: list[Readable] = [self._wake_read]
        if self._pty is not None:
            watched.append(self._pty)
        if self._tcp is not None:
            watched.append(self._tcp.listener)
            if self._tcp.client is not None:
                watched.append(self._tcp.client)
        ready, _, _ = select.select(watched, (), (), wait)
        return ready

    def _receive(self, ready: list[Readable]) -> bool:
        received = False
        if self._pty is not None and self._pty in ready and (data := self._pty.read()):
            self._pass_on(self._pty, data, self._pty.baud)
            received = True
        if self._tcp is not None and self._tcp.client in ready and (data := self._tcp.read()):
            self._pass_on(self._tcp, data, 0)
            received = True
        return received

    def _pass_on(self, client: PtyPort | TcpPort, data: bytes, baud: int) -> None:
        self._client = client
        self.bus.host_baud = baud
        self.bus.receive(data)

    def _plug(self) -> None:
        """Close or reopen the ports, as the fault ``unplug`` requires."""
        out = self.bus.unplugged
        if out and self._pty is not None:
            self._pty.close()
            self._pty = None
        if out and self._tcp is not None:
            self._tcp.hang_up()
        if out:
            self._client = None
            self.bus.drop()
        elif self._want_pty and self._pty is None:
            try:
                self._pty = PtyPort(self.link)
            except LinkError as error:  # tried again in every round
                self.problem = str(error)
            else:
                self.name, self.problem = self._pty.name, ""


def _sleep_exactly() -> None:
    """Let Linux wake this thread exactly, not up to 50 us later; other systems do not offer it."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
