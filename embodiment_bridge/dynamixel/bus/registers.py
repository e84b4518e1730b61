# SPDX-License-Identifier: Apache-2.0
"""Access to single registers of servos for set-up and service: ping, scan, read, write, reboot, backup."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.client import COLLIDE, Answer, BusClient
from embodiment_bridge.dynamixel.bus.making_safe import Guardian
from embodiment_bridge.dynamixel.bus.port import open_port
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item
from embodiment_bridge.dynamixel.tables.table_reader import table_of
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.instructions import HIGHEST_ID, Fault, fault_name

# s allowed for the adapter, both ways: two periods of the latency timer of an FTDI chip, and 2 ms
USB_S: Final = 0.034
TORQUE: Final = "torque_enable"
ID: Final = "id"
BAUDS: Final = range(1200, 10_500_001)


@dataclass(frozen=True, slots=True)
class Found:
    """Represents a servo that has answered. ``model`` is empty if no control table has its number."""

    id: int
    protocol: int
    model_number: int
    firmware: int
    model: str


class Registers(ClosedOnExit):
    """Represents an open port with servos. Only one thread may use it at a time.

    A servo whose torque was written is limp at the end, whatever ends this process; see ``keep_torque``.

    usb_s: time for an answer in addition to its bytes on the wire, s.

    Raises:
        ConfigError: the baud rate is out of range.
        LinkError: the port cannot be opened; from each method: the port is gone.
    """

    def __init__(self, port_name: str, baud: int = 1_000_000, usb_s: float = USB_S) -> None:
        if baud not in BAUDS:
            raise ConfigError(f"baud rate is {baud}; it must be from {BAUDS.start} to {BAUDS.stop - 1}")
        self.port_name, self.baud = port_name, baud
        self._port = open_port(port_name, baud)
        all_old = dict.fromkeys(range(HIGHEST_ID + 1), 1)
        self._clients = {
            1: BusClient(self._port, baud, margin_s=usb_s, protocols=all_old),
            2: BusClient(self._port, baud, margin_s=usb_s),
        }
        self._tables: dict[int, tuple[int, ControlTable]] = {}  # by id: protocol, table
        self.damaged: list[int] = []  # ids that ``scan`` heard and did not understand
        self._guardian: Guardian | None = None
        self._driven: dict[
            int, bytes
        ] = {}  # by id: the packet that makes a servo limp that may be driven by us

    def close(self) -> None:
        """Make limp what may be driven by us, and close the port."""
        if self._guardian is not None:
            self._guardian.close(act=bool(self._driven))
            self._guardian = None
        self._port.close()

    def keep_torque(self) -> None:
        """Leave the torque of all servos as it is at the end."""
        self._driven.clear()

    def ping(self, id: int, protocols: Iterable[int] = (2, 1)) -> Found:
        """Return the servo with an id, found with the first of ``protocols`` that it answers.

        Raises:
            LinkError: no servo answers.
        """
        clear = True
        for protocol in protocols:
            client = self._clients[protocol]
            damaged = client.counters[id].damaged
            found = client.ping(id)
            if found is not None:
                return self._note(id, protocol, *found)
            clear = clear and client.counters[id].damaged == damaged
        why = f"servo {id} does not answer at {self.baud} baud" if clear else f"servo {id}: {COLLIDE}"
        raise LinkError(f"{self.port_name}: {why}")

    def scan(self, ids: Iterable[int] | None = None, protocols: Iterable[int] = (2,)) -> list[Found]:
        """Find all servos at the port's baud rate: by one broadcast (protocol 2), or by asking each of ``ids`` (1).

        The broadcast takes 0.8 s; asking all 253 takes 10 s, which it does too where answers come damaged.
        ``damaged`` has the ids from which they do.
        """
        asked = range(HIGHEST_ID + 1) if ids is None else sorted(set(ids))
        found = []
        if 2 in protocols:
            client = self._clients[2]
            rejected = client.rejected
            answers = client.ping_all()
            found += [self._note(id, 2, *answers[id]) for id in sorted(answers) if id in asked]
            if client.rejected > rejected:
                found += self._ask_each([id for id in asked if id not in answers], 2)
        if 1 in protocols:
            found += self._ask_each(asked, 1)
        return found

    def _ask_each(self, ids: Iterable[int], protocol: int) -> list[Found]:
        client = self._clients[protocol]
        found = []
        for id in ids:
            answer = client.ping(id)
            if answer is not None:
                found.append(self._note(id, protocol, *answer))
            elif client.counters[id].damaged:
                self.damaged.append(id)
        return found

    def table(self, id: int) -> ControlTable:
        """Return the control table of a servo.

        Raises:
            ConfigError: its model is unknown.
            LinkError: it does not answer.
        """
        return self._table(id)[1]

    def read(self, id: int, name: str) -> int:
        """Return the value of a register in the units of the manual.

        Raises:
            ConfigError: the model has no such register, or is unknown.
            LinkError: no answer, or a damaged one.
            CommandError: the servo refuses; the text gives the reason.
        """
        protocol, table = self._table(id)
        item = table.item(name)
        return item.decode(self._checked(id, self._clients[protocol].read(id, item.address, item.size)).data)

    def read_all(self, id: int) -> dict[str, int]:
        """Return all registers except the indirect ones."""
        _, table = self._table(id)
        return {name: self.read(id, name) for name in table.items if not name.startswith("indirect_")}

    def write(self, id: int, name: str, value: int) -> bool:
        """Set a register; EEPROM only if its value differs, because it wears out. Whether anything was written.

        Raises:
            ConfigError, LinkError: as in ``read``.
            CommandError: the value is outside the register's limits, or the servo refuses.
        """
        protocol, table = self._table(id)
        item = table.item(name)
        data = item.encode(value)
        _refuse_read_only(item, table)
        if item.eeprom and self.read(id, name) == value:
            return False
        if name == TORQUE:
            self._guard(id, protocol, item)
        if name == ID:
            self._refuse_taken(value)
        answer = self._clients[protocol].write(id, item.address, data)
        if name == ID and answer is None:  # the confirmation may come from the new id
            answer = Answer(0, b"") if self._clients[protocol].ping(value) is not None else None
        if answer is not None and answer.fault == Fault.ACCESS and item.eeprom and self.read(id, TORQUE):
            raise CommandError(
                f"servo {id} refuses {name}: its torque is on, and EEPROM is locked until {TORQUE} is 0"
            )
        self._checked(id, answer)
        if name == TORQUE and value == 0:
            del self._driven[id]
        if name == ID:
            del self._tables[id]
        return True

    def _refuse_taken(self, id: int) -> None:
        """Refuse an id that another servo has: both would answer at once, and none would be understood."""
        for client in self._clients.values():
            if client.ping(id) is not None or client.counters[id].damaged:
                raise CommandError(f"id {id} is taken: another servo answers with it")

    def _guard(self, id: int, protocol: int, torque: Item) -> None:
        """Let a guardian make a servo limp when this process is gone, or when its torque was not confirmed to be off.

        Raises:
            LinkError: there can be no guardian; nothing was written.
        """
        self._driven[id] = packet.sync_write(torque.address, 1, {id: b"\0"}, protocol)
        if self._guardian is None:
            self._guardian = Guardian(self._port.fileno())
        if self._guardian.problem:
            raise LinkError(self._guardian.problem)
        self._guardian.set_packets(b"".join(self._driven.values()))

    def reboot(self, id: int) -> None:
        """Restart a servo: its RAM is lost, its torque is off, and it is silent for half a second."""
        protocol, table = self._table(id)
        if protocol == 1:
            raise CommandError(f"servo {id} ({table.model}) cannot be rebooted: cut its power")
        self._checked(id, self._clients[2].reboot(id))

    def backup(self, id: int, *, restore: bool = False) -> None:
        """Store the control table in the servo, or restore the stored one; torque must be off."""
        protocol, table = self._table(id)
        if protocol == 1:
            raise CommandError(f"servo {id} ({table.model}) has no backup")
        self._checked(id, self._clients[2].backup(id, restore=restore))

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

    def _checked(self, id: int, answer: Answer | None) -> Answer:
        """Return the answer, if the instruction was carried out; else raises."""
        if answer is None:
            raise LinkError(f"{self.port_name}: servo {id} does not answer, or its answers come damaged")
        if answer.fault:
            shut_down = answer.alert and answer.fault == Fault.ACCESS
            why = ", which a servo that has shut down does until it is rebooted" if shut_down else ""
            raise CommandError(f"servo {id} refuses: {fault_name(answer.fault)} error{why}")
        return answer


def _refuse_read_only(item: Item, table: ControlTable) -> None:
    if item.access == "r":
        raise CommandError(f"{item.name} of {table.model} can only be read")
