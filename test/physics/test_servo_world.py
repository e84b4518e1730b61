# SPDX-License-Identifier: Apache-2.0
"""Virtual servos that carry the weight of a robot: what they report is what the physics asks of them."""

import math

import pytest
from physics_stage import DESK

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import VirtualClock
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.instructions import HardwareError
from embodiment_bridge.physics.servos.servo_world import ServoWorld
from embodiment_bridge.urdf import read_urdf

MODEL = "xm430_w350"
LOAD = 1.0  # kg at the end of the arm
REACH = 0.2  # m
# A link that turns up and down, with a weight at its end; its servo is mounted the other way round.
LEVER = f"""<robot name="lever">
  <link name="base_link"/>
  <link name="arm"><inertial><origin xyz="{REACH} 0 0"/><mass value="{LOAD}"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="{REACH} 0 0"/><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="lift" type="revolute"><parent link="base_link"/><child link="arm"/><origin xyz="0 0 1"/>
    <axis xyz="0 -1 0"/><limit lower="-1.5" upper="1.5" velocity="4.5" effort="4"/></joint>
  <ros2_control name="lever" type="system">
    <hardware><plugin>x</plugin><param name="port_name">/dev/null</param></hardware>
    <joint name="lift"><param name="id">1</param><param name="model">{MODEL}</param></joint>
    <transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin>
      <actuator name="a" role="actuator1"/><joint name="lift" role="joint1">
      <mechanical_reduction>-1</mechanical_reduction></joint></transmission>
  </ros2_control>
</robot>"""
WALL = """<mujoco><worldbody><body name="wall" pos="0.2 0 1.15"><geom type="box" size="0.1 0.1 0.02"/></body>
</worldbody></mujoco>"""


class Bench:
    """A robot of virtual servos in a world, on a clock that the test moves."""

    def __init__(self, path, **options) -> None:
        self.setup = read_servo_setup(read_urdf(path))
        self.world = ServoWorld(path, self.setup, MODEL, **options)
        self.clock = VirtualClock()
        (config,) = self.setup.buses
        servos = [(servo.id, servo.model or MODEL) for servo in config.servos]
        self.bus = VirtualBus(servos, clock=self.clock, drives=self.world.drives(config.servos))
        self.ids = {servo.joint: servo.id for servo in config.servos}

    def write(self, joint, **values) -> None:
        """Write registers over the wire."""
        servo = self.bus.servo(self.ids[joint])
        for name, value in values.items():
            item = servo.table.items[name]
            self.bus.receive(
                packet.write(servo.id, item.address, value.to_bytes(item.size, "little", signed=item.signed))
            )
            self.bus.transmit()

    def read(self, joint, name) -> float:
        """A register, in SI units."""
        servo = self.bus.servo(self.ids[joint])
        return servo.snapshot()[name] * servo.table.items[name].factor

    def run(self, seconds) -> None:
        for _ in range(round(seconds / 0.05)):
            self.clock.advance(0.05)
            self.bus.update()

    def angle(self, joint) -> float:
        return float(self.world.simulation.data.joint(joint).qpos[0])

    @property
    def height(self) -> float:
        return self.world.simulation.state.base_position[2]


@pytest.fixture
def lever(tmp_path):
    path = tmp_path / "lever.urdf"
    path.write_text(LEVER, encoding="utf-8")
    (tmp_path / "wall.xml").write_text(WALL, encoding="utf-8")
    return lambda world="none": Bench(
        path, base="fixed", world=world if world == "none" else str(tmp_path / world)
    )


def pulses(angle) -> int:
    """Goal of the lever, whose horn turns the other way."""
    return 2048 - round(angle / (math.tau / 4096))


def test_arm_held_out_draws_the_current_that_its_weight_demands(lever) -> None:
    bench = lever()
    bench.write("lift", torque_enable=1, goal_position=pulses(0.0))
    bench.run(3.0)
    angle = bench.angle("lift")
    assert -0.3 < angle < 0.0  # a servo without an integral part sags under its load
    motor = table(MODEL).motor
    torque = LOAD * 9.81 * REACH * math.cos(angle)
    current = torque / (motor.stall_torque_nm / motor.stall_current_a)
    assert abs(bench.read("lift", "present_current")) == pytest.approx(current, rel=0.1)
    assert bench.read("lift", "present_current") < 0.0  # the horn pushes the other way
    lifted = bench.read("lift", "present_position")
    bench.write("lift", goal_position=pulses(1.3))
    bench.run(3.0)
    light = LOAD * 9.81 * REACH * math.cos(bench.angle("lift"))
    assert abs(bench.read("lift", "present_current")) < current * (light / torque + 0.1)
    assert bench.read("lift", "present_position") != lifted


def test_holding_warms_the_servo_and_sags_the_supply(lever) -> None:
    bench = lever()
    volts = bench.read("lift", "present_input_voltage")
    bench.write("lift", torque_enable=1, goal_position=pulses(0.0))
    bench.run(20.0)
    assert bench.read("lift", "present_temperature") > 25.5
    assert bench.read("lift", "present_input_voltage") < volts


def test_arm_sinks_without_torque_and_is_turned_by_hand(lever) -> None:
    bench = lever()
    bench.write("lift", torque_enable=1, goal_position=pulses(0.0))
    bench.run(2.0)
    held = bench.angle("lift")
    bench.write("lift", torque_enable=0)
    bench.run(1.0)
    assert bench.angle("lift") < held - 1.0
    assert bench.read("lift", "present_current") == 0.0
    bench.world.simulation.pushes.add("arm", (0.0, 0.0, 30.0), (0.0, 0.0, 0.0), 1.0)
    before = bench.bus.servo(1).snapshot()["present_position"]
    bench.run(1.0)
    assert bench.angle("lift") > held
    assert bench.bus.servo(1).snapshot()["present_position"] < before - 1000


def test_blocked_arm_is_an_overload_and_shuts_down(lever) -> None:
    bench = lever("wall.xml")
    bench.write("lift", torque_enable=1, goal_position=pulses(1.4))
    bench.run(1.5)
    assert bench.angle("lift") < 1.0
    servo = bench.bus.servo(1)
    assert not servo.errors
    bench.run(3.0)
    assert servo.errors & HardwareError.OVERLOAD
    assert servo.snapshot()["torque_enable"] == 0
    bench.run(1.0)
    assert bench.angle("lift") < -0.5


def test_robot_stands_when_all_servos_have_torque_and_falls_when_legs_lose_it() -> None:
    bench = Bench(DESK)
    bench.run(1.0)
    assert bench.world.held
    assert bench.height == pytest.approx(0.224, abs=0.002)
    for joint in bench.ids:
        bench.write(joint, torque_enable=1)
        goal = bench.bus.servo(bench.ids[joint]).snapshot()["present_position"]
        bench.write(joint, goal_position=goal)
    bench.run(2.0)
    assert not bench.world.held
    assert bench.height > 0.2
    for joint in bench.ids:
        if any(word in joint for word in ("hip", "knee", "foot")):
            bench.write(joint, torque_enable=0)
    bench.run(2.0)
    assert bench.height < 0.16
    assert bench.world.restarts == 0


def test_axis_that_is_stripped_or_stuck(lever) -> None:
    bench = lever()
    bench.write("lift", torque_enable=1, goal_position=pulses(0.0))
    bench.bus.inject("axis", id=1, state="stripped")
    bench.run(1.0)
    assert bench.angle("lift") < -1.0
    stuck = lever()
    stuck.bus.inject("axis", id=1, state="stuck")
    stuck.write("lift", torque_enable=1, goal_position=pulses(1.0))
    stuck.run(1.0)
    assert abs(stuck.angle("lift")) < 0.05


def test_what_cannot_be_simulated_is_named(tmp_path) -> None:
    path = tmp_path / "lever.urdf"
    path.write_text(LEVER, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"timestep is 0\.003 s"):
        Bench(path, timestep=0.003)
    path.write_text(LEVER.replace('lower="-1.5" upper="1.5"', 'lower="0" upper="0"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"lever\.urdf: .*no joint that can be driven"):
        Bench(path)
