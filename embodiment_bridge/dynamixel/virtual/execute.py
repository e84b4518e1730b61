# SPDX-License-Identifier: Apache-2.0
"""Finds the servos that an instruction addresses, executes it in them and collects their replies."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from struct import iter_unpack, unpack_from
from typing import Final, NamedTuple

from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.x_servo import XServo
from embodiment_bridge.dynamixel.wire import packet as packets
from embodiment_bridge.dynamixel.wire.decoder import Packet
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, Fault, Instruction

# The servos of a bus by the ids to which they answer.

NO_SERVOS: Sequence[Servo] = ()


class Servos:
    """Holds the servos of a bus. ``chain``: in the order of the cable."""

    def __init__(self, chain: Sequence[Servo]) -> None:
        self.chain = tuple(chain)
        self.hears: Callable[[Servo], bool] | None = None  # whether an instruction reaches a servo; None: all
        self.now = 0.0
        self.refresh()

    def refresh(self) -> None:
        """Build the indices again after ids, shadow ids or baud rates have changed."""
        self._by_id: dict[tuple[int, int], list[Servo]] = {}
        self._by_shadow: dict[tuple[int, int], list[Servo]] = {}
        for servo in self.chain:
            servo.readdressed = False
            self._by_id.setdefault((servo.id, servo.protocol), []).append(servo)
            if (
                isinstance(servo, XServo)
                and (shadow := servo.memory.get("shadow_id")) <= 252
                and shadow != servo.id
            ):
                self._by_shadow.setdefault((shadow, servo.protocol), []).append(servo)
        self.protocols = tuple(sorted({servo.protocol for servo in self.chain}))

    def by_id(self, id: int) -> list[Servo]:
        """Return all servos with an id."""
        return [servo for servo in self.chain if servo.id == id]

    def at(self, id: int, protocol: int) -> Sequence[Servo]:
        """Return the servos with an id that the instruction reaches, brought to the present time."""
        return self._present(self._by_id.get((id, protocol), NO_SERVOS))

    def shadows(self, id: int, protocol: int) -> Sequence[Servo]:
        """Return the servos with ``id`` as their shadow id, which also execute what is written to it."""
        found = self._by_shadow.get((id, protocol))
        return self._present(found) if found else NO_SERVOS

    def all_hearing(self, protocol: int) -> Sequence[Servo]:
        """Return all servos that the instruction reaches, in the order of ids."""
        found = [servo for servo in self.chain if servo.protocol == protocol]
        return self._present(sorted(found, key=lambda servo: servo.id))

    def _present(self, servos: Sequence[Servo]) -> Sequence[Servo]:
        now, hears = self.now, self.hears
        if hears is not None:
            servos = [servo for servo in servos if hears(servo)]
        if len(servos) == 1:  # nearly always
            (servo,) = servos
            servo.advance(now)
            return servos if servo.silent_until <= now else NO_SERVOS
        for servo in servos:
            servo.advance(now)
        return [servo for servo in servos if servo.silent_until <= now]


READS: Final = (Instruction.READ, Instruction.SYNC_READ, Instruction.BULK_READ)
SPANS: Final = {1: "<BB", 2: "<HH"}  # by protocol: address and size
PROTECTED_FIRMWARE: Final = 42  # from this version on, a broadcast that resets everything is ignored


class Reply(NamedTuple):
    """Holds the reply of a servo.

    ``servo`` None: no servo has the id that was asked, so its place in the chain is empty.
    """

    servo: Servo | None
    fault: int = 0
    data: bytes = b""


class Execution(NamedTuple):
    """Holds the replies to an instruction: independent, in a chain (``chained``), or all in one packet (``fast``)."""

    replies: list[Reply]
    chained: bool = False
    fast: bool = False


NOTHING: Final = Execution([])


def execute(packet: Packet, servos: Servos) -> Execution:
    """Execute one instruction in the ``servos`` that it reaches (see ``Servos.hears``)."""
    if packet.id == BROADCAST:
        to_all = _TO_ALL.get((packet.protocol, packet.instruction))
        return to_all(packet.parameters, servos, packet.protocol) if to_all else NOTHING
    replies = []
    for servo in servos.at(packet.id, packet.protocol):
        reply = _execute_one(servo, packet)
        if packet.instruction == Instruction.PING or servo.level >= (1 if packet.instruction in READS else 2):
            replies.append(reply)
    for servo in servos.shadows(packet.id, packet.protocol):
        if packet.instruction not in (Instruction.PING, Instruction.READ):
            _execute_one(servo, packet)
    return Execution(replies)


def _execute_one(servo: Servo, packet: Packet) -> Reply:
    """Execute an instruction in one servo."""
    handler = _TO_ONE.get(packet.instruction)
    if handler is None or (packet.protocol == 1 and packet.instruction not in _KNOWN_1):
        return Reply(servo, Fault.INSTRUCTION)
    return handler(servo, packet.parameters)


def _ping(servo: Servo, parameters: bytes) -> Reply:
    return Reply(servo, 0, servo.identity if servo.protocol == 2 else b"")


def _read(servo: Servo, parameters: bytes) -> Reply:
    if len(parameters) != 2 * servo.protocol:
        return Reply(servo, Fault.DATA_LENGTH)
    address, size = unpack_from(SPANS[servo.protocol], parameters)
    return _read_span(servo, address, size)


def _read_span(servo: Servo, address: int, size: int) -> Reply:
    data = servo.read(address, size)
    return Reply(servo, Fault.ACCESS) if data is None else Reply(servo, 0, data)


def _write(servo: Servo, parameters: bytes) -> Reply:
    address, data = _placed(servo, parameters)
    if not data:
        return Reply(servo, Fault.DATA_LENGTH)
    return Reply(servo, servo.write(address, data))


def _reg_write(servo: Servo, parameters: bytes) -> Reply:
    address, data = _placed(servo, parameters)
    if not data:
        return Reply(servo, Fault.DATA_LENGTH)
    servo.registered = (address, data)
    servo.touch()
    return Reply(servo)


def _action(servo: Servo, parameters: bytes) -> Reply:
    if servo.registered is None:
        return Reply(servo, Fault.INSTRUCTION)
    (address, data), servo.registered = servo.registered, None
    servo.touch()
    return Reply(servo, servo.write(address, data))


def _factory_reset(servo: Servo, parameters: bytes) -> Reply:
    scope = parameters[0] if parameters else packets.RESET_ALL
    keeps = {
        packets.RESET_ALL: (),
        packets.RESET_BUT_ID: ("id",),
        packets.RESET_BUT_ID_AND_BAUD: ("id", "baud_rate"),
    }
    if scope not in keeps:
        return Reply(servo, Fault.DATA_RANGE)
    before = _alert(servo)
    servo.factory_reset(keeps[scope])
    return Reply(servo, before)


def _reboot(servo: Servo, parameters: bytes) -> Reply:
    before = _alert(servo)
    servo.reboot()
    return Reply(servo, before)


def _alert(servo: Servo) -> int:
    """Return the alert bit in the answer of a servo before it restarts."""
    return servo.error_byte(0) if servo.protocol == 2 else 0


def _clear(servo: Servo, parameters: bytes) -> Reply:
    if parameters != packets.CLEARED["turns"] or not isinstance(servo, XServo):
        return Reply(servo, Fault.DATA_RANGE)
    return Reply(servo, servo.clear_turns())


def _backup(servo: Servo, parameters: bytes) -> Reply:
    if parameters not in packets.BACKUPS.values() or not isinstance(servo, XServo):
        return Reply(servo, Fault.DATA_RANGE)
    return Reply(
        servo, servo.store_backup() if parameters == packets.BACKUPS["store"] else servo.restore_backup()
    )


def _placed(servo: Servo, parameters: bytes) -> tuple[int, bytes]:
    width = servo.protocol  # bytes of an address
    return int.from_bytes(parameters[:width], "little"), parameters[width:]


# -- to all


def _ping_all(parameters: bytes, servos: Servos, protocol: int) -> Execution:
    return Execution([_ping(servo, b"") for servo in servos.all_hearing(protocol)])


def _each(handler: "Handler") -> "ToAll":
    def execute_all(parameters: bytes, servos: Servos, protocol: int) -> Execution:
        for servo in servos.all_hearing(protocol):
            handler(servo, parameters)
        return NOTHING

    return execute_all


def _reset_all(parameters: bytes, servos: Servos, protocol: int) -> Execution:
    for servo in servos.all_hearing(protocol):
        if parameters[:1] != b"\xff" or servo.table.firmware < PROTECTED_FIRMWARE:
            _factory_reset(servo, parameters)
    return NOTHING


def _sync_read(parameters: bytes, servos: Servos, protocol: int, *, fast: bool = False) -> Execution:
    asked: list[tuple[int, int, int]] = []
    if len(parameters) > 4:
        address, size = unpack_from("<HH", parameters)
        asked = [(id, address, size) for id in parameters[4:]]
    return _group_read(asked, servos, fast=fast)


def _bulk_read(parameters: bytes, servos: Servos, protocol: int, *, fast: bool = False) -> Execution:
    asked = iter_unpack("<BHH", parameters) if len(parameters) % 5 == 0 else ()
    return _group_read(asked, servos, fast=fast)


def _group_read(asked: Iterable[tuple[int, int, int]], servos: Servos, *, fast: bool) -> Execution:
    """Read (id, address, size) of each servo."""
    replies = []
    for id, address, size in asked:
        found = servos.at(id, 2)
        if not found or found[0].level == 0 or (fast and not _knows_fast(found[0])):
            replies.append(Reply(None, 0, bytes(min(size, packets.MAX_PACKET))))
        else:
            replies += [_read_span(servo, address, size) for servo in found]
    return Execution(replies, chained=True, fast=fast)


def _knows_fast(servo: Servo) -> bool:
    return 0 < servo.table.fast_read_firmware <= servo.memory.get("firmware_version")


def _sync_write(parameters: bytes, servos: Servos, protocol: int) -> Execution:
    head = 2 * protocol
    if len(parameters) >= head:
        address, size = unpack_from(SPANS[protocol], parameters)
        for at in range(head, len(parameters) - size, size + 1):
            _write_group(servos, protocol, parameters[at], address, parameters[at + 1 : at + 1 + size])
    return NOTHING


def _bulk_write(parameters: bytes, servos: Servos, protocol: int) -> Execution:
    at = 0
    while at + 5 <= len(parameters):
        id, address, size = unpack_from("<BHH", parameters, at)
        data = parameters[at + 5 : at + 5 + size]
        if len(data) == size:
            _write_group(servos, protocol, id, address, data)
        at += 5 + size
    return NOTHING


def _write_group(servos: Servos, protocol: int, id: int, address: int, data: bytes) -> None:
    for servo in (*servos.at(id, protocol), *servos.shadows(id, protocol)):
        servo.write(address, data)


Handler = Callable[[Servo, bytes], Reply]
ToAll = Callable[[bytes, Servos, int], Execution]

_TO_ONE: Final[dict[int, Handler]] = {
    Instruction.PING: _ping,
    Instruction.READ: _read,
    Instruction.WRITE: _write,
    Instruction.REG_WRITE: _reg_write,
    Instruction.ACTION: _action,
    Instruction.FACTORY_RESET: _factory_reset,
    Instruction.REBOOT: _reboot,
    Instruction.CLEAR: _clear,
    Instruction.BACKUP: _backup,
}
_KNOWN_1: Final = tuple(Instruction)[: Instruction.FACTORY_RESET]  # an AX has no reboot
_TO_ALL: Final[dict[tuple[int, int], ToAll]] = {
    (2, Instruction.PING): _ping_all,
    (2, Instruction.FACTORY_RESET): _reset_all,
    (2, Instruction.SYNC_READ): _sync_read,
    (2, Instruction.FAST_SYNC_READ): partial(_sync_read, fast=True),
    (2, Instruction.BULK_READ): _bulk_read,
    (2, Instruction.FAST_BULK_READ): partial(_bulk_read, fast=True),
    (2, Instruction.SYNC_WRITE): _sync_write,
    (2, Instruction.BULK_WRITE): _bulk_write,
    (1, Instruction.SYNC_WRITE): _sync_write,
    **{
        (protocol, code): _each(_TO_ONE[code])
        for protocol in (1, 2)
        for code in (
            Instruction.WRITE,
            Instruction.REG_WRITE,
            Instruction.ACTION,
            Instruction.REBOOT,
            Instruction.CLEAR,
        )
    },
}
