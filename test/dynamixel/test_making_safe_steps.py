# SPDX-License-Identifier: Apache-2.0
"""What is sent and what is asked until every joint is safe, step by step, with a client that answers as written."""

from types import SimpleNamespace

import pytest
from driver_stage import servo

from embodiment_bridge.dynamixel.bus import making_safe
from embodiment_bridge.dynamixel.bus.client import Answer
from embodiment_bridge.dynamixel.bus.making_safe import make_safe, safe_packets
from embodiment_bridge.dynamixel.bus.servo import Servo, make_servo
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.wire import packet

SILENT, DRIVEN = "does not answer", "says that its torque is on"
OFF, ON, REFUSED = b"\0", b"\1", b""


def a_servo(id: int, model: str = "xm430_w350", **fields) -> Servo:
    return make_servo(servo(id, model=model, **fields), table(model))


def wheel(id: int, model: str = "xm430_w350") -> Servo:
    return a_servo(id, model, mode="velocity", on_shutdown="hold")


def off(*ids: int) -> dict[int, bytes]:
    return dict.fromkeys(ids, b"\0")


KEPT, HELD = a_servo(3, on_shutdown="keep"), a_servo(4, on_shutdown="hold")
LIMP = packet.sync_write(64, 1, off(1, 2))
STILL = packet.sync_write(104, 4, {4: bytes(4)})
OLD_LIMP = packet.sync_write(24, 1, off(5), protocol=1)
OLD_STILL = packet.sync_write(32, 2, {6: bytes(2)}, protocol=1)
ALL, ALL_OLD = packet.write(254, 64, b"\0"), packet.write(254, 24, b"\0", protocol=1)


@pytest.mark.parametrize(
    ("servos", "packets"),
    [
        ([], b""),
        ([a_servo(1), a_servo(2)], LIMP + ALL),
        ([a_servo(1), a_servo(2), KEPT], LIMP),  # no broadcast: one keeps its torque
        ([KEPT, HELD], b""),
        ([wheel(4)], STILL),
        ([a_servo(5, "ax_12a"), wheel(4)], OLD_LIMP + ALL_OLD + STILL),
        ([a_servo(5, "ax_12a"), wheel(6, "ax_12a")], OLD_LIMP + OLD_STILL),
        ([a_servo(1), a_servo(2), a_servo(5, "ax_12a")], LIMP + OLD_LIMP + ALL + ALL_OLD),
        (
            [a_servo(4, "xl430_w250", mode="current", on_shutdown="hold"), wheel(4)],
            STILL,
        ),  # it has no such mode
        (  # no broadcast: they have it at different addresses
            [a_servo(1), a_servo(7, "ph42_020_s300")],
            packet.sync_write(64, 1, off(1)) + packet.sync_write(512, 1, off(7)),
        ),
    ],
)
def test_packets_that_make_safe(servos, packets) -> None:
    assert safe_packets(servos) == packets


class Script:
    """In place of the client of a bus: gives the written answers one after the other, and each takes a second."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.now = 0.0
        self.asked: list[tuple[int, ...]] = []
        self.calls: list[str | bytes] = []

    def hold(self, data: bytes) -> None:
        self.calls.append(data)

    def flush(self) -> None:
        self.calls.append("flush")

    def settle(self) -> None:
        self.calls.append("settle")

    def sync_read(self, address: int, size: int, ids: list[int]) -> dict[int, Answer]:
        answer = self._asked(address, size, *ids)
        return {id: Answer(0, data) for id, data in answer.items()}

    def read(self, id: int, address: int, size: int) -> Answer | None:
        answer = self._asked(address, size, id)
        return None if answer is None else Answer(0, answer)

    def _asked(self, *question: int):
        self.calls.append("ask")
        self.asked.append(question)
        self.now += 1.0
        return self.answers.pop(0)


TWO = (64, 1, 1, 2)
FIRST, SECOND = (64, 1, 1), (64, 1, 2)


@pytest.mark.parametrize(
    ("servos", "deadline", "dialogue", "unsafe"),
    [
        ([1, 2], 9.0, [(TWO, {1: OFF, 2: OFF})], {}),
        ([1, 2], 9.0, [(TWO, {1: OFF}), (SECOND, OFF)], {}),
        ([1, 2], 9.0, [(TWO, {2: OFF}), (FIRST, OFF)], {}),
        ([1, 2], 9.0, [(TWO, {1: REFUSED, 2: OFF}), (FIRST, OFF)], {}),
        ([1], 9.0, [(FIRST, {}), (FIRST, REFUSED), (FIRST, {1: OFF})], {}),
        ([1], 9.0, [(FIRST, {}), (FIRST, None), (FIRST, {1: OFF})], {}),
        ([1, 2], 9.0, [(TWO, {1: ON, 2: OFF}), (FIRST, {1: OFF})], {}),
        ([1], 2.0, [(FIRST, {1: ON}), (FIRST, {1: ON})], {"j1": DRIVEN}),
        ([1], 2.0, [(FIRST, {}), (FIRST, None)], {"j1": SILENT}),
        ([1, 2], 1.0, [(TWO, {})], {"j1": SILENT, "j2": SILENT}),  # too late to ask one by one
        ([1, 2], 2.0, [(TWO, {}), (FIRST, ON)], {"j1": DRIVEN, "j2": SILENT}),
        ([a_servo(5, "ax_12a")], 9.0, [((24, 1, 5), OFF)], {}),
        ([1, KEPT, HELD], 9.0, [(FIRST, {1: OFF})], {}),
        ([KEPT, HELD, wheel(6)], 9.0, [], {}),
        ([1, a_servo(7, "ph42_020_s300")], 9.0, [(FIRST, {1: OFF}), ((512, 1, 7), {7: OFF})], {}),
    ],
)
def test_servos_are_asked_until_their_torque_is_off(monkeypatch, servos, deadline, dialogue, unsafe) -> None:
    servos = [a_servo(one) if isinstance(one, int) else one for one in servos]
    for one in servos:
        one.torque = one.wanted = True
    client = Script(*(answer for _, answer in dialogue))
    monkeypatch.setattr(making_safe, "time", SimpleNamespace(monotonic=lambda: client.now))
    assert make_safe(client, servos, deadline) == unsafe
    assert client.asked == [question for question, _ in dialogue]
    packets = safe_packets(servos)
    assert client.calls == [packets, "flush", "settle", *[packets, "ask"] * len(dialogue)]
    driven = {one.config.joint for one in servos if one.config.on_shutdown != "off"} | unsafe.keys()
    assert {one.config.joint for one in servos if one.torque} == driven
    assert {one.config.joint for one in servos if one.wanted} == driven
