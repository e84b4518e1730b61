# SPDX-License-Identifier: Apache-2.0
"""The node of a robot with Dynamixel servos, real ones or those of a virtual bus."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Unpack

from builtin_interfaces.msg import Time
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.bus.servo import BusState, JointReading
from embodiment_bridge.dynamixel.config.calibration import (
    calibrations_elsewhere,
    changed_by_checklist,
    default_path,
)
from embodiment_bridge.dynamixel.config.config_reader import read_servo_file, read_servo_setup
from embodiment_bridge.dynamixel.config.servo_config import ServoSetup, plain_body
from embodiment_bridge.dynamixel.messages import battery_state, joint_states, servo_states
from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.base.signals import do_at_once, do_no_more
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.nodes.body.emergency_stop import EmergencyStop
from embodiment_bridge.nodes.body.servo_maintenance import ServoServices, diagnose_servos, with_doubts
from embodiment_bridge.nodes.body.speaking import Voice, with_voice
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.urdf import read_urdf

PARAMETERS = (
    *body_interface.PARAMETERS,
    Parameter(
        "robot_description", "", "URDF with <ros2_control>, as text; where robot_description_file is empty."
    ),
    Parameter("servo_file", "", "YAML file that overrides what the URDF says of buses, joints and policies."),
    Parameter(
        "port_name",
        "",
        "Port of the bus, over the URDF: a path, or socket://host:port; NAME=PORT,... for several.",
    ),
    Parameter("baud_rate", 0, "Bits per second of all buses, over the URDF; 0: as described.", 0, 10_500_000),
    Parameter(
        "calibration_file",
        "",
        "Where calibration is kept; empty: calibration/ROBOT/PORT.yaml in ~/.ros/embodiment_bridge.",
    ),
    Parameter("rate", 100.0, "Steps of motion per second, Hz.", 10.0, 500.0),
    Parameter(
        "start_pose", "here", "Where joints go when they are driven at first.", choices=("here", "rest")
    ),
    Parameter(
        "estop_action",
        "torque_off",
        "What an emergency stop does.",
        choices=("torque_off", "hold"),
        safety=True,
    ),
    Parameter("answer_margin", 0.01, "How much later than the wire needs a servo may answer, s.", 0.001, 0.5),
)
OUTPUTS = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor"),
    Output("servo_states", "embodiment_bridge.msg:ServoStates", "state"),
)
BATTERY = Output("battery", "sensor_msgs.msg:BatteryState", "state")  # for body files with a battery curve
STATES_EVERY_S = 0.1
NONE = ("", "auto", "none")  # values in launch files that mean no path
PHASES = {
    BusState.CLOSED: Phase.CLOSED,
    BusState.OPEN: Phase.CONNECTING,
    BusState.PROBE: Phase.HANDSHAKE,
    BusState.CONFIGURE: Phase.HANDSHAKE,
    BusState.READY: Phase.READY,
    BusState.ACTIVE: Phase.READY,
    BusState.DEGRADED: Phase.READY,
    BusState.LOST: Phase.BACKOFF,
}


class JointDriver(BridgeNode):
    """Finds and sets up the servos when it is configured, and drives them while it is active."""

    def __init__(self, **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("joint_driver", PARAMETERS, **node_kwargs)
        self._ticker: Timer | None = None
        self._robot: ServoRobot | None = None
        self._estop = False
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)

    def configure(self) -> None:
        """Read the description; the buses then find and set up their servos."""
        setup = self._setup()
        body = with_voice(self._body_of(setup))
        # Motion keeps to the range of the body: a servo with a wider one would take its end for a command.
        setup = setup.within({joint.name: (joint.lower, joint.upper) for joint in body.joints})
        given = self.values["calibration_file"]
        ports = [bus.port_name for bus in setup.buses]
        path = Path(given).expanduser() if given else default_path(setup.robot, self.get_namespace(), ports)
        elsewhere = "" if given else calibrations_elsewhere(path)
        robot = ServoRobot(setup, path, margin_s=self.values["answer_margin"])
        servos = [(bus.port_name, servo.id, servo.model) for bus in setup.buses for servo in bus.servos]
        for warning in (*setup.warnings, *filter(None, [elsewhere]), *changed_by_checklist(servos)):
            self.get_logger().warning(warning)
        if robot.warning:
            self.get_logger().error(robot.warning)
        self._battery = body.battery
        outputs = OUTPUTS if body.battery is None else (*OUTPUTS, BATTERY)
        self._joints = [joint.name for joint in body.joints]
        self._robot = robot
        self._linked = False
        self._told: tuple[object, ...] = ()
        self._voice = Voice(self)
        to_rest = self.values["start_pose"] == "rest"
        skills = self._voice.skills(body)
        self._interface = BodyInterface(self, body, outputs, self._refusal, skills, to_rest=to_rest)
        ServoServices(self, robot, self._no_bus, self._interface.queue.lost)
        self._states_due = 0.0
        self._stop = EmergencyStop(self, self._set_estop, self._unconfirmed, pressed=self._estop)
        self.create_timer(STATES_EVERY_S, self._tell_inactive, clock=self._steady)
        do_at_once(robot.stop_soon)
        if self._estop:  # pressed before a cleanup: only a release ends it
            robot.emergency_stop(self.values["estop_action"])
        robot.start()

    def activate(self) -> None:
        """Begin to drive the joints, from their present positions."""
        robot = self._servos()
        robot.activate(True)
        self._interface.queue.joined()
        self._ticker = self.create_timer(1.0 / self.values["rate"], self._tick, clock=self._steady)

    def deactivate(self) -> None:
        """Stop driving the joints, by their shutdown policy."""
        if self._ticker is not None:
            self.destroy_timer(self._ticker)
            self._ticker = None
        self._interface.queue.lost("the joint driver was deactivated")
        if self._robot is not None:
            self._robot.activate(False)

    def cleanup(self) -> None:
        """Close the buses."""
        self._stop.close()
        self._close_buses()
        self._tell_link()

    def close(self) -> None:
        """Make the joints safe before the process ends, in any state."""
        try:
            super().close()
        finally:
            self._close_buses()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the state of the buses and servos."""
        if self._robot is None:
            return super().diagnose()
        notes = "emergency stop" if self._estop else "" if self.active else "inactive"
        return diagnose_servos(self._robot, time.monotonic(), notes)

    def _servos(self) -> ServoRobot:
        if self._robot is None:
            raise ConfigError("the joint driver is not configured")
        return self._robot

    def _close_buses(self) -> None:
        if self._robot is not None:
            robot, self._robot = self._robot, None
            do_no_more(robot.stop_soon)
            try:
                robot.stop()
            except ConfigError as error:
                self.get_logger().error(str(error))
            self.unsafe = bool(robot.unsafe)
            for joint, why in robot.unsafe.items():
                self.get_logger().error(
                    f"joint {joint!r} MAY STILL BE DRIVEN: torque off was sent, but {why}"
                )

    def _setup(self) -> ServoSetup:
        values = self.values
        source = values["robot_description_file"] or values["robot_description"]
        if not source:
            raise ConfigError("parameter robot_description_file or robot_description is needed")
        robot = read_urdf(Path(source) if values["robot_description_file"] else source)
        overrides = read_servo_file(values["servo_file"]) if values["servo_file"] not in NONE else {}
        setup = read_servo_setup(robot, overrides)
        ports = ports_of(values["port_name"], [bus.name for bus in setup.buses])
        buses = [
            replace(
                bus,
                port_name=ports.get(bus.name, bus.port_name),
                baud_rate=values["baud_rate"] or bus.baud_rate,
            )
            for bus in setup.buses
        ]
        return replace(setup, buses=tuple(buses))

    def _body_of(self, setup: ServoSetup) -> BodyDescription:
        if self.values["body_file"] in NONE:
            return plain_body(setup)
        body = read_body(Path(self.values["body_file"]))
        servos = {servo.joint for servo in setup.servos}
        for joint in body.joints:
            if joint.name not in servos:
                raise ConfigError(
                    f"body file {self.values['body_file']}: {unknown('joint', joint.name, servos)}; no servo moves it"
                )
        return body

    def _refusal(self) -> str:
        if not self.active:
            return self.inactive
        if self._estop:
            return "emergency stop: release it first"
        return self._no_bus()

    def _no_bus(self) -> str:
        if self._robot is None:
            return f"{self.get_name()} is not configured"
        state, reason = self._robot.state
        return "" if self._robot.serving else f"servos are not there: {state.value}: {reason}"

    def _set_estop(self, on: bool) -> None:
        """Stop or release the buses at once, motion afterwards. Called on the thread of the emergency stop."""
        robot, executor = self._robot, self.executor
        if robot is None:
            return
        robot.emergency_stop(self.values["estop_action"] if on else "")
        if on == self._estop:
            return
        self._estop = on
        if executor is not None:
            executor.create_task(self._stopped, on)

    def _unconfirmed(self) -> str:
        action = self.values["estop_action"] if self._estop else ""
        return self._robot.unconfirmed(action) if self._robot is not None else "there is no bus"

    def _stopped(self, on: bool) -> None:
        self.get_logger().warning("emergency stop" if on else "emergency stop released")
        self._interface.queue.lost("emergency stop")

    def _tick(self) -> None:
        """Do one step of motion: read the joints, compute their targets, send them."""
        robot, interface = self._servos(), self._interface
        readings = robot.readings()
        self._tell_link()
        now = time.monotonic()
        stamp = self.get_clock().now().to_msg()
        state = self._state(readings, now)
        if robot.serving and not self._estop:
            robot.command(self._targets(interface.queue.step(state), readings))
        if interface.wanted("joint_states"):
            message = joint_states(readings.values(), robot.setup.mimics, now, stamp)
            if message is not None:
                interface.publish("joint_states", message)
        if now >= self._states_due:
            self._states_due = now + STATES_EVERY_S
            self._publish_states(tuple(readings.values()), now, stamp)
        self._fill_status(readings, self._no_bus())
        if robot.serving:
            interface.show_state(state, stamp)
            interface.after_step(state, stamp)
        else:
            interface.status.publish(stamp)

    def _tell_inactive(self) -> None:
        """Tell ``body_status`` of a robot that is not driven: whether its joints are limp by now."""
        if self._robot is not None and not self.active:
            self._fill_status(self._robot.readings(), "the joint driver is inactive")
            self._interface.status.publish(self.get_clock().now().to_msg())

    def _fill_status(self, readings: Mapping[str, JointReading], reason: str) -> None:
        status = self._interface.status
        status.torque = any(reading.torque for reading in readings.values())
        status.moved = self.active
        status.reason = with_doubts("emergency stop" if self._estop else reason, readings.values())

    def _publish_states(self, readings: Sequence[JointReading], now: float, stamp: Time) -> None:
        if self._interface.wanted("servo_states"):
            self._interface.publish("servo_states", servo_states(readings, now, stamp))
        if self._battery is not None and self._interface.wanted("battery"):
            message = battery_state(readings, self._battery, now, stamp)
            if message is not None:
                self._interface.publish("battery", message)

    def _state(self, readings: Mapping[str, JointReading], now: float) -> BodyState:
        known = [readings[name] for name in self._joints]
        limp = {number: one.limp for number, one in enumerate(known) if one.limp}
        return BodyState(now, tuple(r.position for r in known), tuple(r.velocity for r in known), limp=limp)

    def _targets(self, targets: JointTargets, readings: Mapping[str, JointReading]) -> dict[str, Target]:
        """Return the targets of joints with a known angle: a servo that is found later would jump to its old one."""
        columns = zip(self._joints, targets.position, targets.velocity, targets.effort, strict=True)
        return {
            name: Target(position, velocity, effort)
            for name, position, velocity, effort in columns
            if isfinite(readings[name].position)
        }

    def _tell_link(self) -> None:
        """Publish the state of the link if it changed; without servos, skills fail."""
        robot = self._robot
        state, reason = robot.state if robot is not None else (BusState.CLOSED, "")
        phase = PHASES[state]
        connects = sum(bus.connects for bus in robot.buses) if robot is not None else 0
        if (phase, reason) == self._told:
            return
        self._told = (phase, reason)
        peer = ", ".join(bus.config.port_name for bus in robot.buses) if robot is not None else ""
        self._interface.link.publish(LinkStatus(phase, peer, reason, 0.0, connects))
        linked = phase is Phase.READY
        if self._linked and not linked:
            self._interface.queue.lost(f"servos are lost: {reason}")
        self._linked = linked


def ports_of(text: str, buses: list[str]) -> dict[str, str]:
    """Return ports by bus, from ``PORT`` for a robot with one bus, or ``BUS=PORT,BUS=PORT``.

    Raises:
        ConfigError: no such bus, or a port alone for a robot with several.
    """
    if text in NONE:
        return {}
    if "=" not in text:
        if len(buses) != 1:
            raise ConfigError(f"parameter port_name {text!r}: say for which bus, as {buses[0]}={text}")
        return {buses[0]: text}
    ports = {}
    for part in text.split(","):
        name, _, port = part.partition("=")
        if name.strip() not in buses or not port.strip():
            raise ConfigError(f"parameter port_name {text!r}: {unknown('bus', name.strip(), buses)}")
        ports[name.strip()] = port.strip()
    return ports
