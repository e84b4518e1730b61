# SPDX-License-Identifier: Apache-2.0
"""A serial port that dynamixel-sdk's ``PortHandler`` opens and sets up; packets go through its file descriptor as ever.

The SDK is imported by those alone who ask for it.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.bus.port import LOST, Port, lost

if TYPE_CHECKING:
    from dynamixel_sdk import PortHandler


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
    """The SDK's handler of a port, not open yet.

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
