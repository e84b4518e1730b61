# SPDX-License-Identifier: Apache-2.0
"""A virtual servo bus: takes bytes of the host and gives bytes of the servos. ``ports.py`` connects it to a port.

    bus = VirtualBus([(1, "xm430_w350"), (2, "xl430_w250")])
    bus.receive(packet.ping(1))
    bus.transmit()          # the status

All methods may be called from any thread.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypedDict

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.tables.control_table import ControlTable
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.virtual.ax_servo import AxServo, baud_value
from embodiment_bridge.dynamixel.virtual.drive import Drive
from embodiment_bridge.dynamixel.virtual.execute import Servos, execute
from embodiment_bridge.dynamixel.virtual.faults import Faults, Option, Rule
from embodiment_bridge.dynamixel.virtual.line import Answers, Clock, Line, Pacing, WallClock
from embodiment_bridge.dynamixel.virtual.servo import Servo, Supply
from embodiment_bridge.dynamixel.virtual.x_numbers import BAUDS
from embodiment_bridge.dynamixel.virtual.x_servo import XServo
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder
from embodiment_bridge.dynamixel.wire.instructions import Instruction

GAP_S: Final = 0.01  # a pause inside a packet after which servos drop it; the manual does not give a number
BAUD_TOLERANCE: Final = 0.03
DEAFENING: Final = ("absent", "baud_mismatch", "drop_instruction")  # faults
NAMES: Final = {int(code): code.name.lower() for code in Instruction}


class Statistics(TypedDict):
    """Holds the result of ``VirtualBus.statistics``."""

    packets: dict[str, dict[str, int]]
    rejected: dict[str, int]
    faults: dict[str, int]


class VirtualBus:
    """Simulates servos on one wire."""

    def __init__(
        self,
        servos: Iterable[tuple[int, str | ControlTable]],
        *,
        clock: Clock | None = None,
        pacing: Pacing | None = None,
        seed: int = 0,
        voltage: float | None = None,
        baud: int = 1_000_000,
        chain: str = "wait",
        drives: Mapping[int, Drive] | None = None,
    ) -> None:
        """Connect servos to the wire and power them.

        Args:
            servos: (id, model) in the order of the cable; a model is a name or a control table.
            clock: the time of the servos; None for real time.
            pacing: the delays that are simulated; None for none.
            seed: of the random numbers in faults.
            voltage: of the supply, V; None for 12, or a value within the limits of all models.
            baud: baud rate of the servos, 1/s.
            chain: what servos behind a silent one do in a group read: ``wait`` without end, or ``continue`` when its
                time is over.
            drives: by id, a drive to use instead of a simulated motor.

        Raises:
            ConfigError: there are no servos, or a model, an id or the baud rate is wrong, or an id is used twice.
        """
        chosen = [(id, table(model) if isinstance(model, str) else model) for id, model in servos]
        _check(chosen, baud, chain)
        self.lock = threading.RLock()
        self.clock: Clock = clock or WallClock()
        self.supply = Supply(_voltage([model for _, model in chosen]) if voltage is None else voltage)
        self.servos = Servos(
            [_make(model, id, self.supply, baud, (drives or {}).get(id)) for id, model in chosen]
        )
        self.faults = Faults(self.servos, seed)
        self.line = Line(pacing or Pacing())
        self.counters: Counter[tuple[int, str]] = Counter()  # by (id, instruction)
        # Called with (time, "rx" or "tx", raw) for each packet: a transcript.
        self.on_packet: Callable[[float, str, bytes], None] | None = None
        self.on_change: Callable[[], None] | None = None  # called when a fault begins or ends
        self.host_baud = 0  # baud rate of the host's port; 0: unknown, then it matches all servos
        self._answers = Answers(self.faults, self.line, chain)
        self._decoder = PacketDecoder("instruction", self.servos.protocols)
        self._last_byte = 0.0
        self._bauds_known_for, self._mismatched = -1, False
        for servo in self.servos.chain:
            servo.time = servo.silent_until = self.clock.now()

    # -- the wire

    def receive(self, data: bytes) -> None:
        """Receive bytes from the host."""
        with self.lock:
            now = self.clock.now()
            self.line.receive(len(data), now)
            if self.faults.rules:
                self.faults.update(now)
                if self.faults.hit("echo", None, now):
                    self.line.echo(data, now)
            if self._decoder.pending and now - self._last_byte > GAP_S:
                self._decoder.reset()
                self._decoder.rejected["gap"] += 1
            self._last_byte = now
            for found in self._decoder.feed(data):
                if isinstance(found, Packet):
                    self._handle(found, now)

    def transmit(self) -> bytes:
        """Return the bytes that have reached the host by now."""
        with self.lock:
            return self.line.take(self.clock.now())

    def due(self) -> float:
        """Return when the next bytes reach the host, s of the clock; infinite if there are none."""
        with self.lock:
            return self.line.due()

    def _handle(self, packet: Packet, now: float) -> None:
        if self.on_packet is not None:
            self.on_packet(now, "rx", packet.raw)
        servos = self.servos
        servos.now = now
        if any(servo.readdressed for servo in servos.chain):
            servos.refresh()
            self._bauds_known_for = -1
        servos.hears = self._hears if self.faults.rules or self._is_mismatched() else None
        for servo in servos.chain:
            if servo.armed:  # its watchdog may have fired before this packet came
                servo.advance(now)
            if servos.hears is None or not self._is_deaf(servo):
                servo.last_heard = now
        self.counters[packet.id, NAMES.get(packet.instruction, "unknown")] += 1
        execution = execute(packet, servos)
        for sent in self._answers.send(packet, execution, now):
            if self.on_packet is not None:
                self.on_packet(now, "tx", sent)

    def _is_mismatched(self) -> bool:
        """Return whether the host's baud rate differs from that of any servo; cached until one of them changes."""
        if self._bauds_known_for != self.host_baud:
            bauds = {servo.baud_rate for servo in self.servos.chain}
            self._mismatched = bool(self.host_baud) and any(_differ(self.host_baud, baud) for baud in bauds)
            self._bauds_known_for = self.host_baud
        return self._mismatched

    def _is_deaf(self, servo: Servo) -> bool:
        """Return whether no packet reaches a servo: like ``_hears``, but for each packet on the wire, uncounted."""
        faults, now = self.faults, self.servos.now
        chain = self.servos.chain
        return (
            (self.host_baud > 0 and _differ(self.host_baud, servo.baud_rate))
            or any(faults.would_hit(kind, servo.id, now) for kind in DEAFENING)
            or any(faults.would_hit("chain_break", one.id, now) for one in chain[: chain.index(servo) + 1])
        )

    def _hears(self, servo: Servo) -> bool:
        """Return whether an instruction reaches a servo, given baud rates and faults."""
        if self.host_baud and _differ(self.host_baud, servo.baud_rate):
            self.counters[servo.id, "baud_mismatch"] += 1
            return False
        faults, now, id = self.faults, self.servos.now, servo.id
        for earlier in self.servos.chain:
            if faults.hit("chain_break", earlier.id, now):
                return False
            if earlier is servo:
                break
        return not any(faults.hit(kind, id, now) for kind in DEAFENING)

    # -- faults, for tests and for users

    def inject(self, kind: str, /, **given: Option) -> Rule:
        """Begin a fault (docs/virtual_servos.md has the list); ``heal`` with the returned rule ends it.

        given: options of the fault; and id: of the servo, None for any; skip: packets that pass first; count: packets
        hit; probability: per packet; after, duration: s.

        Raises:
            ConfigError: the fault, option or servo is unknown, or a number is out of its range.
        """
        with self.lock:
            now = self.clock.now()
            rule = self.faults.add(kind, now, given)
            self.faults.update(now)
        self._changed()
        return rule

    def heal(self, rule: Rule | None = None) -> None:
        """End a fault, or all faults. A servo that has shut down stays so until it is rebooted."""
        with self.lock:
            for each in list(self.faults.rules) if rule is None else [rule]:
                self.faults.remove(each)
        self._changed()

    def set_return_delay(self, seconds: float) -> None:
        """Set the register of all servos, as it is usually done when a robot is set up (factory value: 500 us)."""
        with self.lock:
            for servo in self.servos.chain:
                servo.memory.set("return_delay_time", min(max(round(seconds / 2e-6), 0), 254))

    def drop(self) -> None:
        """Drop all bytes on the line and unfinished packets, as when the cable is unplugged."""
        with self.lock:
            self.line.clear()
            self._decoder.reset()

    @property
    def has_faults(self) -> bool:
        """Whether there are faults, which may begin or end with time."""
        return bool(self.faults.rules)

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def servo(self, id: int) -> Servo:
        """Return a servo, brought to the present time.

        Raises:
            ConfigError: no servo has this id.
        """
        with self.lock:
            for found in self.servos.by_id(id):
                found.advance(self.clock.now())
                return found
            raise ConfigError(f"there is no servo {id} (there are: {self._ids()})")

    def update(self) -> bool:
        """Bring all servos to the present time; whether any still moves."""
        with self.lock:
            now = self.clock.now()
            if self.faults.rules:
                self.faults.update(now)
            for servo in self.servos.chain:
                servo.advance(now)
            return any(not servo.drive.settled for servo in self.servos.chain)

    @property
    def unplugged(self) -> bool:
        """Whether the cable to the host is unplugged."""
        with self.lock:
            return self.faults.active("unplug", self.clock.now())

    def snapshot(self) -> dict[int, dict[str, int]]:
        """Return the registers of all servos by id and item."""
        with self.lock:
            self.update()
            return {servo.id: servo.snapshot() for servo in self.servos.chain}

    def statistics(self) -> Statistics:
        """Return counters: packets by id and kind, rejected input by reason, hits of faults by kind."""
        with self.lock:
            packets: dict[str, dict[str, int]] = {}
            for (id, name), count in sorted(self.counters.items()):
                packets.setdefault(str(id), {})[name] = count
            rejected = dict(self._decoder.rejected)
            return {"packets": packets, "rejected": rejected, "faults": dict(self.faults.total)}

    def _ids(self) -> str:
        return ", ".join(str(servo.id) for servo in self.servos.chain)


def _make(model: ControlTable, id: int, supply: Supply, baud: int, drive: Drive | None) -> Servo:
    kind = AxServo if model.protocol == 1 else XServo
    servo: Servo = kind(model, id, supply, drive)
    servo.memory.set("baud_rate", baud_value(baud) if model.protocol == 1 else BAUDS.index(baud))
    servo.touch()
    return servo


def _differ(host: int, servo: int) -> bool:
    return abs(host - servo) > BAUD_TOLERANCE * servo


def _check(chosen: list[tuple[int, ControlTable]], baud: int, chain: str) -> None:
    ids = [id for id, _ in chosen]
    if not ids:
        raise ConfigError("a bus needs at least one servo")
    for id in ids:
        if isinstance(id, bool) or not isinstance(id, int) or not 0 <= id <= 252:
            raise ConfigError(f"servo id {id!r} is not within 0 to 252")
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise ConfigError(f"servo ids {twice} are used twice on one bus")
    if baud not in BAUDS:
        raise ConfigError(f"baud rate {baud} is not one of a servo: {', '.join(map(str, BAUDS))}")
    for id, model in chosen:
        if model.protocol == 2 and BAUDS.index(baud) > model.item("baud_rate").upper:
            raise ConfigError(f"servo {id} ({model.model}) has no baud rate {baud}")
    if chain not in ("wait", "continue"):
        raise ConfigError(f"chain is {chain!r}; it must be 'wait' or 'continue'")


def _voltage(models: list[ControlTable]) -> float:
    """Return 12 V, or another voltage within the limits of all models."""
    lowest = max(model.item("min_voltage_limit").initial for model in models) * 0.1
    highest = min(model.item("max_voltage_limit").initial for model in models) * 0.1
    usual = [12.0, 11.1, 5.0, 24.0]
    return next((volts for volts in usual if lowest <= volts <= highest), highest)
