# SPDX-License-Identifier: Apache-2.0
"""An emergency stop waits for one answer at most, also where servos get their torque or are looked for."""

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import BusClient, GivenWay

WRITE, SYNC_WRITE, TORQUE = 0x03, 0x83, 64


class DeadWire:
    """Nobody answers on it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def read(self, timeout: float) -> bytes:
        return b""

    def discard(self) -> int:
        return 0


def test_a_client_that_gives_way_asks_nothing_and_still_writes() -> None:
    wire = DeadWire()
    client = BusClient(wire, 1_000_000, margin_s=0.0)
    client.give_way = lambda: True
    for ask in (
        lambda: client.ping(1),
        lambda: client.read(1, 64, 1),
        lambda: client.fast_sync_read(64, 1, (1,)),
    ):
        with pytest.raises(GivenWay):
            ask()
    assert wire.written == []
    client.sync_write(TORQUE, 1, {1: b"\0"})
    assert len(wire.written) == 1


def test_a_stop_while_servos_get_their_torque_comes_after_the_answer_that_is_waited_for(tmp_path) -> None:
    stage = DrivenServos(tmp_path, [servo(id) for id in range(1, 9)])
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # no answer is too late, also on a busy machine
    stage.start()
    try:
        for _ in range(10):
            stage.until(lambda: all(reading.torque for reading in stage.bus.readings()))
            stage.bus.emergency_stop("torque_off")
            stage.until(lambda: not any(stage.register(id, "torque_enable") for id in range(1, 9)))
            after: list[tuple[int, int]] = []
            begun: list[bool] = []

            def see(when: float, direction: str, raw: bytes, after=after, begun=begun) -> None:
                if direction != "rx":
                    return
                if begun:
                    after.append((raw[7], raw[8]))
                elif (raw[7], raw[8], raw[10]) == (WRITE, TORQUE, 1):
                    begun.append(True)
                    stage.bus.emergency_stop("torque_off")

            stage.virtual.on_packet = see
            stage.bus.emergency_stop("")
            stage.until(lambda after=after: (SYNC_WRITE, TORQUE) in after)
            stage.virtual.on_packet = None
            assert after.index((SYNC_WRITE, TORQUE)) == 0
            stage.until(lambda: not any(stage.register(id, "torque_enable") for id in range(1, 9)))
            stage.bus.emergency_stop("")
    finally:
        stage.close()
