# SPDX-License-Identifier: Apache-2.0
"""Regular checks of servos: torque, hardware errors, voltage, temperature, the servo's own watchdog.

Each check is one sync read for all servos of one layout; there is at most one check per cycle.
"""

from collections.abc import Callable, Sequence

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.bus.client import Answer, BusClient
from embodiment_bridge.dynamixel.bus.reading import MISSES
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import POSITION_MODES
from embodiment_bridge.dynamixel.wire.instructions import error_bits

EVERY_S = 1.0  # s between two checks of the same kind
ASLEEP, FIRED = 0, -1  # values of bus_watchdog: it watches nothing; it has fired
# rad from the goal in that many checks of any kind in a row: the joint does not follow. A stuck servo calls it an
# overload, and goes limp, after 2 s.
FAR, LOOKS = 0.3, 4
BEHIND = "does not follow: "
FIRST, LAST, CODE = "torque_enable", "hardware_error_status", "error_code"
SUPPLY, HEATS = "present_input_voltage", ("present_temperature", "present_inverter_temperature")


class Health:
    """Checks the health of the servos of one bus."""

    def __init__(self, client: BusClient, supervisor: Supervisor) -> None:
        self._client = client
        self._supervisor = supervisor
        self._looks: tuple[Callable[[Sequence[Servo], float], None], ...] = (
            self._check_torque,
            self._check_supply,
            self._check_watchdog,
        )
        self._next = 0
        self.due = 0.0  # time of the next check, s of the monotonic clock

    def check_torque_next(self) -> None:
        """Check the torque in the next cycle."""
        self._next, self.due = 0, 0.0

    def examine(self, servos: Sequence[Servo], now: float) -> None:
        """Check whether servos that were not heard for some time have restarted, before their values are used.

        The torque shows it, because it is off after a restart. Where it was off before, a servo that missed some cycles
        is set up again, and one that was not asked, because this computer was busy, if its settings are lost.
        """
        for servo in servos:
            if not servo.torque and (servo.misses >= MISSES or self._supervisor.has_lost_settings(servo)):
                self._supervisor.silence(servo, now, "was away for a moment", 0.0)
        self._check_torque([servo for servo in servos if servo.torque], now)

    def step(self, servos: Sequence[Servo], now: float) -> None:
        """Do one check of the servos that answer, if one is due."""
        for servo in servos:
            if servo.table.protocol == 1:
                if servo.reported != servo.error:
                    self._supervisor.handle_fault(servo, servo.reported, now)
                    self.check_torque_next()  # now: it may have shut down
            elif now >= servo.look_again_at and (CODE in servo.table.items if servo.error else servo.alert):
                self._check_error(servo, now)
                return
        if now < self.due:
            return
        for servo in servos:
            _check_following(servo)
        self._looks[self._next](servos, now)
        self._next = (self._next + 1) % len(self._looks)
        self.due = now + EVERY_S / len(self._looks)

    def _check_error(self, servo: Servo, now: float) -> None:
        item = servo.table.first(LAST, CODE)
        if item is None:
            return
        answer = self._client.read(servo.id, item.address, item.size)
        if answer is not None and answer.data:
            value = item.decode(answer.data)
            bits = error_bits(value) if item.name == CODE else value
            if bits != servo.error:
                self._supervisor.handle_fault(servo, bits, now)
            if (
                item.name == CODE or not bits
            ):  # it has one code at a time, or only warns; others have their turn
                servo.look_again_at = now + EVERY_S

    def _check_torque(self, servos: Sequence[Servo], now: float) -> None:
        for servo, answer in self._ask(servos, FIRST, LAST):
            start = servo.table.item(FIRST).address
            torque = bool(_value(servo, FIRST, answer, start))
            if servo.table.protocol == 1:
                bits = servo.reported = answer.hardware
            else:
                bits = _value(servo, LAST, answer, start) if LAST in servo.table.items else servo.error
            lost, found = servo.torque and not torque, torque and not servo.torque
            servo.unsure = False
            shut_down = servo.table.protocol == 1 and bool(bits or servo.error)
            if bits != servo.error:
                self._supervisor.handle_fault(servo, bits, now)
            if lost:
                # It restarted, or switched its torque off by itself: its settings may be lost.
                servo.torque = False
                if shut_down:
                    self._supervisor.leave_limp(servo)
                elif not bits:
                    self._supervisor.silence(
                        servo, now, "lost its torque: it restarted, or its power was cut", 0.0
                    )
            elif found:
                servo.torque = True  # `drive` switches it off where it is not wanted
                servo.starts += 1
                servo.goals.start(servo.position)  # its goal may be old

    def _check_supply(self, servos: Sequence[Servo], now: float) -> None:
        for heat in HEATS:
            alike = [servo for servo in servos if heat in servo.table.items]
            for servo, answer in self._ask(alike, SUPPLY, heat):
                start = servo.table.item(SUPPLY).address
                servo.voltage = _value(servo, SUPPLY, answer, start) * servo.table.item(SUPPLY).factor
                servo.temperature = float(_value(servo, heat, answer, start))

    def _check_watchdog(self, servos: Sequence[Servo], now: float) -> None:
        watched = [servo for servo in servos if servo.torque and servo.mode not in POSITION_MODES]
        for servo, answer in self._ask(watched, "bus_watchdog", "bus_watchdog"):
            value = servo.table.item("bus_watchdog").decode(answer.data)
            try:
                if value == ASLEEP:  # its torque was found to be on
                    self._supervisor.settings.arm_watchdog(servo)
                elif value == FIRED:  # `drive` switches the torque on again, with a soft start
                    self._supervisor.settings.torque_off(servo)
                    servo.note = "its watchdog stopped it: the bus was silent for too long"
            except CommandError as error:
                servo.reason = str(error)

    def _ask(self, servos: Sequence[Servo], first: str, last: str) -> list[tuple[Servo, Answer]]:
        """Read the bytes from item ``first`` to ``last`` of all servos; only ``first`` where there is no ``last``."""
        groups: dict[tuple[int, int, int], list[Servo]] = {}
        for servo in servos:
            items = servo.table.items
            if first in items:
                end = items[last].end if last in items else items[first].end
                groups.setdefault((servo.table.protocol, items[first].address, end), []).append(servo)
        found: list[tuple[Servo, Answer]] = []
        for (protocol, address, end), members in groups.items():
            if protocol == 1:
                single = ((servo, self._client.read(servo.id, address, end - address)) for servo in members)
                found += [(servo, answer) for servo, answer in single if answer is not None and answer.data]
                continue
            answers = self._client.sync_read(address, end - address, [servo.id for servo in members])
            found += [
                (servo, answers[servo.id])
                for servo in members
                if servo.id in answers and answers[servo.id].data
            ]
        return found


def _check_following(servo: Servo) -> None:
    """Note a joint that does not follow: it is stuck, overloaded, stripped or mounted the wrong way round."""
    off = servo.goals.goal - servo.position if servo.torque and servo.mode in POSITION_MODES else 0.0
    servo.behind = servo.behind + 1 if abs(off) > FAR else 0
    if servo.behind >= LOOKS:
        servo.reason = f"{BEHIND}{abs(off):.2f} rad from its goal"
    elif servo.reason.startswith(BEHIND):
        servo.reason = ""


def _value(servo: Servo, name: str, answer: Answer, start: int) -> int:
    item = servo.table.item(name)
    return item.decode(answer.data[item.address - start : item.end - start])
