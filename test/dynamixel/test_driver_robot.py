# SPDX-License-Identifier: Apache-2.0
"""Several buses, other layouts, and what a whole robot adds: mimics, requests to all, the calibration file."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from driver_stage import MARGIN_S, servo
from waiting import until

from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.dynamixel.bus import port as port_module
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import open_port
from embodiment_bridge.dynamixel.bus.reading import plan_reads
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.calibration import load_calibration
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoSetup
from embodiment_bridge.dynamixel.messages import joint_states, servo_states
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.nodes.body.servo_maintenance import diagnose_servos
from embodiment_bridge.urdf import Mimic

ROOT = Path(__file__).parents[2]
ODD_MODEL = """\
model: ODD
number: 60000
protocol: 2
layout: x_series
manual: https://example.org/odd/
firmware: 50
fast_read_firmware: 45
modes: [0, 1, 3, 4, 5, 16]
ticks_per_turn: 4096
centre: 2048
motor: {stall_torque_nm: 4.1, stall_current_a: 2.3, rated_voltage_v: 12, no_load_speed_rpm: 46, gear_ratio: 353.5}
change:
  present_position: {address: 152, size: 4, access: r, signed: true, unit: 1 pulse}
"""


@pytest.fixture
def odd(tmp_path) -> str:
    """A model whose position is somewhere else."""
    path = tmp_path / "odd.yaml"
    path.write_text(ODD_MODEL)
    return str(path)


def test_layouts(odd) -> None:
    xm, xl, ax, other = (table(name) for name in ("xm430_w350", "xl430_w250", "ax_12a", odd))
    plan = plan_reads({1: xm, 2: xl, 3: ax})
    assert plan.kind == "sync"
    assert (plan.blocks[1].address, plan.blocks[1].size, plan.blocks[3].address) == (126, 10, 36)
    assert plan.blocks[1].unpack(bytes.fromhex("ffff fdffffff 00080000")) == (2048, -3, -1)
    assert plan.blocks[3].unpack(bytes.fromhex("0002 0104 0100")) == (512, 0x401, 1)
    plan = plan_reads({1: xm, 2: other})
    assert plan.kind == "indirect"
    assert plan.blocks[2].entries == (126, 127, 128, 129, 130, 131, 152, 153, 154, 155)
    assert plan.blocks[1].address == plan.blocks[2].address == 224


def test_models_with_other_layouts_are_read_together_through_indirect_addresses(stages, odd) -> None:
    stage = stages([servo(1), servo(2, model=odd), servo(3)])
    stage.start()
    assert stage.bus.read_kind == "fast indirect"
    stage.drive_until(
        lambda: all(abs(reading.position - 0.3) < 0.02 for reading in stage.bus.readings()),
        **{f"j{id}": Target(0.3) for id in (1, 2, 3)},
    )
    starts = stage.bus.servos[1].starts
    stage.virtual.inject("brown_out", count=1)  # forgets where the indirect addresses point to
    stage.until(lambda: stage.bus.servos[1].starts > starts)
    stage.until(lambda: stage.bus.state is BusState.ACTIVE)
    assert abs(stage.reading(2).position - stage.virtual.servo(2).drive.position) < 0.01


class Robot:
    """Two buses, and a joint that follows another on its own servo."""

    def __init__(self, folder: Path) -> None:
        names = {"left": (1, 2), "right": (1, 2, 3)}
        self.virtual = {bus: VirtualBus([(id, "xm430_w350") for id in ids]) for bus, ids in names.items()}
        self.ports = [VirtualPort(bus, link=str(folder / name)) for name, bus in self.virtual.items()]
        buses = tuple(
            BusConfig(
                name,
                str(folder / name),
                tuple(servo_on(name, id) for id in ids),
            )
            for name, ids in names.items()
        )
        self.file = folder / "calibration.yaml"
        mimics = {"right_3": Mimic("left_1", -0.5, 0.1), "thumb": Mimic("left_1", 2.0)}
        self.robot = ServoRobot(ServoSetup("two", buses, mimics), self.file, margin_s=MARGIN_S)

    def close(self) -> None:
        self.robot.stop()
        for port in self.ports:
            port.close()

    def until(self, condition) -> None:
        until(condition, lambda: (self.robot.state, self.robot.readings()))

    def ask(self, joints, make) -> tuple[bool, str, int]:
        """The answer to a request, which is made again while a servo is too late because the machine is busy."""
        for _ in range(5):
            answers: list[tuple[bool, str, int]] = []
            self.robot.request(joints, make, lambda *answer, told=answers: told.append(answer))
            self.until(lambda told=answers: bool(told))
            if not answers[0][1].endswith("does not answer"):
                break
        return answers[0]


def servo_on(bus: str, id: int):
    return replace(servo(id, model="xm430_w350"), joint=f"{bus}_{id}")


@pytest.fixture
def two(tmp_path):
    robot = Robot(tmp_path)
    robot.robot.start()
    robot.until(lambda: robot.robot.state == (BusState.READY, ""))  # all servos answer
    yield robot
    robot.close()


def test_two_buses_are_one_robot(two) -> None:
    robot = two.robot
    robot.activate(True)
    two.until(lambda: all(reading.torque for reading in robot.readings().values()))

    def arrived() -> bool:
        robot.command({"left_1": Target(0.4, 0.0, 0.0), "right_1": Target(-0.2, 0.0, 0.0)})
        readings = robot.readings()
        return (
            abs(readings["right_3"].position + 0.1) < 0.02 and abs(readings["right_1"].position + 0.2) < 0.02
        )

    two.until(arrived)  # right_3 follows left_1: -0.5 * 0.4 + 0.1
    place: dict[str, float] = {}

    def all_are_told() -> bool:
        message = joint_states(robot.readings().values(), robot.setup.mimics, time.monotonic(), None)
        place.update(zip(message.name, message.position, strict=True))
        return len(message.name) == 6

    two.until(all_are_told)
    assert place["thumb"] == pytest.approx(2.0 * place["left_1"])
    assert two.ask([], lambda joints: requests.SetTorque(joints, on=False)) == (True, "limp", 0)
    assert not any(reading.torque for reading in robot.readings().values())
    with pytest.raises(CommandError, match="unknown joint 'left_9'"):
        robot.request(["left_9"], requests.Reboot, lambda *_: None)


def test_one_bus_that_is_lost_leaves_the_other(two) -> None:
    robot = two.robot
    robot.activate(True)
    two.until(lambda: all(reading.torque for reading in robot.readings().values()))
    rule = two.virtual["left"].inject("unplug")
    two.until(lambda: robot.state[0] is BusState.LOST)
    assert robot.state[1].startswith("left: ")
    assert not robot.serving

    def names() -> list[str]:
        return list(joint_states(robot.readings().values(), {}, time.monotonic(), None).name)

    two.until(lambda: names() == ["right_1", "right_2", "right_3"])
    assert max(servo_states(robot.readings().values(), time.monotonic(), None).age) > 0.25
    success, text, _ = two.ask([], lambda joints: requests.SetTorque(joints, on=True))
    assert not success
    assert "bus 'left' is lost" in text
    two.virtual["left"].heal(rule)
    two.until(lambda: robot.state[0] is BusState.ACTIVE)


def test_calibration_is_kept_and_goes_with_its_servo(two) -> None:
    robot = two.robot
    success, text, _ = two.ask(
        ["left_1", "right_2"], lambda joints: requests.Calibrate(dict.fromkeys(joints, 0.5), robot.keep)
    )
    assert success
    assert "left_1 +0.5000 rad" in text
    assert "right_2 +0.5000 rad" in text
    assert load_calibration(two.file)["left_1"].shift == pytest.approx(0.5)
    robot.stop()
    stored = load_calibration(two.file)
    assert stored["left_1"].clean
    again = ServoRobot(robot.setup, two.file)
    shifts = {one.config.joint: one.scale.calibration.shift for bus in again.buses for one in bus.servos}
    assert shifts == pytest.approx(
        {"left_1": 0.5, "left_2": 0.0, "right_1": 0.0, "right_2": 0.5, "right_3": 0.0}
    )


@pytest.mark.parametrize(
    ("port", "why"), [("ttyUSB0", "not an absolute path"), ("socket://host", "is not socket://host:port")]
)
def test_port_names_that_cannot_be(tmp_path, port, why) -> None:
    setup = ServoSetup("one", (BusConfig("arm", port, (servo(1),)),))
    with pytest.raises(ConfigError, match=why):
        ServoRobot(setup, tmp_path / "calibration.yaml")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"registers": {"position_p_gian": 1}}, "did you mean 'position_p_gain'"),
        ({"registers": {"position_p_gain": 99999}}, "must be from 0 to 16383"),
        ({"model": "xm999"}, "unknown servo model 'xm999'"),
    ],
)
def test_registers_and_models_that_cannot_be(tmp_path, fields, why) -> None:
    setup = ServoSetup("one", (BusConfig("arm", "/dev/none", (servo(1, **fields),)),))
    with pytest.raises(ConfigError, match=why):
        ServoRobot(setup, tmp_path / "calibration.yaml")


def test_a_port_on_tcp(tmp_path) -> None:
    bus = VirtualBus([(1, "xm430_w350")])
    with VirtualPort(bus, listen=("127.0.0.1", 0), pty=False) as port:
        config = BusConfig("tcp", f"socket://127.0.0.1:{port.port}", (servo(1),))
        robot = ServoRobot(ServoSetup("one", (config,)), tmp_path / "calibration.yaml", margin_s=MARGIN_S)
        robot.start()
        try:
            until(lambda: robot.serving, lambda: robot.state)
        finally:
            robot.stop()


def test_launch_files_differ_in_nothing_but_the_port() -> None:
    plans = {
        body: read_launch(
            ROOT / "launch/bringup.launch.xml",
            {"body": body, "port": "/tmp/servos"},
            find_share=lambda _: ROOT,
            environment={},
        )
        for body in ("dynamixel", "virtual_servos")
    }
    nodes = {
        body: [node for node in plan.nodes if node.executable == "joint_driver"]
        for body, plan in plans.items()
    }
    assert nodes["dynamixel"] == nodes["virtual_servos"]
    assert len(nodes["dynamixel"]) == 1
    (program,) = plans["virtual_servos"].executables
    assert program.cmd[:2] == ("embodiment_bridge", "virtual-servos")
    assert "/tmp/servos" in program.cmd


def test_diagnostics_say_what_is_wrong_and_how_to_mend_it(two, tmp_path, monkeypatch) -> None:
    (tmp_path / "latency").write_text("16\n")
    monkeypatch.setattr(port_module, "LATENCY_FILE", str(tmp_path / "latency") + "{:.0}")
    fix = "inactive; left: the adapter holds bytes back for 16 ms; to fix it: echo 1 | sudo tee "
    two.until(lambda: diagnose_servos(two.robot, time.monotonic(), "inactive")[1].startswith(fix))
    level, _, values = diagnose_servos(two.robot, time.monotonic(), "inactive")
    assert level == DiagnosticStatus.WARN
    assert values["left cycle"].split(" Hz")[0]
    two.until(lambda: diagnose_servos(two.robot, time.monotonic(), "")[2]["right read"] == "fast sync")
    assert "XM430-W350, position, limp" in values["left_1"]
    (tmp_path / "latency").write_text("1\n")
    two.virtual["left"].inject("hardware_error", id=1, bits=0x20, shutdown=True)
    told = "left_1: hardware error: overload"
    two.until(lambda: told in diagnose_servos(two.robot, time.monotonic(), "")[1])
    assert two.robot.readings()["left_1"].error == 0x20
    assert diagnose_servos(two.robot, time.monotonic(), "")[0] == DiagnosticStatus.ERROR


def test_a_port_is_opened_by_one_driver_only(tmp_path) -> None:
    bus = VirtualBus([(1, "xm430_w350")])
    with VirtualPort(bus, link=str(tmp_path / "servos")) as port:
        first = open_port(port.link, 1_000_000)
        with pytest.raises(LinkError, match="servos: "):
            open_port(port.link, 1_000_000)
        first.close()
        open_port(port.link, 1_000_000).close()
    with pytest.raises(LinkError, match="No such file"):
        open_port(str(tmp_path / "none"), 1_000_000)
    with pytest.raises(LinkError, match="refused"):
        open_port("socket://127.0.0.1:1", 1_000_000)
