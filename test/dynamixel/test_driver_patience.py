# SPDX-License-Identifier: Apache-2.0
"""Servos that fall silent: dead ones take no other with them, and a busy computer takes none for dead."""

import time

import pytest
from driver_stage import DrivenServos, servo
from test_driver_faults import HERE, driven, is_back, others_go_on

from embodiment_bridge.dynamixel.bus import cycle as cycling
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import Answer
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.reading import MISSES
from embodiment_bridge.dynamixel.bus.requests import BusRequest
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.virtual.servo import BOOT_S

WRITE, TORQUE, WATCHDOG = 3, 64, 98  # instruction, addresses
WRITE_GAIN = bytes((3, 84, 0))  # instruction and address of position_p_gain


@pytest.mark.fault("stopped", body="dynamixel", reaction="a pause of all of up to 1.5 s loses no servo")
def test_a_pause_of_everything_loses_nobody(running, monkeypatch) -> None:
    stage = driven(running)
    states: set[BusState] = set()
    before = stage.bus.servos[0].starts
    with stage.virtual.lock:  # as when the other program gets no time
        stage.until(lambda: stage.bus.servos[0].misses > 2 * MISSES)
        states.add(stage.bus.state)
    is_back(stage, 1, 2, 3, 4, 5)
    stage.until(lambda: all(stage.age(id) < 0.1 for id in range(1, 6)))
    assert states == {BusState.ACTIVE}
    assert stage.bus.servos[0].starts == before
    others_go_on(stage)


@pytest.mark.fault("in bursts", body="dynamixel", reaction="answers that an adapter collects are waited for")
def test_answers_that_are_always_late_are_waited_for(running) -> None:
    stage = driven(running, fast_read=False)
    rule = stage.virtual.inject("delay_status", id=1, seconds=0.04)  # a margin of 0.03 is not enough
    missed = stage.reading(1).timeouts
    stage.until(lambda: stage.reading(1).timeouts > missed)
    stage.until(lambda: stage.bus.state is BusState.ACTIVE and stage.age(1) < 0.1)
    seen = [stage.reading(1)]

    def twenty_in_time() -> bool:
        now = stage.reading(1)
        if now.timeouts > seen[0].timeouts:
            seen[0] = now
        return now.answers >= seen[0].answers + 20

    stage.drive_until(twenty_in_time, **{name: Target(angle) for name, angle in HERE.items()})
    others_go_on(stage)
    stage.virtual.heal(rule)


class BrownOutMeanwhile(BusRequest):
    """The power of the bus fails while this computer does something else, and is back before it asks again."""

    drives = False

    def __init__(self, stage: DrivenServos) -> None:
        self.stage = stage

    def begin(self, supervisor, servos, now):
        self.stage.virtual.inject("brown_out", count=1)
        self.stage.until(lambda: self.stage.register(1, "position_p_gain") != 700)
        time.sleep(2 * BOOT_S)
        return "", 0


def test_a_brown_out_that_no_read_noticed_is_found_without_torque(running, monkeypatch) -> None:
    monkeypatch.setattr(cycling, "MISSES", 10**6)
    stage = running([servo(1, registers={"position_p_gain": 700}), servo(2)], start=False)
    stage.start(active=False)
    done: list[bool] = []
    stage.bus.request(BrownOutMeanwhile(stage), lambda *_: done.append(True))
    stage.until(lambda: bool(done) and stage.register(1, "position_p_gain") == 700)


class LostAnswer(BusRequest):
    """The driver does not learn that servo 2 has torque, and its goal is one of long ago."""

    drives = False

    def begin(self, supervisor, servos, now):
        servos[1].retry_at = now + 60.0
        servos[1].torque = False
        servos[1].goals.goal = -0.5
        return "", 0


def test_a_torque_of_which_no_answer_told_moves_nothing(running) -> None:
    stage = driven(running)
    done: list[bool] = []
    stage.bus.request(LostAnswer(), lambda *_: done.append(True))
    stage.until(lambda: bool(done))
    stage.until(lambda: stage.reading(2).torque)  # found out by looking
    time.sleep(0.1)
    assert abs(stage.reading(2).position - 0.2) < 0.02


def test_a_motor_that_has_torque_and_no_watchdog_gets_it_and_is_not_let_go_for_that(running) -> None:
    stage = running([servo(1, mode="velocity")])
    written: list[int] = []

    def note(_: float, way: str, raw: bytes) -> None:
        if way == "rx" and raw[7] == WRITE and (raw[8] == WATCHDOG or (raw[8] == TORQUE and not raw[10])):
            written.append(raw[8])

    def take_the_watchdog() -> bool:
        """From a motor that is driven: on a busy machine it fires at times, and the driver then lets the motor go."""
        with stage.virtual.lock:
            motor = stage.virtual.servo(1)
            if not (motor.armed and stage.reading(1).torque):
                return False
            motor.memory.set("bus_watchdog", 0)
            stage.virtual.on_packet = note
            return True

    stage.until(take_the_watchdog)
    stage.until(lambda: stage.register(1, "bus_watchdog") > 0)
    assert written[0] == WATCHDOG


def test_after_a_brown_out_servos_without_torque_have_their_settings_too(running) -> None:
    stage = running([servo(1, registers={"position_p_gain": 700}), servo(2)], start=False)
    stage.start(active=False)
    gains: list[bytes] = []
    stage.virtual.on_packet = lambda _, way, raw: (
        gains.append(raw) if way == "rx" and raw[7:10] == WRITE_GAIN else None
    )
    stage.virtual.inject("brown_out", count=1)
    stage.until(lambda: bool(gains))
    stage.until(lambda: stage.register(1, "position_p_gain") == 700)
    stage.until(lambda: stage.bus.state is BusState.READY)


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
def test_pauses_that_follow_each_other_do_not_hide_one_that_is_gone(model) -> None:
    bus = Servos(model)
    bus.cycles(0.1)
    for _ in range(3):
        bus.dead = set(ALL)
        bus.cycles(0.2)
        bus.dead = {3}
        bus.cycles(0.2)
        assert bus.silent() == set()
    bus.cycles(0.4)
    assert bus.silent() == {3}


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
