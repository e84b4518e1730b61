# SPDX-License-Identifier: Apache-2.0
"""The servos of a bus by what they answer to."""

from collections.abc import Callable, Sequence

from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.x_servo import XServo

NOBODY: Sequence[Servo] = ()


class Servos:
    """``chain``: in the order in which they hang on the cable."""

    def __init__(self, chain: Sequence[Servo]) -> None:
        self.chain = tuple(chain)
        self.hears: Callable[[Servo], bool] | None = None  # None: all do, which is quick to know
        self.now = 0.0
        self.refresh()

    def refresh(self) -> None:
        """Ids, shadow ids, watchdogs or reboots may have changed."""
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
        """All at an id."""
        return [servo for servo in self.chain if servo.id == id]

    def at(self, id: int, protocol: int) -> Sequence[Servo]:
        """Those at an id that hear, brought to the present."""
        return self._present(self._by_id.get((id, protocol), NOBODY))

    def shadows(self, id: int, protocol: int) -> Sequence[Servo]:
        """Those that hear and obey what is written to another's id."""
        found = self._by_shadow.get((id, protocol))
        return self._present(found) if found else NOBODY

    def all_hearing(self, protocol: int) -> Sequence[Servo]:
        """All that hear, in the order of ids."""
        found = [servo for servo in self.chain if servo.protocol == protocol]
        return self._present(sorted(found, key=lambda servo: servo.id))

    def _present(self, servos: Sequence[Servo]) -> Sequence[Servo]:
        now, hears = self.now, self.hears
        if hears is not None:
            servos = [servo for servo in servos if hears(servo)]
        if len(servos) == 1:  # as nearly always
            (servo,) = servos
            servo.advance(now)
            return servos if servo.silent_until <= now else NOBODY
        for servo in servos:
            servo.advance(now)
        return [servo for servo in servos if servo.silent_until <= now]
