# SPDX-License-Identifier: Apache-2.0
"""The checklist for the first day with a real servo, on virtual ones: each step passes, and fails when it must."""

import json
import threading
import time
from math import radians

import pytest

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.registers import Registers
from embodiment_bridge.dynamixel.commission import steps
from embodiment_bridge.dynamixel.commission.checklist import (
    FAILED,
    LEFT_OUT,
    NAMES,
    NOT_DONE,
    PASSED,
    check_names,
    commission,
    find_one,
)
from embodiment_bridge.dynamixel.commission.steps import Options
from embodiment_bridge.dynamixel.commission.subject import Subject, Watch
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

PATIENT = 0.5  # s; the machine may be busy
NEEDS = {"move": ("hold",), "limits": ("hold",), "stop": ("hold", "move"), "watchdog": ("hold",)}


class Bench:
    """One servo on a terminal, and a subject that is checked."""

    def __init__(self, folder, model="xm430_w350", **options):
        self.bus = VirtualBus([(1, model)], **options)
        self.port = VirtualPort(self.bus, link=str(folder / "tty"))
        registers = Registers(self.port.link, usb_s=PATIENT)
        self.subject = Subject(self.port.link, 1_000_000, PATIENT, find_one(registers, 1), registers)
        self.told = []

    @property
    def servo(self):
        return self.bus.servo(1)

    def check(self, *steps, patience=60.0, on_step=lambda name: None):
        """The results of ``steps``, by name."""
        wanted = {*steps, *(name for step in steps for name in NEEDS.get(step, ()))} if steps else set(NAMES)
        options = Options(radians(8.0), 0.25, patience, self.told.append)
        self.outcome = commission(self.subject, options, without=set(NAMES) - wanted, on_step=on_step)
        return {each.step: each for each in self.outcome.results}

    def close(self):
        self.subject.close()
        self.port.close()


@pytest.fixture
def bench(tmp_path):
    made = []

    def make(*args, **options):
        made.append(Bench(tmp_path, *args, **options))
        return made[0]

    yield make
    for each in made:
        each.close()


def pull_and_plug(bench):
    """A hand that does what it is told."""

    def work():
        while not bench.told:
            time.sleep(0.01)
        pulled = bench.bus.inject("absent", id=1)
        while len(bench.told) < 2:
            time.sleep(0.01)
        bench.servo.reboot()  # its supply comes over the same cable
        bench.bus.heal(pulled)

    threading.Thread(target=work, daemon=True).start()


@pytest.mark.parametrize("model", ["xm430_w350", "xl330_m288", "ax_12a", "ph42_020_s300", "ym070_210_r051"])
def test_a_sound_servo_passes_and_is_left_as_it_was(bench, model):
    bench = bench(model)
    before = bench.bus.snapshot()[1]
    pull_and_plug(bench)
    results = bench.check()
    assert {name: each.result for name, each in results.items()} == dict.fromkeys(NAMES, PASSED), results
    assert bench.outcome.passed
    assert not bench.outcome.failed
    after = bench.bus.snapshot()[1]
    kept = [
        name
        for name in before
        if not name.startswith(("present", "realtime", "goal", "moving", "position", "velocity_t"))
    ]
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert after["torque_enable"] == 0
    assert "not applicable" not in results["hold"].text
    assert ("not applicable" in results["watchdog"].text) == (model == "ax_12a")


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        (lambda servo: servo.raise_error(0x20, shut_down=False), "hardware error: overload"),
        (
            lambda servo: setattr(servo.supply, "nominal", 8.0),
            "8.0 V is not within its limits, 9.5 to 16.0 V",
        ),
        (lambda servo: setattr(servo, "temperature", 75.0), "is near its limit of 80"),
        (lambda servo: servo.write(64, b"\1"), "its torque is on"),
        (
            lambda servo: servo.write(48, (2100).to_bytes(4, "little") + (2000).to_bytes(4, "little")),
            "widen them",
        ),
        (lambda servo: servo.write(52, (3000).to_bytes(4, "little")), "outside its position limits"),
    ],
)
def test_nothing_moves_when_the_state_is_bad(bench, prepare, why):
    bench = bench()
    prepare(bench.servo)
    results = bench.check("state", "hold")
    assert results["state"].result == FAILED
    assert why in results["state"].text
    assert (results["hold"].result, results["cable"].result) == (NOT_DONE, NOT_DONE)
    assert bench.servo.memory.get("torque_enable") == 0


def at(step, action):
    """Do ``action`` when ``step`` begins."""
    return lambda name: action() if name == step else None


def stay_on(bench):
    """Let nothing switch the torque off any more once it is on."""

    def work():
        while not bench.servo.torque:
            time.sleep(0.001)
        bench.bus.inject("register_stuck", id=1)

    threading.Thread(target=work, daemon=True).start()


def test_a_load_that_pulls_the_horn_is_noticed(bench):
    bench = bench()
    # Nm, once it is driven: limp, it would be turned beyond its limits before a busy machine goes on.
    bench.servo.drive.load = lambda position, velocity: 4.0 if bench.servo.torque else 0.0
    assert "when the torque came on" in bench.check("hold")["hold"].text
    assert not bench.servo.torque


def test_torque_that_does_not_come_on(bench):
    bench = bench()
    bench.bus.inject("register_stuck", id=1)
    assert "did not come on" in bench.check("hold")["hold"].text


def test_a_blocked_horn(bench):
    bench = bench()
    results = bench.check("move", on_step=at("move", lambda: bench.bus.inject("axis", id=1, state="stuck")))
    assert "stayed 8.0 degrees away from its goal" in results["move"].text
    assert not bench.servo.torque


def test_a_motor_that_turns_the_wrong_way(bench):
    bench = bench()
    results = bench.check(
        "move", on_step=at("move", lambda: bench.bus.inject("axis", id=1, state="reversed"))
    )
    assert "it moved away from its goal" in results["move"].text
    assert not bench.servo.torque


def test_a_servo_that_takes_goals_outside_its_limits(bench):
    bench = bench()
    bench.servo.write(11, b"\4")  # several turns
    bench.bus.inject("register_stuck", id=1, register="operating_mode")
    assert "outside its position limits; its torque was switched off" in bench.check("limits")["limits"].text
    assert not bench.servo.torque


def test_torque_that_cannot_be_switched_off(bench):
    bench = bench()
    bench.check("hold")
    results = bench.check("stop", on_step=at("stop", lambda: stay_on(bench)))
    assert "still on after it was switched off" in results["stop"].text


def test_a_watchdog_that_sleeps(bench):
    bench = bench()
    stick = at("watchdog", lambda: bench.bus.inject("register_stuck", id=1, register="bus_watchdog"))
    assert (
        "it has not fired (bus_watchdog reads 0)" in bench.check("watchdog", on_step=stick)["watchdog"].text
    )


def test_a_watchdog_that_had_fired_before_is_no_fault_of_the_servo(bench):
    bench = bench()
    bench.servo.trip_watchdog()
    results = bench.check("hold")
    assert results["hold"].result == PASSED, results["hold"].text
    assert not bench.outcome.afterwards
    assert bench.servo.memory.get("bus_watchdog") == 0
    assert bench.servo.memory.get("goal_pwm") == 885


def test_a_watchdog_that_fires_and_lets_the_motor_turn_on(bench):
    bench = bench()
    memory = bench.servo.memory
    bench.servo.trip_watchdog = lambda: memory.set("bus_watchdog", -1)
    assert bench.check("watchdog")["watchdog"].text.startswith("it has fired, and the horn went on by")
    assert not bench.servo.torque


def test_a_horn_that_turns_on_after_its_driver_was_killed(bench):
    bench = bench()
    servo, driven = bench.servo, []

    def load(position, velocity):
        driven.extend([True] if servo.torque else [])
        return 0.5 if driven and not servo.torque else 0.0  # Nm

    begin = at("kill", lambda: setattr(servo.drive, "load", load))
    assert "the horn went on by" in bench.check("kill", on_step=begin)["kill"].text


def test_a_pause_of_the_computer_leaves_nothing_unmeasured():
    assert len(list(Watch(0.0, 0.001))) == 10


def test_a_cable_that_is_not_pulled(bench):
    results = bench().check("cable", patience=1.0)
    assert results["cable"].text == "no break was seen within 1 s: it answered all the time"


def test_a_servo_that_does_not_come_back(bench):
    bench = bench()

    def pull():
        while not bench.told:
            time.sleep(0.01)
        bench.bus.inject("absent", id=1)

    threading.Thread(target=pull, daemon=True).start()
    results = bench.check("cable", patience=12.0)
    assert results["cable"].text == "it did not come back within 12 s"
    assert "torque off: " in bench.outcome.afterwards


def test_a_servo_that_stays_on_when_its_driver_is_killed(bench, monkeypatch):
    monkeypatch.setattr(steps, "LET_GO_S", 2.0)
    bench = bench()

    results = bench.check("kill", on_step=at("kill", lambda: stay_on(bench)))
    assert "still on 2 s after its driver was killed" in results["kill"].text


def test_a_driver_that_cannot_drive(bench, monkeypatch):
    bench = bench()
    monkeypatch.setattr("embodiment_bridge.dynamixel.commission.steps.START_S", 5.0)
    results = bench.check("kill", on_step=at("kill", lambda: bench.bus.inject("axis", id=1, state="stuck")))
    assert "the driver did not drive it" in results["kill"].text


def test_which_servo_it_is_about(tmp_path):
    bus = VirtualBus([(1, "xm430_w350"), (4, "xl430_w250")])
    with (
        VirtualPort(bus, link=str(tmp_path / "tty")) as port,
        Registers(port.link, usb_s=PATIENT) as registers,
    ):
        with pytest.raises(
            ConfigError, match="there are servos 1, 4: leave one on the bus, or name it with --id"
        ):
            find_one(registers, None)
        assert find_one(registers, 4).model == "XL430-W250"
        with pytest.raises(LinkError, match="servo 9 does not answer"):
            find_one(registers, 9)


def test_a_servo_without_a_table_is_not_begun(tmp_path):
    bus = VirtualBus([(1, "xm430_w350")])
    bus.inject("wrong_identity", id=1, model_number=5)
    with (
        VirtualPort(bus, link=str(tmp_path / "tty")) as port,
        Registers(port.link, usb_s=PATIENT) as registers,
        pytest.raises(ConfigError, match="unknown model number 5"),
    ):
        find_one(registers, 1)


def test_names_of_steps():
    check_names(NAMES, ["cable"])
    with pytest.raises(ConfigError, match="unknown step 'cabel'; did you mean 'cable'"):
        check_names(NAMES, ["cabel"])


def test_command_line_and_report(tmp_path, capsys, monkeypatch):
    bus = VirtualBus([(3, "xl430_w250")])
    report = tmp_path / "report.md"
    with VirtualPort(bus, link=str(tmp_path / "tty")) as port:
        base = ["servos", port.link, "--wait", "300", "commission", "--report", str(report)]
        monkeypatch.setattr("sys.stdin.readline", lambda: "no\n", raising=False)
        assert main(base) == 2
        assert "not begun" in capsys.readouterr().err
        assert not report.exists()
        assert (
            main([*base, "--yes", *(f"--without={name}" for name in ("stop", "watchdog", "cable", "kill"))])
            == 0
        )
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [row["result"] for row in rows] == [PASSED] * 4 + [LEFT_OUT] * 4
        text = report.read_text()
        assert text.startswith("# XL430-W250, firmware 47: not passed")
        assert "| without stop, watchdog, cable, kill |" in text
        assert main([*base, "--yes", "--without", "cabel"]) == 2
        bus.inject("hardware_error", id=3)
        again = [*base[:-1], str(tmp_path / "second.md")]
        assert main([*again, "--yes"]) == 1
        assert (
            "| state | failed | it reports a hardware error: overload" in (tmp_path / "second.md").read_text()
        )
        assert "state failed |" in (tmp_path / "second.md").read_text()


@pytest.fixture
def checklist(tmp_path):
    """Runs the command on a servo, with a report and these words; returns the exit code."""
    with VirtualPort(VirtualBus([(3, "xl430_w250")]), link=str(tmp_path / "tty")) as port:
        words = ["servos", port.link, "--wait", "300", "commission", "--report", str(tmp_path / "report.md")]
        yield lambda *more: main([*words, *more])


def test_a_report_that_cannot_be_written_is_told_before_anything_is_asked(checklist, tmp_path, capsys):
    (tmp_path / "report.md").write_text("of yesterday")
    assert checklist("--yes") == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "report.md: the report cannot be written: File exists" in seen.err
    assert (tmp_path / "report.md").read_text() == "of yesterday"


def test_a_servo_that_could_not_be_left_limp_is_told_on_the_terminal(checklist, capsys, monkeypatch):
    monkeypatch.setattr(Subject, "leave", lambda self: "torque off: servo 3 does not answer")
    assert checklist("--yes", *(f"--without={name}" for name in NAMES)) == 1
    told = "IT MAY STILL BE DRIVEN, or is not as before: torque off: servo 3 does not answer"
    assert told in capsys.readouterr().err
