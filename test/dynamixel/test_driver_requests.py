# SPDX-License-Identifier: Apache-2.0
"""Requests to servos: each is answered once, and what they leave behind: torque that was refused, turns, limits."""

from math import inf, tau

import pytest
from driver_stage import MARGIN_S, DrivenServos, counted, servo

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.dynamixel.bus import requests, settings
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import Port, open_port
from embodiment_bridge.dynamixel.bus.request_queue import RequestQueue
from embodiment_bridge.dynamixel.bus.requests import BusRequest, SetTorque
from embodiment_bridge.dynamixel.bus.servo import BusState, described_servos, stored_of
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, FaultPolicy

pytestmark = pytest.mark.usefixtures("patient")

SYNC_WRITE_GOAL = bytes((0x83, 116, 0))  # instruction and address


def assert_not_answered(stage: DrivenServos, request: BusRequest) -> None:
    """The request is made once, and refused because its servo does not answer."""
    answers = stage.asked(request)
    stage.until(lambda: bool(answers))
    assert not answers[0][0]
    assert "does not answer" in answers[0][1]


def refused_while_away(stage: DrivenServos, id: int, request: BusRequest) -> None:
    """The servo is unplugged, the request is refused, and the servo is back."""
    rule = stage.virtual.inject("absent", id=id)
    stage.until(lambda: stage.reading(id).silent)
    assert_not_answered(stage, request)
    stage.virtual.heal(rule)
    stage.until(lambda: not stage.reading(id).silent)
    before = stage.reading(id).answers
    stage.until(lambda: stage.reading(id).answers > before + 30)


def test_torque_that_was_refused_to_a_servo_that_is_away_does_not_come_when_it_is_back(stages) -> None:
    stage = stages([servo(1), servo(2)]).start(active=False)
    refused_while_away(stage, 2, requests.SetTorque(["j2"], on=True))
    assert not stage.register(2, "torque_enable")
    assert stage.ask(requests.SetTorque(["j2"], on=True)) == (True, "driven", 0)


def test_a_servo_that_was_away_when_it_was_to_go_limp_is_limp_when_it_is_back(stages) -> None:
    stage = stages([servo(1), servo(2)]).start()
    refused_while_away(stage, 2, requests.SetTorque(["j2"], on=False))
    assert not stage.register(2, "torque_enable")
    assert stage.register(1, "torque_enable")


@pytest.mark.parametrize(
    "refused", [requests.SetTorque(["j2"], on=True), requests.Reboot(["j2"])], ids=["set_torque", "reboot"]
)
def test_a_servo_that_a_fault_made_limp_is_not_driven_by_what_was_refused(stages, refused) -> None:
    policy = FaultPolicy(voltage="torque_off", torque_after_reboot=True)
    stage = stages([servo(1), servo(2, faults=policy)]).start()
    stage.virtual.inject("hardware_error", id=2, bits=0x01)  # at which a servo itself does not shut down
    stage.until(lambda: "limp until it is asked for" in stage.reading(2).reason)
    refused_while_away(stage, 2, refused)
    assert not stage.register(2, "torque_enable")


def set_mode(stage: DrivenServos, mode: str) -> None:
    """Joint 1 has another mode, and has its torque again."""
    success, text, _ = stage.ask(requests.SetMode(["j1"], mode, force=True))
    assert success, text
    assert stage.reading(1).mode == mode
    stage.until(lambda: stage.reading(1).torque)


def angle(stage: DrivenServos) -> float:
    """Of joint 1, whose servo has been on since it was in the middle of its turn."""
    return stage.virtual.servo(1).drive.position / stage.configs[0].reduction


def test_a_joint_that_was_in_a_mode_of_one_turn_knows_its_turns_and_keeps_to_its_limits(stages) -> None:
    config = servo(1, mode="extended_position", reduction=5.0, lower=-2.0, upper=2.0)
    stage = stages([config], stored=counted(config)).start()
    stage.drive_until(lambda: stage.reading(1).position > 1.49, j1=Target(1.5))
    for mode in ("position", "extended_position", "velocity", "position", "current_based_position"):
        set_mode(stage, mode)
        assert stage.reading(1).position == pytest.approx(1.5, abs=0.05)
        assert angle(stage) == pytest.approx(1.5, abs=0.05)
    assert stage.register(1, "present_position") < 4096  # the servo itself forgot a turn
    stage.drive_until(lambda: stage.reading(1).position > 1.95, j1=Target(9.0))
    stage.drive(0.2, j1=9.0)
    assert angle(stage) == pytest.approx(2.0, abs=0.05)


def test_a_joint_that_turns_without_end_is_within_its_turn_in_position_mode(stages) -> None:
    stage = stages([servo(1, mode="velocity", lower=-inf, upper=inf)]).start()
    stage.drive_until(lambda: stage.reading(1).position > 4.0, j1=Target(velocity=4.0))
    set_mode(stage, "position")
    assert abs(stage.reading(1).position) < tau / 2
    stage.drive_until(lambda: abs(stage.reading(1).position - 0.5) < 0.03, j1=Target(0.5))


def test_a_joint_that_is_taken_over_driven_stays_where_it_is_although_its_servo_forgot_turns(stages) -> None:
    config = servo(1, mode="extended_position", reduction=5.0, lower=-2.0, upper=2.0, on_shutdown="keep")
    stage = stages([config], stored=counted(config)).start()
    stage.drive_until(lambda: stage.reading(1).position > 1.49, j1=Target(1.5))
    assert stage.ask(requests.Reboot(["j1"]))[0]
    assert stage.ask(requests.SetTorque(["j1"], on=True)) == (True, "driven", 0)
    stage.drive(0.2, j1=1.5)
    stage.bus.stop()
    stored = {"j1": stored_of(stage.bus.servos[0], clean=True)}
    before = angle(stage)
    goals: list[int] = []
    stage.virtual.on_packet = lambda _, way, raw: (
        goals.append(int.from_bytes(raw[13:17], "little", signed=True))
        if way == "rx" and raw[7:10] == SYNC_WRITE_GOAL
        else None
    )
    stage.bus = ServoBus(stage.bus.config, stored, margin_s=MARGIN_S)
    stage.bus.activate(True)
    stage.start(active=False)
    stage.until(lambda: len(goals) > 30)
    assert max(abs(goal - stage.register(1, "present_position")) for goal in goals) < 20
    assert angle(stage) == pytest.approx(before, abs=0.01)
    assert stage.reading(1).position == pytest.approx(before, abs=0.01)


def test_a_limit_that_is_written_by_hand_counts_at_once(stages) -> None:
    stage = stages([servo(1, registers={"max_position_limit": 2300})]).start()
    stage.drive_until(lambda: stage.register(1, "goal_position") == 2300, j1=Target(1.4))
    assert stage.ask(requests.SetTorque(["j1"], on=False))[0]
    assert stage.ask(requests.Register("j1", "max_position_limit", 2500)) == (True, "3.83495 rad", 2500)
    assert stage.ask(requests.SetTorque(["j1"], on=True))[0]
    stage.drive_until(lambda: stage.register(1, "goal_position") == 2500, j1=Target(1.4))
    assert stage.ask(requests.SetTorque(["j1"], on=False))[0]
    assert stage.ask(requests.Register("j1", "max_position_limit", 2400))[0]
    assert "outside the position limits" in stage.ask(requests.SetTorque(["j1"], on=True))[1]


def stopped(monkeypatch, stage: DrivenServos, action: str, request: type[BusRequest]) -> None:
    """An emergency stop comes when requests of this type begin."""
    begin = request.begin

    def late(self, *given):
        stage.bus.emergency_stop(action)
        return begin(self, *given)

    monkeypatch.setattr(request, "begin", late)


@pytest.mark.parametrize("action", ["hold", "torque_off"])
def test_torque_that_a_stop_refuses_does_not_come_to_a_servo_that_a_fault_made_limp(
    stages, monkeypatch, action
) -> None:
    stage = stages([servo(1), servo(2, faults=FaultPolicy(voltage="torque_off"))]).start()
    stage.virtual.inject("hardware_error", id=2, bits=0x01)
    stage.until(lambda: "limp until" in stage.reading(2).reason)
    stopped(monkeypatch, stage, action, requests.SetTorque)
    assert not stage.ask(requests.SetTorque(["j2"], on=True))[0]
    stage.bus.emergency_stop("")
    before = stage.reading(1).answers
    stage.until(lambda: stage.reading(1).torque and stage.reading(1).answers > before + 30)
    assert not stage.register(2, "torque_enable")


def test_a_joint_whose_reboot_a_hold_refuses_stays_driven(stages, monkeypatch) -> None:
    stage = stages([servo(1), servo(2)]).start()
    stopped(monkeypatch, stage, "hold", requests.Reboot)
    assert not stage.ask(requests.Reboot(["j1"]))[0]
    before = stage.reading(1).answers
    stage.until(lambda: stage.reading(1).answers > before + 30)
    assert stage.register(1, "torque_enable")


def test_a_joint_in_velocity_mode_knows_its_turns_after_a_restart(stages) -> None:
    joint = servo(1, mode="velocity", reduction=5.0, lower=-2.0, upper=2.0, velocity=20.0)
    stage = stages([joint], stored=counted(joint)).start()
    stage.drive_until(lambda: stage.reading(1).position > 1.5, j1=Target(velocity=2.0))
    assert stage.ask(requests.Reboot(["j1"]))[0]
    stage.until(lambda: not stage.reading(1).silent)
    assert stage.reading(1).position == pytest.approx(stage.virtual.servo(1).drive.position / 5.0, abs=0.1)


def test_a_limit_whose_confirmation_is_lost_counts(stages, monkeypatch) -> None:
    stage = stages([servo(1), servo(2)]).start()
    assert stage.ask(requests.SetTorque(["j1"], on=False))[0]
    write = settings.Settings.write

    def deaf(self, one, name, value):
        if name == "max_position_limit":
            rule = stage.virtual.inject("drop_status", id=1)
            try:
                return write(self, one, name, value)
            finally:
                stage.virtual.heal(rule)
        return write(self, one, name, value)

    monkeypatch.setattr(settings.Settings, "write", deaf)
    assert_not_answered(stage, requests.Register("j1", "max_position_limit", 2300))
    stage.until(lambda: not stage.reading(1).silent and stage.bus.servos[0].limits.highest == 2300)


@pytest.mark.parametrize(
    ("request_", "effect"),
    [
        (requests.SetMode([], "velocity", force=True), "in mode velocity now: j1"),
        (requests.Reboot(["j1", "j2"]), "restarted: j1"),
    ],
    ids=["set_mode", "reboot"],
)
def test_what_a_failed_request_has_done_to_other_joints_is_told(stages, request_, effect) -> None:
    stage = stages([servo(1), servo(2)]).start(active=False)
    stage.virtual.inject("drop_status", id=2, skip=1 << 20)  # no answer of it is lost until its turn has come
    (rule,) = stage.virtual.faults.rules

    def silence_the_second(_: float, way: str, raw: bytes) -> None:
        if (
            way == "rx" and raw[4] == 2 and raw[7:9] in (b"\x08" + raw[8:9], b"\x03\x0b")
        ):  # reboot; operating_mode
            rule.skip = 0

    stage.virtual.on_packet = silence_the_second
    answers = stage.asked(request_)
    stage.until(lambda: bool(answers))
    success, text, _ = answers[0]
    assert not success
    assert text.endswith(f"joint 'j2' (servo 2) does not answer; {effect}")


class PulledPort(Port):
    """Its cable is pulled, once, when a packet with ``trigger`` is written: before it is sent, or ``after`` that."""

    trigger = b""
    after = False
    gone = False

    def write(self, data: bytes) -> None:
        pulled = bool(PulledPort.trigger) and PulledPort.trigger in data
        if not self.gone and (not pulled or PulledPort.after):
            super().write(data)
        if pulled:
            self.gone, PulledPort.trigger = True, b""
        if self.gone:
            raise LinkError("pulled")


def pulled(stage: DrivenServos) -> DrivenServos:
    def open_pulled(name: str, baud_rate: int) -> Port:
        port = open_port(name, baud_rate)
        return PulledPort(name, port.fileno(), port.close)

    stage.bus = ServoBus(stage.bus.config, margin_s=MARGIN_S, open_port=open_pulled)
    return stage.start()


def writes(id: int, address: int, value: int) -> bytes:
    """The part of a packet that writes one byte, without its length and its checksum."""
    return bytes((id, 6, 0, 3, address, 0, value))


def fails_while_the_cable_is_pulled(
    stage: DrivenServos, request: BusRequest, trigger: bytes, *, after: bool
) -> None:
    """The request fails, the bus is back, and goes on for some time."""
    PulledPort.trigger, PulledPort.after = trigger, after
    connects = stage.bus.connects
    answers = stage.asked(request)
    stage.until(lambda: bool(answers))
    assert not answers[0][0]
    stage.until(lambda: stage.bus.connects > connects and not stage.reading(2).silent)
    before = stage.reading(2).answers
    stage.until(lambda: stage.reading(2).answers > before + 30 and stage.reading(1).torque)


@pytest.mark.parametrize("after", [False, True])
def test_torque_whose_request_failed_with_the_cable_is_not_switched_on_when_it_is_back(stages, after) -> None:
    stage = pulled(stages([servo(1), servo(2)]))
    assert stage.ask(requests.SetTorque(["j2"], on=False))[0]
    request = requests.SetTorque(["j2"], on=True)
    fails_while_the_cable_is_pulled(stage, request, writes(2, 64, 1), after=after)
    assert not stage.register(2, "torque_enable")
    assert stage.ask(requests.SetTorque(["j2"], on=True))[0]


@pytest.mark.parametrize("after", [False, True])
def test_a_mode_whose_request_failed_with_the_cable_is_not_set_when_it_is_back(stages, after) -> None:
    stage = pulled(stages([servo(1), servo(2)]))
    trigger = writes(2, 98, 0) if after else writes(2, 11, 1)  # bus_watchdog comes after the mode
    request = requests.SetMode(["j2"], "velocity", force=True)
    fails_while_the_cable_is_pulled(stage, request, trigger, after=after)
    assert stage.reading(2).mode == "position"
    assert stage.register(2, "operating_mode") == 3


def test_a_servo_that_is_back_after_its_reboot_was_given_up_stays_limp_if_it_was(stages, monkeypatch) -> None:
    monkeypatch.setattr(requests, "RESTART_PATIENCE_S", 0.0)
    policy = FaultPolicy(voltage="torque_off", torque_after_reboot=True)
    stage = stages([servo(1), servo(2, faults=policy)]).start()
    stage.virtual.inject("hardware_error", id=2, bits=0x01)
    stage.until(lambda: "limp until" in stage.reading(2).reason)
    success, text, _ = stage.ask(requests.Reboot(["j2"]))
    assert not success
    assert text.startswith("not back 0 s after a restart")
    stage.until(lambda: not stage.reading(2).silent and not stage.reading(2).error)
    before = stage.reading(2).answers
    stage.until(lambda: stage.reading(2).answers > before + 30)
    assert not stage.register(2, "torque_enable")


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
