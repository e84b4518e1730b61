# SPDX-License-Identifier: Apache-2.0
"""One cycle of a bus after the other: goals out, values in, and then whatever else there is to do.

Where cycles follow each other without a pause and nothing else is to be done, the values of one cycle are looked at,
and the goals of the next are made, while the wire is busy with the question of the one between. So the wire waits for
nobody, and a value is at most one cycle older than it could be.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.goal_writer import GoalWriter, Target
from embodiment_bridge.dynamixel.bus.health import Health
from embodiment_bridge.dynamixel.bus.reading import MISSES
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor


class Cycle:
    """Cycles of one open bus, in its thread.

    obeyed: the emergency stop that has been carried out, as ``ServoBus.emergency_stop`` has it.
    """

    def __init__(
        self,
        client: BusClient,
        supervisor: Supervisor,
        servos: Sequence[Servo],
        on_found: Callable[[Servo], None],
    ) -> None:
        self._client = client
        self._supervisor = supervisor
        self._servos = servos
        self._on_found = on_found
        self._writer = GoalWriter(client)
        self._health = Health(client, supervisor)
        self.obeyed = ""
        self._answering: list[Servo] = []
        self._resuming = False
        self.settle()

    def obey(self, estop: str) -> None:
        """Begin or end an emergency stop: torque off is on the wire when this returns."""
        self._writer.forget()
        self.obeyed = estop
        if estop == "torque_off":
            groups: dict[int, dict[int, bytes]] = {}
            for servo in self._servos:
                groups.setdefault(servo.table.item("torque_enable").address, {})[servo.id] = b"\0"
                servo.torque = False
            for address, data in groups.items():
                self._client.sync_write(address, 1, data)
            self._health.hurry()
        self.settle()

    def resume(self) -> None:
        """A long time has passed: joints keep their goals for one cycle, and then go on from where they are."""
        self._writer.forget()
        self._resuming = True

    def exchange(
        self, targets: Mapping[str, Target], now: float, dt: float, *, fresh: bool, hurried: bool
    ) -> bool:
        """Goals out, values in; whether that was all that there is to do.

        targets, dt, fresh: see ``GoalWriter``. hurried: the wire is the limit, and nobody has asked for anything else.
        """
        resuming, self._resuming = self._resuming, False
        fresh = fresh and not resuming
        calm = self._calm and hurried and now < self._health.due and not resuming
        reader = self._supervisor.reader
        if self.obeyed != "torque_off":
            self._writer.write(self._driven, targets, dt, fresh=fresh, same=self._calm)
        if calm:
            self._client.meanwhile = lambda: self._think(targets, dt, fresh=fresh)
        else:
            reader.tell()
        complete = reader.read(self._answering, now)
        if calm and complete:
            return True
        back = [servo for servo in self._answering if servo.misses >= MISSES and reader.answered(servo)]
        if back:
            self._health.examine(back, now)
        reader.tell()
        if resuming:
            for servo in self._driven:
                if servo.heard == now:
                    servo.goals.start(servo.position)
        return False

    @contextmanager
    def giving_way(self, urgent: Callable[[], bool]) -> Iterator[None]:
        """Inside, the next question to a servo raises ``GivenWay`` once ``urgent()``."""
        self._client.give_way = urgent
        try:
            yield
        finally:
            self._client.give_way = None

    def tend(self, now: float) -> None:
        """See who is silent, who is back, and who needs help."""
        self._supervisor.mark_silent(now)
        self._supervisor.look_for_silent(now, self._on_found)
        self._health.step([servo for servo in self._servos if not servo.silent], now)

    def settle(self) -> None:
        """See anew who answers and who is driven."""
        answering = [servo for servo in self._servos if not servo.silent]
        if answering != self._answering:  # what is known of the same servos stays of use
            self._answering = answering
        self._driven = [servo for servo in answering if servo.torque]
        self._calm = self._is_calm()

    def _think(self, targets: Mapping[str, Target], dt: float, *, fresh: bool) -> None:
        """What needs no wire."""
        self._supervisor.reader.tell()
        self._calm = self._is_calm()
        if self.obeyed != "torque_off":
            self._writer.prepare(self._driven, targets, dt, fresh=fresh)

    def _is_calm(self) -> bool:
        """Whether all servos are there, well, and in the state in which they shall be."""
        for servo in self._servos:
            if (
                servo.silent
                or servo.misses
                or servo.alert
                or servo.torque != (servo.wanted and not servo.locked)
            ):
                return False
        return True
