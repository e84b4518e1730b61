# SPDX-License-Identifier: Apache-2.0
"""What requests to servos leave behind: torque that was refused, turns, limits."""

import pytest
from driver_stage import Stage, servo
from test_driver_safety import ask

from embodiment_bridge.dynamixel.bus import requests, supervisor
from embodiment_bridge.dynamixel.bus.requests import BusRequest
from embodiment_bridge.dynamixel.config.servo_config import FaultPolicy


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    monkeypatch.setattr(supervisor, "ALL_SILENT_S", 10.0)  # a busy machine is no silent bus


def refused_while_away(stage: Stage, id: int, request: BusRequest) -> None:
    """The servo is unplugged, the request is refused, and the servo is back."""
    rule = stage.virtual.inject("absent", id=id)
    stage.until(lambda: stage.reading(id).silent)
    answers: list[tuple[bool, str, int]] = []
    stage.bus.request(request, lambda *answer: answers.append(answer))
    stage.until(lambda: bool(answers))
    assert not answers[0][0]
    assert "does not answer" in answers[0][1]
    stage.virtual.heal(rule)
    stage.until(lambda: not stage.reading(id).silent)
    before = stage.reading(id).answers
    stage.until(lambda: stage.reading(id).answers > before + 30)


def test_torque_that_was_refused_to_a_servo_that_is_away_does_not_come_when_it_is_back(stages) -> None:
    stage = stages([servo(1), servo(2)]).start(active=False)
    refused_while_away(stage, 2, requests.SetTorque(["j2"], on=True))
    assert not stage.register(2, "torque_enable")
    assert ask(stage, requests.SetTorque(["j2"], on=True)) == (True, "driven", 0)


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
