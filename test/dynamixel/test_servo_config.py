# SPDX-License-Identifier: Apache-2.0
"""Servos from a description and what overrides it: aliases, precedence, and every way in which it can be wrong."""

import pytest

from embodiment_bridge.body.body_file import channel_of
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.config.config_reader import read_servo_file, read_servo_setup
from embodiment_bridge.dynamixel.config.servo_config import plain_body
from embodiment_bridge.nodes.body.joint_driver import ports_of
from embodiment_bridge.urdf import Mimic, read_urdf

LINKS = "".join(f'<link name="{name}"/>' for name in ("base", "a", "b", "c", "d"))


def joint(name, parent, child, more='<limit lower="-1" upper="1" velocity="3" effort="2"/>', kind="revolute"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'
    )


def block(name="arm", joints="", hardware='<param name="port_name">/dev/ttyUSB0</param>', more=""):
    return (
        f'<ros2_control name="{name}" type="system"><hardware><plugin>any/Thing</plugin>{hardware}</hardware>'
        f"{joints}{more}</ros2_control>"
    )


def param(name, value):
    return f'<param name="{name}">{value}</param>'


def servo(name, *params, more=""):
    return f'<joint name="{name}">{"".join(param(*one) for one in params)}{more}</joint>'


def robot(*blocks):
    joints = (
        joint("pan", "base", "a"),
        joint("tilt", "a", "b"),
        joint("wheel", "b", "c", kind="continuous", more=""),
        joint(
            "finger",
            "c",
            "d",
            '<limit lower="0" upper="1" velocity="1" effort="1"/><mimic joint="pan" multiplier="2" offset="0.5"/>',
        ),
    )
    return read_urdf(f'<robot name="r">{LINKS}{"".join(joints)}{"".join(blocks)}</robot>')


def test_what_a_description_says() -> None:
    interface = (
        '<command_interface name="position"><param name="min">-0.5</param><param name="max">3</param>'
        "</command_interface>"
    )
    transmission = (
        '<transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin><actuator name="m"/>'
        '<joint name="pan"><mechanical_reduction>-2.0</mechanical_reduction><offset>0.1</offset></joint></transmission>'
    )
    pan = servo("pan", ("id", 1), ("model", "xm430_w350"), ("registers.position_p_gain", 700), more=interface)
    setup = read_servo_setup(
        robot(
            block(
                joints=pan + servo("wheel", ("ID", "0x02"), ("mode", "velocity")) + servo("tilt"),
                hardware=param("usb_port", "/dev/ttyACM0")
                + param("baud_rate", 57600)
                + param("port_handler", "sdk")
                + param("number_of_joints", 2),
                more=transmission,
            )
        )
    )
    (bus,) = setup.buses
    assert (bus.name, bus.port_name, bus.baud_rate) == ("arm", "/dev/ttyACM0", 57600)
    assert bus.port_handler == "sdk"
    first, second = bus.servos
    assert (first.joint, first.id, first.model, first.mode) == ("pan", 1, "xm430_w350", "position")
    assert (first.reduction, first.offset, dict(first.registers)) == (-2.0, 0.1, {"position_p_gain": 700})
    assert (first.lower, first.upper, first.velocity, first.effort) == (-0.5, 1.0, 3.0, 2.0)
    assert (second.id, second.mode) == (2, "velocity")
    assert setup.mimics == {"finger": Mimic("pan", 2.0, 0.5)}
    assert setup.warnings == ("joint 'wheel' has no <limit>: its targets are not limited",)


def test_two_blocks_are_two_buses_and_gpio_ids_are_taken() -> None:
    gpio = '<gpio name="tilt"><param name="ID">7</param></gpio>'
    setup = read_servo_setup(
        robot(
            block("left", servo("pan", ("id", 1))),
            block("right", servo("tilt") + gpio, param("port_name", "socket://h:1")),
        )
    )
    assert [(bus.name, bus.servos[0].joint, bus.servos[0].id) for bus in setup.buses] == [
        ("left", "pan", 1),
        ("right", "tilt", 7),
    ]


def test_registers_of_a_gpio_are_taken_and_what_is_not_is_told() -> None:
    words = (
        ("type", "dxl"),
        ("ID", 7),
        ("Drive Mode", 4),
        ("Homing Offset", -30),
        ("Operating Mode", 5),
        ("Profile Time", 9),
    )
    gpio = f'<gpio name="tilt">{"".join(param(*word) for word in words)}</gpio>'
    joints = servo("tilt", ("registers.homing_offset", 20)) + servo("pan", ("id", 1))
    setup = read_servo_setup(robot(block(joints=joints + gpio)))
    tilt = next(servo for servo in setup.servos if servo.joint == "tilt")
    assert tilt.registers == {"drive_mode": 4, "homing_offset": 20}  # the joint has the last word
    assert tilt.mode == "current_based_position"
    assert setup.warnings == ("<gpio name='tilt'>: 'Profile Time' (9) is not read",)


ROBOTIS = {
    "number_of_joints": 2,
    "error_timeout_ms": 500,
    "disable_torque_at_init": "true",
    "reboot_dxl_srv_name": "x/reboot",
    "port_name": "/dev/ttyUSB0",
}


def robotis(servos=("dxl1", "dxl2"), more="", **hardware):
    """A bus in the form of dynamixel_hardware_interface, with servos 11, 12, ... and a sensor."""
    parts = [
        f'<gpio name="{name}">{param("type", "dxl")}{param("ID", 11 + i)}</gpio>'
        for i, name in enumerate(servos)
    ]
    sensor = f'<gpio name="hat">{param("type", "sensor")}{param("ID", 200)}</gpio>'
    entries = "".join(param(*entry) for entry in (ROBOTIS | hardware).items())
    return robot(block("om", servo("pan") + servo("tilt") + "".join(parts) + sensor, entries, more))


@pytest.mark.parametrize(
    ("hardware", "expected"),
    [
        ({}, {"pan": (11, 1.0), "tilt": (12, 1.0)}),
        ({"joint_to_transmission_matrix": "1, 0,\n 0, 1"}, {"pan": (11, 1.0), "tilt": (12, 1.0)}),
        ({"joint_to_transmission_matrix": "0, -3, 1, 0"}, {"tilt": (11, -3.0), "pan": (12, 1.0)}),
        ({"transmission_to_joint_matrix": "0.5, 0, 0, 1"}, {"pan": (11, 2.0), "tilt": (12, 1.0)}),
    ],
)
def test_servos_of_robotis_move_the_joints_that_matrices_say(hardware, expected) -> None:
    setup = read_servo_setup(robotis(**hardware))
    assert {servo.joint: (servo.id, servo.reduction) for servo in setup.servos} == expected
    assert setup.warnings == ("<gpio name='hat'>: what is of type 'sensor' is not driven",)
    by_order = read_servo_setup(robotis(("tilt", "pan"), **hardware))
    if hardware:
        assert {servo.joint: (servo.id, servo.reduction) for servo in by_order.servos} == expected
    else:
        assert {servo.joint: servo.id for servo in by_order.servos} == {"tilt": 11, "pan": 12}


@pytest.mark.parametrize(
    ("servos", "hardware", "message"),
    [
        (("dxl1",), {}, "1 <gpio> with an ID for 2 joints: give them the names of their joints"),
        (("a", "b"), {"joint_to_transmission_matrix": "1, 1, 0, 1"}, "servo 1 move several joints"),
        (("a", "b"), {"joint_to_transmission_matrix": "1, 0, 1, 0"}, "let two servos move one joint"),
        (
            ("a", "b"),
            {"joint_to_transmission_matrix": "1, 0, 1"},
            "joint_to_transmission_matrix is not 2 x 2 numbers",
        ),
        (("a", "b"), {"joint_to_transmission_matrix": "1 0 nan 1"}, "is not 2 x 2 numbers"),
        (
            ("a", "b"),
            {"joint_to_transmission_matrix": "2, 0, 0, 1", "transmission_to_joint_matrix": "2, 0, 0, 1"},
            "are not the inverse of each other in servo 1",
        ),
        (("a", "b"), {"use_revolute_to_prismatic_gripper": 1}, "give the joint of the gripper a reduction"),
    ],
)
def test_servos_of_robotis_that_cannot_be_joined(servos, hardware, message) -> None:
    with pytest.raises(ConfigError, match=message):
        read_servo_setup(robotis(servos, **hardware))


def test_entries_of_a_foreign_plugin_are_told_and_those_of_the_own_must_be_known() -> None:
    hardware = param("port_name", "/dev/x") + param("led_colour", "red")
    foreign = robot(block(joints=servo("pan", ("id", 1)), hardware=hardware))
    assert read_servo_setup(foreign).warnings == ("bus 'arm': not read of what any/Thing has: led_colour",)
    own = block(joints=servo("pan", ("id", 1)), hardware=hardware).replace("any/", "embodiment_bridge/")
    with pytest.raises(ConfigError, match="unknown entry 'led_colour'"):
        read_servo_setup(robot(own))


def test_a_disabled_limit_leaves_that_of_the_joint() -> None:
    more = (
        '<limits enable="false"/><command_interface name="position">'
        + param("max", 0.2)
        + "</command_interface>"
    )
    setup = read_servo_setup(robot(block(joints=servo("pan", ("id", 1), more=more))))
    assert setup.servos[0].upper == 1.0


def test_overrides_win_and_can_stand_alone() -> None:
    setup = read_servo_setup(
        robot(block(joints=servo("pan", ("id", 1)))),
        {
            "buses": {"arm": {"rate_hz": 50, "port_name": "/dev/x"}},
            "joints": {
                "pan": {"id": 4, "soft_start_s": 2, "registers": {"led": 1}, "on_start": "keep"},
                "tilt": {"id": 5},
            },
            "policy": {"on_shutdown": "hold"},
            "faults": {"overload": "reboot"},
        },
    )
    pan, tilt = setup.servos
    assert (setup.buses[0].rate_hz, setup.buses[0].port_name) == (50.0, "/dev/x")
    assert (pan.id, pan.soft_start_s, dict(pan.registers), pan.on_start) == (4, 2.0, {"led": 1}, "keep")
    assert (tilt.id, tilt.on_start, tilt.on_shutdown, tilt.faults.overload) == (5, "on", "hold", "reboot")
    alone = read_servo_setup(
        robot(), {"buses": {"b": {"port_name": "/dev/x"}}, "joints": {"pan": {"id": 1, "bus": "b"}}}
    )
    assert alone.buses[0].servos[0].joint == "pan"


PAN = servo("pan", ("id", 1))
ONE = block(joints=PAN)
OUTSIDE = (
    "<transmission name='t'><joint name='pan'/><actuator name='m'><mechanicalReduction>-2</mechanicalReduction>"
    "</actuator></transmission>"
)
ODD = "<transmission name='t'><plugin>x/DifferentialTransmission</plugin></transmission>"
WRONG = {
    "two ids": (block(joints=servo("pan", ("id", 1)) + servo("tilt", ("id", 1))), {}, "both have id 1"),
    "no port": (block(joints=servo("pan", ("id", 1)), hardware=""), {}, "has no port_name"),
    "no servo": (block(joints=servo("pan")), {}, "no servo"),
    "id": (block(joints=servo("pan", ("id", 253))), {}, "id '253' is not a number within 0..252"),
    "id text": (block(joints=servo("pan", ("id", "one"))), {}, "id 'one'"),
    "id part": (block(joints=servo("pan", ("id", 1.5))), {}, "whole number"),
    "mode": (block(joints=servo("pan", ("id", 1), ("mode", "speed"))), {}, "unknown mode 'speed'"),
    "entry": (block(joints=servo("pan", ("id", 1), ("modle", "x"))), {}, "unknown entry 'modle'; did you mean 'mode'"),
    "joint": (block(joints=servo("pam", ("id", 1))), {}, "unknown joint 'pam'; did you mean 'pan'"),
    "two buses": (block("a", PAN) + block("b", PAN), {}, "is on two buses: 'a' and 'b'"),
    "same bus": (block("a", PAN) + block("a", servo("tilt", ("id", 1))), {}, "two <ros2_control> are called 'a'"),
    "reduction": (block(joints=servo("pan", ("id", 1), ("reduction", 0))), {}, "other than 0"),
    "nan": (block(joints=servo("pan", ("id", 1), ("offset", "nan"))), {}, "offset 'nan'"),
    "differential": (
        block(joints=PAN, more=ODD),
        {}, "not a SimpleTransmission",
    ),
    "transmission outside": (ONE + OUTSIDE, {}, "transmission 't' (reduction -2) is outside the <ros2_control>"),
    "limits": (
        block(joints=servo("pan", ("id", 1), ("min", 2))),
        {}, "leave no range",
    ),
    "port handler": (ONE, {"buses": {"arm": {"port_handler": "sdl"}}}, "port_handler 'sdl'; did you mean 'sdk'"),
    "section": (ONE, {"bus": {}}, "unknown section 'bus'; did you mean 'buses'"),
    "list": (ONE, {"joints": [1]}, "joints: is not a mapping"),
    "policy": (ONE, {"policy": {"on_start": "maybe"}}, "unknown on_start 'maybe'"),
    "fault": (ONE, {"faults": {"overlaod": "hold"}}, "did you mean 'overload'"),
    "bus of joint": (ONE, {"joints": {"tilt": {"id": 2, "bus": "leg"}}}, "unknown bus 'leg'"),
    "register": (ONE, {"joints": {"pan": {"registers": {"led": "on"}}}}, "registers.led"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(case) -> None:
    blocks, overrides, why = WRONG[case]
    with pytest.raises(ConfigError) as caught:
        read_servo_setup(robot(blocks), overrides)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("outside", "overrides"),
    [
        (OUTSIDE.replace("-2", "1"), {}),
        (OUTSIDE, {"joints": {"pan": {"reduction": -2.0}}}),
        (OUTSIDE.replace("pan", "tilt"), {}),
    ],
)
def test_transmission_outside_that_changes_nothing_is_left_alone(outside, overrides) -> None:
    assert read_servo_setup(robot(ONE + outside), overrides).buses[0].servos[0].joint == "pan"


def test_all_problems_come_in_one_message() -> None:
    with pytest.raises(ConfigError) as caught:
        read_servo_setup(
            robot(
                block(
                    joints=servo("pan", ("id", 999), ("mode", "x")) + servo("nobody", ("id", 1)), hardware=""
                )
            )
        )
    text = str(caught.value)
    assert all(part in text for part in ("999", "unknown mode 'x'", "'nobody'", "no port_name"))
    many = {"joints": {f"joint{number}": {"id": 1, "bus": "arm"} for number in range(500)}}
    with pytest.raises(ConfigError, match="and 450 more"):
        read_servo_setup(robot(ONE), many)


def test_servo_files(tmp_path) -> None:
    path = tmp_path / "servos.yaml"
    path.write_text("joints: {pan: {id: 3}}\n")
    assert read_servo_file(path) == {"joints": {"pan": {"id": 3}}}
    for text in ("[1, 2]", "a: [", "a: 1\na: 2"):
        path.write_text(text)
        with pytest.raises(ConfigError):
            read_servo_file(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_servo_file(tmp_path / "none.yaml")


def test_ports_by_bus() -> None:
    assert ports_of("", ["a"]) == ports_of("auto", ["a", "b"]) == {}
    assert ports_of("/dev/x", ["a"]) == {"a": "/dev/x"}
    assert ports_of("a=/dev/x, b=socket://h:1", ["a", "b"]) == {"a": "/dev/x", "b": "socket://h:1"}
    for text, buses in (("/dev/x", ["a", "b"]), ("c=/dev/x", ["a", "b"]), ("a=", ["a"])):
        with pytest.raises(ConfigError, match="port_name"):
            ports_of(text, buses)


def test_a_body_of_nothing_but_servos() -> None:
    body = plain_body(
        read_servo_setup(robot(block(joints=servo("pan", ("id", 1)) + servo("wheel", ("id", 2)))))
    )
    assert [joint.name for joint in body.joints] == ["pan", "wheel"]
    assert list(body.skills) == ["reset"]
    names = {
        "head_yaw": "head",
        "left_elbow": "arm_l",
        "r_grip": "hand_r",
        "l_knee": "legs",
        "shoulder": "arm_r",
    }
    assert {name: channel_of(name) for name in names} == names
