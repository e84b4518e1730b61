# SPDX-License-Identifier: Apache-2.0
"""Every request to a bus is answered once, also one that comes at the moment at which the bus is lost."""

import pytest
from driver_stage import servo

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.request_queue import RequestQueue
from embodiment_bridge.dynamixel.bus.requests import SetTorque
from embodiment_bridge.dynamixel.bus.servo import BusState, described_servos
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import BusConfig


class Silence:
    """A wire on which nothing may be sent."""

    def write(self, data: bytes) -> None:
        raise AssertionError(data)

    def read(self, timeout: float) -> bytes:
        return b""

    def discard(self) -> int:
        return 0


WORK = SetTorque([], on=True)
LOST, CLOSED = "bus 'test' is lost: unplugged", "bus 'test' is closed: "


@pytest.mark.parametrize(("state", "text"), [(BusState.LOST, LOST), (BusState.CLOSED, CLOSED)])
def test_a_request_between_the_loss_of_the_bus_and_its_refusals_is_refused(monkeypatch, state, text) -> None:
    bus = ServoBus(BusConfig("test", "/dev/null", (servo(1),)))
    bus.state = BusState.READY
    add = bus._requests.add

    def add_too_late(work, done) -> None:
        """The thread of the bus comes in between."""
        if state is BusState.LOST:
            bus._mark_lost("unplugged")
        else:
            bus._set_state(state)
            bus._refuse_work()
        add(work, done)

    monkeypatch.setattr(bus._requests, "add", add_too_late)
    told: list[tuple[bool, str, int]] = []
    bus.request(WORK, lambda *answer: told.append(answer))
    assert told == [(False, text, 0)]
    bus._refuse_work()
    assert len(told) == 1  # once
    assert not bus._requests


def test_a_request_that_comes_while_others_are_refused_is_refused_too() -> None:
    queue = RequestQueue()
    told: list[str] = []

    def first(success: bool, text: str, value: int) -> None:
        told.append(f"first: {text}")
        queue.add(WORK, lambda _, why, __: told.append(f"second: {why}"))

    queue.add(WORK, first)
    queue.refuse("lost")
    assert told == ["first: lost", "second: lost"]
    assert not queue


def test_torque_that_was_asked_for_before_an_emergency_stop_is_refused_in_it() -> None:
    queue = RequestQueue()
    told: list[tuple[bool, str, int]] = []
    queue.add(WORK, lambda *answer: told.append(answer))
    client = BusClient(Silence(), 1_000_000)
    setup = BusConfig("test", "/dev/null", (servo(1),))
    servos = described_servos(setup, {})
    queue.step(Supervisor(client, setup, servos, {}), servos, 0.0, stopped=True)
    assert told == [(False, "emergency stop: release it first", 0)]
    assert not queue
