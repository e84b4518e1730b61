# SPDX-License-Identifier: Apache-2.0
"""A paced bus is as fast as the wire: by arithmetic, on a clock that stands."""

import math

import pytest
from virtual_stage import VirtualServos

from embodiment_bridge.dynamixel.virtual.line import Pacing
from embodiment_bridge.dynamixel.wire import packet

IDS = range(1, 21)
READ = {"sync": packet.sync_read(126, 10, IDS), "fast": packet.fast_sync_read(126, 10, IDS)}
WRITE = packet.sync_write(116, 4, {id: bytes(4) for id in IDS})


def cycle_time(kind, **pacing):
    stage = VirtualServos(*["xm430_w350"] * 20, pacing=Pacing(**pacing))
    delay = pacing.get("delay", 0.0)
    stage.bus.set_return_delay(delay)
    stage.bus.receive(WRITE + READ[kind])
    size, last = 0, 0.0
    while (due := stage.bus.due()) < math.inf:
        stage.clock.advance(due - stage.clock.now() + 1e-9)
        size += len(stage.bus.transmit())
        last = due
    assert size == {"sync": 420, "fast": 288}[kind]
    return last


@pytest.mark.parametrize(
    ("kind", "baud", "rate"),
    [("sync", 57_600, 10), ("sync", 1_000_000, 176), ("fast", 1_000_000, 229), ("fast", 4_500_000, 1032)],
)
def test_cycles_per_second_of_twenty_servos(kind, baud, rate):
    assert 1 / cycle_time(kind, baud=baud) == pytest.approx(rate, abs=0.6)


@pytest.mark.parametrize(("kind", "rate"), [("sync", 64), ("fast", 206)])
def test_the_factory_return_delay_is_dear(kind, rate):
    stage = VirtualServos(*["xm430_w350"] * 20, pacing=Pacing(baud=1_000_000, return_delay=True))
    stage.bus.receive(WRITE + READ[kind])
    last = 0.0
    while (due := stage.bus.due()) < math.inf:
        stage.clock.advance(due - stage.clock.now() + 1e-9)
        stage.bus.transmit()
        last = due
    assert 1 / last == pytest.approx(rate, abs=0.6)


def test_the_latency_of_an_adapter_holds_back_the_last_bytes():
    plain = cycle_time("sync", baud=1_000_000)
    held = cycle_time("sync", baud=1_000_000, usb_latency=0.016)
    assert 0.010 < held - plain <= 0.016
    assert 44 < 1 / held < 62


def test_without_pacing_all_is_there_at_once():
    assert cycle_time("sync") == 0.0
