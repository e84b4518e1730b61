# SPDX-License-Identifier: Apache-2.0
"""The driver on a computer that has other things to do: answers are late or lost, servos are away for a moment."""

import time

import pytest
from driver_stage import DrivenServos, servo
from test_driver_faults import HERE, driven, is_back, others_go_on

from embodiment_bridge.dynamixel.bus import cycle as cycling
from embodiment_bridge.dynamixel.bus import supervisor as supervision
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import Port
from embodiment_bridge.dynamixel.bus.reading import MISSES
from embodiment_bridge.dynamixel.bus.requests import BusRequest
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.virtual.servo import BOOT_S

WRITE, TORQUE, WATCHDOG = 3, 64, 98  # instruction, addresses
WRITE_GAIN = bytes((3, 84, 0))  # instruction and address of position_p_gain


@pytest.fixture
def stages(tmp_path, monkeypatch):
    monkeypatch.setattr(supervision, "ALL_SILENT_S", 10.0)  # a busy machine is no silent bus
    made: list[DrivenServos] = []

    def make(*args, start=True, **options) -> DrivenServos:
        made.append(DrivenServos(tmp_path, *args, **options))
        return made[-1].start() if start else made[-1]

    yield make
    for stage in made:
        stage.close()


@pytest.mark.fault("stopped", body="dynamixel", reaction="a pause of all of up to 1.5 s loses no servo")
def test_a_pause_of_everything_loses_nobody(stages, monkeypatch) -> None:
    stage = driven(stages)
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


def supervised() -> Supervisor:
    """Three servos that answered at 0 s, on no wire."""
    config = BusConfig("test", "/dev/null", tuple(servo(id) for id in (1, 2, 3)))
    servos = ServoBus(config).servos
    for one in servos:
        one.silent, one.heard = False, 0.0
    return Supervisor(BusClient(Port("none", 0, bool), 1_000_000), config, servos, {})


def cycles(supervisor: Supervisor, begin: float, end: float, *answering: int) -> list[int]:
    """Cycles of 10 ms in which some answer; ids of those that are still in the list afterwards."""
    for number in range(round((end - begin) / 0.01)):
        now = begin + 0.01 * number
        for one in supervisor._servos:
            if one.id in answering:
                one.heard, one.misses = now, 0
            else:
                one.misses += 1
        supervisor.mark_silent(now)
    return [one.id for one in supervisor._servos if not one.silent]


def test_one_that_is_silent_while_others_answer_is_soon_out() -> None:
    assert cycles(supervisor := supervised(), 0.0, 0.2, 1, 2) == [1, 2, 3]
    assert cycles(supervisor, 0.2, 0.3, 1, 2) == [1, 2]


def test_the_first_that_answers_after_a_pause_does_not_silence_the_others() -> None:
    assert cycles(supervisor := supervised(), 0.0, 1.2) == [1, 2, 3]
    assert cycles(supervisor, 1.2, 1.4, 1) == [1, 2, 3]
    assert cycles(supervisor, 1.4, 1.5, 1, 2, 3) == [1, 2, 3]


def test_pauses_that_follow_each_other_do_not_hide_one_that_is_gone() -> None:
    supervisor = supervised()
    for begin in (0.0, 0.4, 0.8):
        assert cycles(supervisor, begin, begin + 0.2) == [1, 2, 3]
        assert cycles(supervisor, begin + 0.2, begin + 0.4, 1, 2) == [1, 2, 3]
    assert cycles(supervisor, 1.2, 1.6, 1, 2) == [1, 2]


def test_when_nobody_answers_for_long_all_are_lost() -> None:
    assert cycles(supervisor := supervised(), 0.0, 1.4) == [1, 2, 3]
    assert cycles(supervisor, 1.4, 1.6) == []


@pytest.mark.fault("in bursts", body="dynamixel", reaction="answers that an adapter collects are waited for")
def test_answers_that_are_always_late_are_waited_for(stages) -> None:
    stage = driven(stages, fast_read=False)
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


def test_a_brown_out_that_no_read_noticed_is_found_without_torque(stages, monkeypatch) -> None:
    monkeypatch.setattr(cycling, "MISSES", 10**6)
    stage = stages([servo(1, registers={"position_p_gain": 700}), servo(2)], start=False)
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


def test_a_torque_of_which_no_answer_told_moves_nothing(stages) -> None:
    stage = driven(stages)
    done: list[bool] = []
    stage.bus.request(LostAnswer(), lambda *_: done.append(True))
    stage.until(lambda: bool(done))
    stage.until(lambda: stage.reading(2).torque)  # found out by looking
    time.sleep(0.1)
    assert abs(stage.reading(2).position - 0.2) < 0.02


def test_a_motor_that_has_torque_and_no_watchdog_gets_it_and_is_not_let_go_for_that(stages) -> None:
    stage = stages([servo(1, mode="velocity")])
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


def test_after_a_brown_out_servos_without_torque_have_their_settings_too(stages) -> None:
    stage = stages([servo(1, registers={"position_p_gain": 700}), servo(2)], start=False)
    stage.start(active=False)
    gains: list[bytes] = []
    stage.virtual.on_packet = lambda _, way, raw: (
        gains.append(raw) if way == "rx" and raw[7:10] == WRITE_GAIN else None
    )
    stage.virtual.inject("brown_out", count=1)
    stage.until(lambda: bool(gains))
    stage.until(lambda: stage.register(1, "position_p_gain") == 700)
    stage.until(lambda: stage.bus.state is BusState.READY)
