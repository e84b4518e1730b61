# SPDX-License-Identifier: Apache-2.0
"""Makes servos safe at the end, and starts the guardian that does so when this process is gone.

The known state of a servo is not used here: one that counts as silent, limp or absent may still be driven.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.joints import GOAL_ITEMS
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.config.servo_config import POSITION_MODES
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST

PATIENCE_S = 2.0  # s within which servos must confirm that their torque is off
SILENT = "does not answer"
DRIVEN = "says that its torque is on"
Place = tuple[int, int, int]  # protocol, address, bytes
Groups = dict[Place, dict[int, bytes]]  # data by id


def limp_packets(servos: Sequence[Servo]) -> bytes:
    """Return the packets for goal 0 where a motor would run on, then torque off: one sync write a kind of servo."""
    limp: Groups = {}
    for servo in servos:
        limp.setdefault(_torque(servo), {})[servo.id] = b"\0"
    return _goals_of_rest(servos) + _sync_writes(limp)


def safe_packets(servos: Sequence[Servo]) -> bytes:
    """Return ``limp_packets`` where ``on_shutdown`` is off; only goal 0 where it is hold.

    If all servos of a protocol are to be limp, torque off is added as a broadcast, which is shorter and may get through
    where the sync write does not.
    """
    limp = [servo for servo in servos if servo.config.on_shutdown == "off"]
    held = [servo for servo in servos if servo.config.on_shutdown == "hold"]
    others = {servo.table.protocol for servo in servos if servo.config.on_shutdown != "off"}
    places = {_torque(servo) for servo in limp}
    return b"".join([limp_packets(limp), *_broadcasts(places, others), _goals_of_rest(held)])


def _goals_of_rest(servos: Iterable[Servo]) -> bytes:
    """Return goal 0 for the servos whose motors would run on."""
    still: Groups = {}
    for servo in servos:
        table = servo.table
        item = table.items.get("moving_speed" if table.protocol == 1 else GOAL_ITEMS[servo.mode])
        # A model without the mode was found: it is not driven.
        if servo.mode not in POSITION_MODES and item is not None:
            still.setdefault((table.protocol, item.address, item.size), {})[servo.id] = bytes(item.size)
    return _sync_writes(still)


def _torque(servo: Servo) -> Place:
    return servo.table.protocol, servo.table.item("torque_enable").address, 1


def _sync_writes(groups: Groups) -> bytes:
    return b"".join(
        packet.sync_write(address, size, data, protocol) for (protocol, address, size), data in groups.items()
    )


def _broadcasts(limp: Iterable[Place], others: set[int]) -> list[bytes]:
    """Return a broadcast for each protocol whose servos all go limp and have torque_enable at one address."""
    made = []
    for protocol in (2, 1):
        addresses = {address for one, address, _ in limp if one == protocol}
        if len(addresses) == 1 and protocol not in others:
            made.append(packet.write(BROADCAST, addresses.pop(), b"\0", protocol))
    return made


def make_safe(client: BusClient, servos: Sequence[Servo], deadline: float) -> dict[str, str]:
    """Repeat ``safe_packets`` until every servo that is to be limp confirms it, or until ``deadline``.

    deadline: s of the monotonic clock.

    Returns:
        By joint, why it could not be confirmed; empty when all are safe.

    Raises:
        LinkError: the port is gone.
    """
    packets = safe_packets(servos)
    client.hold(packets)
    client.flush()
    client.settle()  # a late answer must not count as the answer to the next question
    left = {servo: SILENT for servo in servos if servo.config.on_shutdown == "off"}
    while left:
        for servo, torque in _read_torque(client, list(left), packets, deadline):
            if torque:
                left[servo] = DRIVEN
            else:
                servo.wanted = False
                servo.know_torque(False)
                del left[servo]
        if time.monotonic() >= deadline:
            break
    return {servo.config.joint: why for servo, why in left.items()}


def _read_torque(
    client: BusClient, servos: Sequence[Servo], packets: bytes, deadline: float
) -> list[tuple[Servo, int]]:
    """Read the torque of servos that answer: together, then one by one, as a silent one may block those behind it."""
    groups: dict[Place, list[Servo]] = {}
    for servo in servos:
        groups.setdefault(_torque(servo), []).append(servo)
    found: dict[Servo, int] = {}
    for (protocol, address, size), members in groups.items():
        if protocol == 2:
            client.hold(packets)
            answers = client.sync_read(address, size, [servo.id for servo in members])
            found |= {s: answers[s.id].data[0] for s in members if s.id in answers and answers[s.id].data}
        for servo in members:
            if servo in found or time.monotonic() >= deadline:
                continue
            client.hold(packets)
            answer = client.read(servo.id, address, size)
            if answer is not None and answer.data:
                found[servo] = answer.data[0]
    return list(found.items())


# Starts and controls the guardian of a bus: a small process that makes the servos safe when this process is gone.
#
# A process that is killed or crashes cannot write torque off any more. ``guardian_program.py`` can: it has the same
# open port, the packets, and one end of a pipe that breaks when this process ends.

PROGRAM = Path(__file__).with_name("guardian_program.py")
LOOK_S = 1.0  # s between checks that it runs
END_S = 2.0  # s within which it must end
ACT_S = 15.0  # the same, after it has made the servos safe: on a busy computer it may still be starting
STAND_DOWN = bytes(4)


class Guardian:
    """Guards the port with file descriptor ``port``. Only one thread may use it.

    problem: why there is no guardian now; empty while it runs. No method raises: a bus also works without a guardian.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._packets = b""
        self._orders = -1
        self._process: subprocess.Popen[bytes] | None = None
        self._look_at = 0.0
        self.problem = ""
        self._start()

    @property
    def pid(self) -> int:
        """Its process id; 0: none."""
        return self._process.pid if self._process is not None else 0

    def set_packets(self, packets: bytes) -> None:
        """Set the packets that make the servos safe; empty packets are not sent."""
        self._packets = packets
        if packets:
            self._send(len(packets).to_bytes(4, "little") + packets)

    def check(self, now: float) -> None:
        """Start a new one if it has ended; checks once a second. ``now``: s of the monotonic clock."""
        if now < self._look_at:
            return
        self._look_at = now + LOOK_S
        code = self._process.poll() if self._process is not None else None
        if self._process is not None and code is None:
            self.problem = ""
            return
        self._let_go()
        self._start()
        self.set_packets(self._packets)
        self.problem = self.problem or f"the guardian had ended with code {code}; a new one was started"

    def close(self, *, act: bool) -> None:
        """End it; ``act``: let it make the servos safe first. When this returns, no other process has the port."""
        if not act:
            self._send(STAND_DOWN)
        self._let_go()
        if self._process is not None:
            try:
                self._process.wait(ACT_S if act else END_S)
            except subprocess.TimeoutExpired:  # the process is suspended
                self._process.kill()
                self._process.wait()
            self._process = None

    def _start(self) -> None:
        """Start it by the interpreter's real path and a file descriptor: `pkill -9 -f` must not find our name in it."""
        python = os.path.realpath(sys.executable)
        self._look_at = time.monotonic() + LOOK_S
        self._process, self.problem = None, ""
        try:
            with PROGRAM.open("rb") as program:
                reader, self._orders = os.pipe()
                try:
                    os.set_blocking(self._orders, False)
                    script = program.fileno()
                    numbers = (str(number) for number in (self._port, reader, os.getpid()))
                    self._process = subprocess.Popen(
                        [python, "-I", "-S", f"/dev/fd/{script}", *numbers],
                        pass_fds=(self._port, reader, script),
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                        cwd="/",
                    )
                finally:
                    os.close(reader)
        except (OSError, ValueError) as error:
            self.problem = f"no guardian: {error}; after a crash of the driver the joints would stay driven"

    def _send(self, data: bytes) -> None:
        with suppress(OSError):  # it has ended: `check` starts a new one
            os.write(self._orders, data)

    def _let_go(self) -> None:
        if self._orders >= 0:
            os.close(self._orders)
            self._orders = -1
