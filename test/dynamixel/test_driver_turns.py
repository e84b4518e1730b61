# SPDX-License-Identifier: Apache-2.0
"""A joint is where its horn is, also if its servo has forgotten whole turns; else it gets no torque."""

from math import pi

import pytest
from driver_stage import MARGIN_S, DrivenServos, counted, servo

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.registers import Registers
from embodiment_bridge.dynamixel.bus.servo import stored_of
from embodiment_bridge.dynamixel.bus.settings import Settings
from embodiment_bridge.dynamixel.config.calibration import Stored

ANSWERED_WITHIN = 10.0  # s; the virtual servos are in this process, which may be busy

MANY = {"mode": "extended_position", "lower": -20.0, "upper": 20.0}
GEARED = {"reduction": 3.0, "lower": -1.5, "upper": 1.5}


def turn(stage: DrivenServos, angle: float) -> None:
    """Turn the horn of servo 1 by hand, to rad from the middle of its turn."""
    one = stage.virtual.servo(1)
    one.drive.position = one.drive.wanted = angle
    one.touch()


def horn(stage: DrivenServos) -> float:
    """The angle of the horn of servo 1, rad from the middle of its turn."""
    return stage.virtual.servo(1).drive.position


def driven(stage: DrivenServos) -> tuple[bool, str]:
    return stage.ask(requests.SetTorque(["j1"], on=True), times=1)[:2]


@pytest.mark.parametrize("mode", ["extended_position", "position", "current_based_position"])
def test_a_joint_whose_range_crosses_the_wrap_of_the_encoder_is_in_the_turn_of_its_range(
    stages, mode
) -> None:
    stage = stages([servo(1, mode=mode, offset=pi, lower=-1.0, upper=1.0)])
    turn(stage, pi - 0.5)
    stage.start()
    assert stage.reading(1).position == pytest.approx(-0.5, abs=0.01)
    stage.drive_until(lambda: stage.reading(1).position > -0.03, j1=Target(0.0))
    assert horn(stage) == pytest.approx(pi, abs=0.05)


@pytest.mark.parametrize(("angle", "place"), [(-3.01, -0.01), (3.01, 6.01)])
def test_a_joint_at_the_end_of_a_wide_range_is_there_and_not_a_turn_away(stages, angle, place) -> None:
    stage = stages([servo(1, mode="extended_position", offset=3.0, lower=0.0, upper=6.0)])
    turn(stage, angle)
    stage.start()
    assert stage.reading(1).position == pytest.approx(place, abs=0.005)


@pytest.mark.parametrize("reduction", [1.0, -1.0])
def test_a_joint_that_is_in_its_range_in_no_turn_stays_limp_until_it_is_there(stages, reduction) -> None:
    config = servo(1, mode="extended_position", lower=-1.0, upper=1.0, reduction=reduction)
    stage = stages([config, servo(2)])
    turn(stage, 2.9)
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: stage.reading(2).torque)
    assert "outside its range -1..1 rad" in stage.reading(1).reason
    success, text = driven(stage)
    assert not success
    assert "joint 'j1' is at" in text
    turn(stage, 0.9)  # and nothing happens until it is asked for: it is in somebody's hand
    answers = stage.reading(1).answers
    stage.drive_until(lambda: stage.reading(1).answers > answers + 100, j1=Target(0.0))
    assert not stage.register(1, "torque_enable")
    assert driven(stage) == (True, "driven")
    assert stage.reading(1).position == pytest.approx(0.9 * reduction, abs=0.01)


def test_a_joint_of_many_turns_without_a_count_is_limp_until_it_is_calibrated(stages) -> None:
    config = servo(1, **MANY)
    stage = stages([config, servo(2)])
    turn(stage, 8.0)
    stage.virtual.servo(1).reboot()
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: "turns of its servo, all within its range -20..20 rad" in stage.reading(1).reason)
    stage.until(lambda: stage.reading(2).torque)
    assert not driven(stage)[0]
    assert not stage.register(1, "torque_enable")
    assert stored_of(stage.bus.servos[0]).ticks is None  # a guess is no count

    entries = {}
    assert stage.ask(requests.Calibrate({"j1": 8.0}, entries.update))[0]
    assert driven(stage) == (True, "driven")
    stage.drive_until(lambda: stage.reading(1).position > 8.9, j1=Target(9.0))
    assert horn(stage) == pytest.approx(9.0, abs=0.15)
    stage.bus.stop()
    stored = {"j1": stored_of(stage.bus.servos[0], clean=True)}
    assert stored["j1"].shift == entries["j1"].shift
    stage.virtual.servo(1).reboot()
    stage.bus = ServoBus(stage.bus.config, stored, margin_s=MARGIN_S)
    stage.start()
    stage.until(lambda: stage.reading(1).torque)
    assert stage.reading(1).position == pytest.approx(horn(stage), abs=0.01)


def test_a_count_that_cannot_be_gives_way_to_the_range(stages) -> None:
    config = servo(1, mode="extended_position", lower=-1.0, upper=1.0)
    wrong = counted(config, turns=1)
    stage = stages([config], stored=wrong)
    stage.start()
    assert stage.reading(1).position == pytest.approx(0.0, abs=0.01)


def test_a_joint_that_is_left_driven_holds_where_it_is_while_its_turn_is_unknown(stages) -> None:
    stage = stages([servo(1, **MANY, on_start="keep", on_shutdown="keep"), servo(2)])
    with Registers(stage.link, usb_s=ANSWERED_WITHIN) as registers:
        registers.write(1, "operating_mode", 4)
        registers.write(1, "torque_enable", 1)
        registers.keep_torque()
    stage.start()
    stage.drive_until(lambda: stage.reading(2).position > 0.4, j1=Target(0.5), j2=Target(0.5))
    assert stage.register(1, "torque_enable")
    assert horn(stage) == pytest.approx(0.0, abs=0.01)


def test_a_geared_joint_in_position_mode_that_was_turned_by_hand_knows_its_turn(stages) -> None:
    config = servo(1, **GEARED)
    stage = stages([config], stored=counted(config)).start()
    assert stage.ask(requests.SetTorque(["j1"], on=False))[0]
    turn(stage, 4.0)  # beyond the servo's own turn, which ends at pi
    stage.until(lambda: stage.reading(1).position > 1.3)
    assert driven(stage) == (True, "driven")
    assert stage.register(1, "present_position") < 4096
    assert stage.reading(1).position == pytest.approx(4.0 / 3.0, abs=0.01)
    stage.drive_until(lambda: stage.reading(1).position < 1.22, j1=Target(1.2))
    assert horn(stage) == pytest.approx(3.6, abs=0.1)
    assert stage.ask(requests.Reboot(["j1"]))[0]
    assert stage.reading(1).position == pytest.approx(horn(stage) / 3.0, abs=0.01)


def test_a_servo_that_keeps_its_turns_is_believed_however_far_it_was_turned_by_hand(stages) -> None:
    config = servo(1, **GEARED | {"model": "ym070_210_r051", "lower": -3.0, "upper": 3.0})
    stage = stages([config], stored={"j1": Stored(1, config.model, ticks=0, clean=True)})
    turn(stage, 7.0)
    stage.start(active=False)
    assert stage.reading(1).position == pytest.approx(horn(stage) / 3.0, abs=0.01)
    assert not stage.reading(1).reason


def test_a_turn_that_a_servo_forgot_while_an_answer_was_lost_is_counted(stages, monkeypatch) -> None:
    config = servo(1, **GEARED)
    stage = stages([config, servo(2)], stored=counted(config)).start()
    assert stage.ask(requests.SetTorque(["j1"], on=False))[0]
    turn(stage, 4.0)
    stage.until(lambda: stage.reading(1).position > 1.3)
    write = Settings.write

    def unconfirmed(self, one, name, value) -> None:
        """Torque comes on, and the driver does not hear of it."""
        write(self, one, name, value)
        if (name, value) == ("torque_enable", 1):
            raise CommandError("does not answer")

    with monkeypatch.context() as lost:
        lost.setattr(Settings, "write", unconfirmed)
        assert not driven(stage)[0]
    stage.until(lambda: not stage.reading(1).silent)
    assert driven(stage) == (True, "driven")
    assert stage.reading(1).position == pytest.approx(horn(stage) / 3.0, abs=0.01)
    assert horn(stage) == pytest.approx(4.0, abs=0.05)
