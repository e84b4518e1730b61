# SPDX-License-Identifier: Apache-2.0
"""Access to single registers of servos, for set-up and service: ping, scan, read, write, reboot, backup.

On dynamixel-sdk 4.1.0 with its faults repaired (``sdk_port.py``, ``sdk_packets.py``). A driver that moves joints does
not use this: its cycle is ``bus.py``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import dynamixel_sdk as sdk

from embodiment_bridge.core.closing import ClosedOnExit
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.dynamixel.service.sdk_packets import RepairedPackets
from embodiment_bridge.dynamixel.service.sdk_port import USB_S, RepairedPort
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item, table_of
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.instructions import ALERT, Error1, Fault

ADDRESS_MODEL: Final = 0  # in every table
FIRMWARE_1: Final = 2  # address of the firmware version in tables of protocol 1


@dataclass(frozen=True, slots=True)
class Found:
    """A servo that has answered. ``model`` is empty where no control table has its number."""

    id: int
    protocol: int
    model_number: int
    firmware: int
    model: str


class Registers(ClosedOnExit):
    """An open port with servos. One thread uses it at a time.

    usb_s: how long an answer may take besides its bytes, s.

    Raises:
        ConfigError: there is no such baud rate.
        LinkError: it cannot be opened.
    """

    def __init__(self, port_name: str, baud: int = 1_000_000, usb_s: float = USB_S) -> None:
        self.port = RepairedPort(port_name, baud, usb_s)
        self._handlers: dict[int, Any] = {1: sdk.Protocol1PacketHandler(), 2: RepairedPackets()}
        self._tables: dict[int, tuple[int, ControlTable]] = {}  # by id: protocol, table
        self.port.openPort()

    def close(self) -> None:
        """Give the port back."""
        self.port.closePort()

    def ping(self, id: int, protocols: Iterable[int] = (2, 1)) -> Found:
        """Who is at an id, at the first of ``protocols`` that is answered.

        Raises:
            LinkError: nobody answers.
        """
        for protocol in protocols:
            number, result, _ = self._handlers[protocol].ping(self.port, id)
            if result == sdk.COMM_SUCCESS:
                firmware = self._raw(id, protocol, FIRMWARE_1 if protocol == 1 else 6, 1)[0]
                return self._note(id, protocol, number, firmware)
        raise LinkError(f"{self.port.port_name}: servo {id} does not answer at {self.port.baudrate} baud")

    def scan(self, ids: Iterable[int] | None = None, protocols: Iterable[int] = (2,)) -> list[Found]:
        """All servos at the port's baud rate: by one broadcast of protocol 2, by asking each of ``ids`` of protocol 1.

        Asking all 253 takes 5 s.
        """
        found = []
        asked = range(253) if ids is None else sorted(set(ids))
        if 2 in protocols:
            answers, _ = self._handlers[2].broadcastPing(self.port)
            for id, (number, firmware) in sorted(answers.items()):
                if ids is None or id in asked:
                    found.append(self._note(id, 2, number, firmware))
        if 1 in protocols:
            found += self._scan_1(asked)
        return found

    def read(self, id: int, name: str) -> int:
        """The value of a register, as the manual numbers it.

        Raises:
            ConfigError: the model has no such register, or is unknown.
            LinkError: no answer, or a spoilt one.
            CommandError: the servo refuses; the text says why.
        """
        protocol, table = self._table(id)
        item = table.item(name)
        return item.decode(self._raw(id, protocol, item.address, item.size))

    def read_all(self, id: int) -> dict[str, int]:
        """All registers but the indirect ones."""
        _, table = self._table(id)
        return {name: self.read(id, name) for name in table.items if not name.startswith("indirect_")}

    def write(self, id: int, name: str, value: int) -> bool:
        """Set a register; one of EEPROM only if it differs, for that wears. Whether anything was written.

        Raises:
            ConfigError, LinkError: as ``read``.
            CommandError: the value is outside the register's limits, or the servo refuses.
        """
        protocol, table = self._table(id)
        item = table.item(name)
        data = item.encode(value)
        _refuse_read_only(item, table)
        if item.eeprom and self.read(id, name) == value:
            return False
        self._obey(
            id,
            protocol,
            self._handlers[protocol].writeTxRx(self.port, id, item.address, item.size, list(data)),
        )
        return True

    def reboot(self, id: int) -> None:
        """Restart a servo: its RAM is lost, it lets go, and is silent for half a second."""
        protocol, table = self._table(id)
        if protocol == 1:
            raise CommandError(f"servo {id} ({table.model}) cannot be rebooted: cut its power")
        result, error = self._handlers[2].reboot(self.port, id)
        self._obey(id, 2, (result, error))

    def backup(self, id: int, *, restore: bool = False) -> None:
        """Keep the control table in the servo, or return to the kept one; torque must be off."""
        protocol, table = self._table(id)
        if protocol == 1:
            raise CommandError(f"servo {id} ({table.model}) has no backup")
        key = packet.RESTORE if restore else packet.STORE
        txpacket = [0, 0, 0, 0, id, 3 + len(key), 0, 0x20, *key, 0, 0]
        _, result, error = self._handlers[2].txRxPacket(self.port, txpacket)
        self._obey(id, 2, (result, error))

    def _scan_1(self, ids: Iterable[int]) -> list[Found]:
        found = []
        for id in ids:
            try:
                found.append(self.ping(id, (1,)))
            except LinkError:  # noqa: PERF203 - nobody there; a port that is gone says so when it is used next
                if not self.port.is_open:
                    raise
        return found

    def _table(self, id: int) -> tuple[int, ControlTable]:
        if id not in self._tables:
            found = self.ping(id)
            if id not in self._tables:
                raise ConfigError(f"servo {id} has the unknown model number {found.model_number}")
        return self._tables[id]

    def _note(self, id: int, protocol: int, number: int, firmware: int) -> Found:
        try:
            table = table_of(number, firmware)
        except ConfigError:
            return Found(id, protocol, number, firmware, "")
        self._tables[id] = protocol, table
        return Found(id, protocol, number, firmware, table.model)

    def _raw(self, id: int, protocol: int, address: int, size: int) -> bytes:
        data, result, error = self._handlers[protocol].readTxRx(self.port, id, address, size)
        if not data or len(data) != size:
            self._obey(id, protocol, (result, error))
            raise LinkError(f"servo {id}: {len(data or ())} bytes came for {size}")
        return bytes(data)

    def _obey(self, id: int, protocol: int, outcome: tuple[int, int]) -> None:
        """Say what is wrong, if anything is."""
        result, error = outcome
        fault = error & ~ALERT if protocol == 2 else error & ~_HARDWARE_1
        if fault:
            names = Fault(fault).name if protocol == 2 and fault in list(Fault) else Error1(fault & 0x7F).name
            why = (
                ", which a servo that has shut down does until it is rebooted"
                if error == ALERT | Fault.ACCESS
                else ""
            )
            raise CommandError(f"servo {id} refuses: {str(names).lower()} error{why}")
        if result != sdk.COMM_SUCCESS:
            text = self._handlers[2].getTxRxResult(result)
            raise LinkError(f"{self.port.port_name}: servo {id}: {text.removeprefix('[TxRxResult] ')}")


_HARDWARE_1: Final = int(Error1.VOLTAGE | Error1.OVERHEATING | Error1.OVERLOAD)


def _refuse_read_only(item: Item, table: ControlTable) -> None:
    if item.access == "r":
        raise CommandError(f"{item.name} of {table.model} can only be read")
