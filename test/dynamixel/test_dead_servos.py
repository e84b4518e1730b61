# SPDX-License-Identifier: Apache-2.0
"""Servos that are dead take no other with them: the reads of many cycles, with a client that has a clock of its own."""

import pytest
from driver_stage import servo

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import Answer
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import BusConfig

ALL = range(1, 9)
AX, XM = "ax_12a", "xm430_w350"
ANSWER_S, CYCLE_S, START = 0.001, 0.01, 100.0


class Servos:
    """Eight servos on a bus without a wire. Those of protocol 2.0 wait for the one before them in a group read.

    late_s: how long is waited for one that is ``dead``.
    """

    def __init__(self, model: str, late_s: float = 0.01) -> None:
        self.dead: set[int] = set()
        self.now, self.late_s = START, late_s
        self.longest = 0.0  # cycle, s
        config = BusConfig("test", "/dev/null", tuple(servo(id, model=model) for id in ALL), fast_read=False)
        servos = ServoBus(config).servos
        for one in servos:
            one.silent, one.heard = False, START
        self.supervisor = Supervisor(self, config, servos, {})
        self.servos = servos

    def read(self, id: int, address: int, size: int) -> Answer | None:
        self.now += self.late_s if id in self.dead else ANSWER_S
        return None if id in self.dead else Answer(0, bytes(size))

    def sync_read(self, address: int, size: int, ids: tuple[int, ...]) -> dict[int, Answer]:
        found: dict[int, Answer] = {}
        for id in ids:
            answer = self.read(id, address, size)
            if answer is None:
                break
            found[id] = answer
        return found

    def silent(self) -> set[int]:
        return {one.id for one in self.servos if one.silent}

    def age(self, *ids: int) -> float:
        return max(self.now - one.heard for one in self.servos if one.id in ids)

    def cycles(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            begun = self.now
            self.supervisor.reader.read([one for one in self.servos if not one.silent], begun)
            self.supervisor.reader.store()
            self.supervisor.mark_silent(begun)
            self.longest = max(self.longest, self.now - begun)
            self.now = max(self.now, begun + CYCLE_S)


@pytest.mark.parametrize("model", [AX, XM])
@pytest.mark.parametrize(
    "dead",
    [{4}, {3, 4}, {1, 2}, {7, 8}, {2, 3, 6, 7}, {1, 3, 5, 7}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6, 7}],
)
def test_dead_servos_are_out_soon_and_the_others_are_read_meanwhile(model, dead) -> None:
    bus = Servos(model)
    bus.cycles(0.3)
    alive = set(ALL) - dead
    bus.dead = dead
    oldest = 0.0
    for _ in range(100):
        bus.cycles(CYCLE_S)
        assert bus.silent() <= dead
        oldest = max(oldest, bus.age(*alive))
    assert bus.silent() == dead
    assert oldest < 0.25  # so that they do not even leave `joint_states`
    assert bus.longest < 0.1


@pytest.mark.parametrize("model", [AX, XM])
def test_a_bus_where_all_are_dead_is_lost_after_a_while_and_not_before(model) -> None:
    bus = Servos(model)
    bus.cycles(0.1)
    bus.dead = set(ALL)
    bus.cycles(1.3)
    assert bus.silent() == set()
    bus.cycles(0.3)
    assert bus.silent() == set(ALL)


@pytest.mark.parametrize("model", [AX, XM])
@pytest.mark.parametrize("pause", [0.4, 0.8])
@pytest.mark.parametrize("dead", [{1, 2, 3, 8}, {1, 3, 5, 6, 8}, {2, 3, 4, 5, 6, 7}])
def test_after_a_pause_of_all_none_is_out_that_was_not_asked(model, pause, dead) -> None:
    """When answers are waited for as long as on a busy computer, the turn of some comes late."""
    bus = Servos(model, late_s=0.05)
    bus.cycles(0.1)
    bus.dead = set(ALL)
    bus.cycles(pause)
    bus.dead = dead
    for _ in range(100):
        bus.cycles(CYCLE_S)
        assert bus.silent() <= bus.dead
    assert bus.silent() == bus.dead


@pytest.mark.parametrize("model", [AX, XM])
def test_the_turn_comes_to_each_although_others_are_dead(model) -> None:
    """One that was dead before others is not hidden by them when it is back."""
    bus = Servos(model)
    bus.cycles(0.1)
    bus.dead = {8}
    bus.cycles(0.1)
    bus.dead = {1, 2, 3, 4}
    bus.cycles(0.15)
    assert bus.age(8) < 0.1
