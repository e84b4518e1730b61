# SPDX-License-Identifier: Apache-2.0
"""The port of dynamixel-sdk 4.1.0, repaired: it waits instead of spinning, and does not stay busy after a fault.

What the original does: spins while it waits; stays busy for ever after an exception; knows neither 4.5 Mbaud nor
sockets; measures time by a clock that can be set; raises ``termios.error`` when it is unplugged.
"""

import select
import time
from collections import deque
from contextlib import suppress
from typing import Any, Final

import dynamixel_sdk
import serial

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder

try:
    import termios

    LOST: tuple[type[Exception], ...] = (serial.SerialException, OSError, ValueError, termios.error)
except ImportError:  # no terminals on this system
    LOST = (serial.SerialException, OSError, ValueError)

USB_S: Final = 0.034  # allowed for the adapter both ways, as the original does
BAUDS: Final = range(1200, 10_500_001)


class RepairedPort(dynamixel_sdk.PortHandler):
    """A serial device or ``socket://host:port``. Every method raises LinkError when the port is gone."""

    def __init__(self, name: str, baud: int = 1_000_000, usb_s: float = USB_S) -> None:
        super().__init__(name)
        if baud not in BAUDS:
            raise ConfigError(f"baud rate is {baud}; it must be from {BAUDS.start} to {BAUDS.stop - 1}")
        self.baudrate = baud
        self.decoder = PacketDecoder("status", (2,))
        self.packets: deque[Packet] = deque()  # whole packets that nobody has asked for yet
        self._usb_ms = usb_s * 1000.0

    def getCFlagBaud(self, baudrate: int) -> int:  # noqa: N802 - the SDK's name
        """All rates that a port may take, not those of a list that ends at 4 M."""
        return baudrate if baudrate in BAUDS else -1

    def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802
        """Open it for us alone."""
        self.closePort()
        try:
            if self.port_name.startswith("socket://"):
                self.ser = serial.serial_for_url(self.port_name, timeout=0)
            else:
                self.ser = serial.Serial(self.port_name, self.baudrate, timeout=0, exclusive=True)
            self.is_open = True
            self.tx_time_per_byte = 10_000.0 / self.baudrate
            self.clearPort()
        except LOST as error:
            raise LinkError(f"{self.port_name}: {error}") from error
        self.is_using = False
        return True

    def closePort(self) -> None:  # noqa: N802
        """Also one that was never opened, or is gone."""
        if self.ser is not None:
            with suppress(*LOST):
                self.ser.close()
        self.is_open = False

    def clearPort(self) -> None:  # noqa: N802
        """Throw away what has come."""
        self.packets.clear()
        self.decoder.reset()
        if self.port_name.startswith("socket://"):  # pyserial's own way leaves bytes behind
            while self._receive(4096, 0.0):
                pass
        else:
            self._guard(self.ser.reset_input_buffer)

    def readPort(self, length: int) -> bytes:  # noqa: N802
        """Up to ``length`` bytes; waits for the first until the packet is late."""
        left = (self.packet_timeout - self.getTimeSinceStart()) / 1000.0
        return self._receive(length, max(0.0, left))

    def writePort(self, packet: Any) -> int:  # noqa: N802
        """Send; returns how many bytes went out."""
        return int(self._guard(self.ser.write, bytes(packet)))

    def setPacketTimeout(self, packet_length: int) -> None:  # noqa: N802
        """Allow for so many bytes and the adapter."""
        self.setPacketTimeoutMillis(self.tx_time_per_byte * packet_length + self._usb_ms)

    def getCurrentTime(self) -> float:  # noqa: N802
        """Of a clock that nobody sets, ms."""
        return time.monotonic() * 1000.0

    def _receive(self, length: int, wait: float) -> bytes:
        self._guard(select.select, [self.ser], (), (), wait)
        return bytes(self._guard(self.ser.read, length))

    def _guard(self, function: Any, *arguments: Any) -> Any:
        """Call; a port that is gone is a LinkError, and not busy."""
        try:
            return function(*arguments)
        except LOST as error:
            self.is_using = False
            raise LinkError(f"{self.port_name}: {error}") from error
