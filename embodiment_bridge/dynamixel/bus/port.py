# SPDX-License-Identifier: Apache-2.0
"""Opens the port of a servo bus.

A serial device (also a pty), by dynamixel-sdk on request, or ``socket://host:port``. Reads wait in ``poll``.
"""

import os
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import serial

from embodiment_bridge.core.errors import ConfigError, LinkError

if TYPE_CHECKING:
    from dynamixel_sdk import PortHandler


try:
    import termios

    TERMINAL_ERROR: type[Exception] = termios.error
except ImportError:  # no terminals on this system
    TERMINAL_ERROR = OSError

LOST = (serial.SerialException, OSError, TERMINAL_ERROR, ValueError)
CONNECT_S = 1.0  # s to wait for a TCP connection
WRITE_S = 0.5  # s within which a packet must be written
CHUNK = 4096
DRAIN = 64  # chunks of old input that are thrown away at most, for a port that sends without end
LATENCY_FILE = "/sys/bus/usb-serial/devices/{}/latency_timer"


class Port:
    """Represents an open port. Every method raises LinkError when the port is gone. One thread owns it."""

    def __init__(self, name: str, fd: int, close: Callable[[], None]) -> None:
        self.name = name
        self._fd = fd
        self._close = close
        self._reader = select.poll()
        self._reader.register(fd, select.POLLIN)
        self._writer = select.poll()
        self._writer.register(fd, select.POLLOUT)

    def fileno(self) -> int:
        """Return the file descriptor, for select."""
        return self._fd

    def write(self, data: bytes) -> None:
        """Send all of ``data``."""
        deadline = time.monotonic() + WRITE_S
        try:
            sent = os.write(self._fd, data)
            while sent < len(data):
                if not self._writer.poll(max(deadline - time.monotonic(), 0.0) * 1e3):
                    raise LinkError(f"{self.name}: takes no more bytes")
                sent += os.write(self._fd, data[sent:])
        except BlockingIOError as error:
            raise LinkError(f"{self.name}: takes no bytes") from error
        except LOST as error:
            raise lost(self.name, error) from error

    def read(self, timeout: float) -> bytes:
        """Return the bytes that are there or come within ``timeout`` s; empty if none do."""
        try:
            if not self._reader.poll(max(timeout, 0.0) * 1e3):
                return b""
            data = os.read(self._fd, CHUNK)
        except BlockingIOError:
            return b""
        except LOST as error:
            raise lost(self.name, error) from error
        if not data:
            raise LinkError(f"{self.name}: the other end hung up")
        return data

    def discard(self) -> int:
        """Throw away the received bytes; return how many."""
        count = 0
        for _ in range(DRAIN):
            data = self.read(0.0)
            if not data:
                break
            count += len(data)
        return count

    def close(self) -> None:
        """Close the port."""
        with suppress(*LOST):  # the device may be gone already
            self._close()


def open_port(name: str, baud_rate: int) -> Port:
    """Open a serial device exclusively, or connect to ``socket://host:port``.

    Raises:
        LinkError: the port cannot be opened.
    """
    try:
        return _open_socket(name) if name.startswith("socket://") else _open_serial(name, baud_rate)
    except LOST as error:
        raise lost(name, error) from error


def checked_port_name(name: str) -> str:
    """Return the name, if it has the form of a port name.

    Raises:
        ConfigError: it has not.
    """
    if name.startswith("socket://"):
        _address(name)
    elif not name.startswith("/"):
        raise ConfigError(f"port_name {name!r} is not an absolute path or socket://host:port")
    return name


def latency_timer_ms(name: str) -> tuple[int, str] | None:
    """Return the latency timer of a USB serial port, ms, and the command that sets it to 1.

    None if the port has none.

    An FTDI adapter holds bytes back for 16 ms by default: a bus then has 44 to 59 cycles per second at any bit rate.
    """
    path = Path(LATENCY_FILE.format(Path(name).resolve().name))
    try:
        value = int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return value, f"echo 1 | sudo tee {path}"


def _open_serial(name: str, baud_rate: int) -> Port:
    device = serial.Serial(name, baud_rate, timeout=0, write_timeout=WRITE_S, exclusive=True)
    return Port(name, device.fileno(), device.close)


def _open_socket(name: str) -> Port:
    connection = socket.create_connection(_address(name), CONNECT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setblocking(False)
    return Port(name, connection.fileno(), connection.close)


def _address(name: str) -> tuple[str, int]:
    try:
        parts = urlsplit(name)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise ConfigError(f"port_name {name!r} is not socket://host:port")
    return host, port


def lost(name: str, error: Exception) -> LinkError:
    """Return the LinkError that says why a port is lost."""
    if isinstance(error, LinkError):
        return error
    why = getattr(error, "strerror", None) or str(error)
    return LinkError(f"{name}: {why}")


# A serial port that dynamixel-sdk's ``PortHandler`` opens and sets up; packets go through its file descriptor as ever.
#
# The SDK is imported by those alone who ask for it.


def open_sdk_port(name: str, baud_rate: int) -> Port:
    """Open a serial device as the SDK does, but for this process alone.

    Raises:
        ConfigError: the SDK cannot open such a port.
        LinkError: it cannot be opened.
    """
    handler = checked_sdk_port(name, baud_rate)
    try:
        handler.setBaudRate(baud_rate)  # this opens it; openPort() would open it at 1 Mbit/s first
        handler.ser.exclusive = True  # the SDK itself lets others open it, too
    except LOST as error:
        if handler.ser is not None:
            with suppress(*LOST):
                handler.closePort()
        raise lost(name, error) from error
    return Port(name, handler.ser.fileno(), handler.closePort)


def checked_sdk_port(name: str, baud_rate: int) -> "PortHandler":
    """Return the SDK's handler of a port, not open yet.

    Raises:
        ConfigError: there is no SDK, the port is not a serial device, or the SDK has no such bit rate.
    """
    try:
        from dynamixel_sdk import PortHandler
    except ImportError as error:
        raise ConfigError(f"port_handler 'sdk' needs the package dynamixel-sdk: {error}") from error
    if not name.startswith("/"):
        raise ConfigError(f"port_name {name!r}: port_handler 'sdk' opens serial devices only; take 'own'")
    handler = PortHandler(name)
    if handler.getCFlagBaud(baud_rate) <= 0:
        raise ConfigError(f"baud_rate {baud_rate}: port_handler 'sdk' has no such rate; take 'own'")
    return handler
