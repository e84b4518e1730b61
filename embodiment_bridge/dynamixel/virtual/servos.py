# SPDX-License-Identifier: Apache-2.0
"""The servos of a bus by the ids to which they answer."""

from collections.abc import Callable, Sequence

from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.x_servo import XServo

NO_SERVOS: Sequence[Servo] = ()


class Servos:
    """The servos of a bus. ``chain``: in the order of the cable."""

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
        """All servos with an id."""
        return [servo for servo in self.chain if servo.id == id]

    def at(self, id: int, protocol: int) -> Sequence[Servo]:
        """The servos with an id that the instruction reaches, brought to the present time."""
        return self._present(self._by_id.get((id, protocol), NO_SERVOS))

    def shadows(self, id: int, protocol: int) -> Sequence[Servo]:
        """The servos with ``id`` as their shadow id, which also execute what is written to it."""
        found = self._by_shadow.get((id, protocol))
        return self._present(found) if found else NO_SERVOS

    def all_hearing(self, protocol: int) -> Sequence[Servo]:
        """All servos that the instruction reaches, in the order of ids."""
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
