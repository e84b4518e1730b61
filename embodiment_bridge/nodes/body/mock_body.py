# SPDX-License-Identifier: Apache-2.0
"""The node of the mock body, a robot in a small world of its own, without a simulator."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from pathlib import Path
from typing import Unpack

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer
from std_msgs.msg import Header, String

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import battery_state, imu, pose
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.rotation import Vector, quaternion_from_rpy
from embodiment_bridge.mock.hardware import CAPACITY_AH
from embodiment_bridge.mock.sight import Sight
from embodiment_bridge.mock.skills import LONGEST_TEXT, NativeSkills
from embodiment_bridge.mock.world import Hand, Said, World, stiff_hand
from embodiment_bridge.msg import HeardMessage
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.scene.messages import entity_array
from embodiment_bridge.scene.sight import FieldOfView
from embodiment_bridge.urdf import Robot, link_pose, read_urdf

PARAMETERS = (
    *body_interface.PARAMETERS,
    Parameter("rate", 50.0, "Steps of the world per second of its time, Hz.", 10.0, 500.0),
    Parameter("speed", 1.0, "How many times faster than real time, with publish_clock only.", 0.1, 100.0),
    Parameter(
        "field_of_view", 2.0944, "Angle that the camera sees to the sides, rad; 6.3: all round.", 0.1, 6.3
    ),
    Parameter("seed", 0, "Where the ball lies at first and what the other agent says.", 0, 2**31 - 1),
)
OUTPUTS = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor", of_state=True),
    Output("imu", "sensor_msgs.msg:Imu", "sensor"),
    Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
    Output("entities", "embodiment_bridge.msg:EntityArray", "sensor"),
    Output("heard", "embodiment_bridge.msg:HeardMessage", "events"),
    Output("battery", "sensor_msgs.msg:BatteryState", "state"),
)
ENTITIES_HZ, BATTERY_HZ = 10.0, 1.0
PEER = "mock://"
OWN_FILES = {"body_file": "config/bodies/mock.yaml", "robot_description_file": "urdf/mock.urdf"}
HAND_LINK = "r_gripper"
VIEW_UP, ALL_ROUND, EVERYTHING = 3.1416, 6.28, 100.0  # rad; down to its feet, where a ball is dropped


class MockBody(BridgeNode):
    """Simulates a mock body. ``share()`` gives the folder of this package's files, for parameters that are empty."""

    def __init__(self, share: Callable[[], Path], **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("mock_body", PARAMETERS, **node_kwargs)
        self._share = share
        self._ticker: Timer | None = None

    def configure(self) -> None:
        """Make the world with the robot."""
        values = self.values
        if values["speed"] != 1.0 and not values["publish_clock"]:
            raise ConfigError(
                f"parameter speed is {values['speed']:g}; it must be 1 where publish_clock is false"
            )
        for name, own in OWN_FILES.items():
            values[name] = values[name] or str(self._own_folder() / own)
        body = self._body = read_body(Path(values["body_file"]))
        names = [joint.name for joint in body.joints]
        robot = read_urdf(Path(values["robot_description_file"]))
        self._world = World(body, values["seed"], _hand_of(robot, names))
        across = values["field_of_view"]
        view = FieldOfView(across, VIEW_UP) if across < ALL_ROUND else FieldOfView(EVERYTHING, EVERYTHING)
        self._sight = Sight(robot, names, body.name, view)
        native_skills = NativeSkills(self._world, body.joints).starts
        self._interface = BodyInterface(
            self,
            body,
            OUTPUTS,
            lambda: self.inactive,
            native_skills,
            partial(self._sight.things, self._world),
        )
        self.create_subscription(String, "say", self._say, profile("command"))
        self._steps = 0

    def activate(self) -> None:
        """Start the time of the world."""
        values = self.values
        if values["publish_clock"]:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._dt: float | None = 1.0 / values["rate"]
            self._ticker = self.create_timer(self._dt / values["speed"], self._tick, clock=steady)
        else:
            self._dt = None
            self._last = self.seconds()
            self._ticker = self.create_timer(1.0 / values["rate"], self._tick)
        self._targets, self._velocity = self._world.state.position, (0.0, 0.0, 0.0)  # not those of before
        self._interface.join(PEER)

    def deactivate(self) -> None:
        """Stop the time of the world; running skills fail."""
        if self._ticker is not None:
            self.destroy_timer(self._ticker)
            self._ticker = None
        self._interface.part(PEER, "the mock body was deactivated")

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the age of the world."""
        if not self.active:
            return super().diagnose()
        values = {"world_time": f"{self._world.time:.2f}", "steps": self._steps, "goals": self._world.goals}
        return DiagnosticStatus.OK, "the world goes on", values

    def _own_folder(self) -> Path:
        try:
            return self._share()
        except LookupError as error:
            raise ConfigError(f"parameters {' and '.join(OWN_FILES)} are needed: {error}") from error

    def _tick(self) -> None:
        """Do one step of the world and of the motion of the body."""
        dt = self._dt if self._dt is not None else self._elapsed()
        forward, left, turn = self._velocity
        self._world.step(dt, self._targets, forward, turn, left)
        state = self._world.state
        stamp = self._interface.stamp(state.time)
        self._interface.show_state(state, stamp)
        self._targets = self._interface.queue.step(state).position
        self._velocity = self._interface.velocity
        self._publish(state, stamp)
        self._steps += 1

    def _elapsed(self) -> float:
        last, self._last = self._last, self.seconds()
        return self._last - last

    def _publish(self, state: BodyState, stamp: Time) -> None:
        interface, prefix = self._interface, self.values["frame_prefix"]
        # Publishing is most of the cost of a step, so topics without subscribers are left out.
        if interface.wanted("pose"):
            interface.publish("pose", pose(state, stamp, prefix + "map"))
        if interface.wanted("imu"):
            turn = quaternion_from_rpy(state.roll, state.pitch, state.yaw)
            reading = imu(state.base_rates, self._world.acceleration, turn, stamp, prefix + "imu_link")
            interface.publish("imu", reading)
        for said in self._world.take_heard():
            interface.publish("heard", _heard(said, stamp, prefix + "base_link"))
        if self._is_due(ENTITIES_HZ):
            known = self._sight.look(self._world, stamp)  # it remembers also while nobody listens
            if interface.wanted("entities"):
                interface.publish("entities", entity_array(known, stamp, prefix + "map"))
        if self._is_due(BATTERY_HZ):
            battery = self._world.battery
            charge = battery_state(battery.voltage, battery.current, battery.charge, CAPACITY_AH, stamp)
            interface.publish("battery", charge)
        interface.after_step(state, stamp)

    def _is_due(self, frequency: float) -> bool:
        return self._steps % ceil(float(self.values["rate"]) / frequency) == 0

    def _say(self, message: String) -> None:
        refusal = self.inactive
        if not refusal and len(message.data) > LONGEST_TEXT:
            refusal = f"a text of {len(message.data)} characters is longer than {LONGEST_TEXT}"
        if refusal:
            self.get_logger().warning(f"say refused: {refusal}")
        else:
            self._world.say(message.data)


def _heard(said: Said, stamp: Time, frame: str) -> HeardMessage:
    """Return one utterance; ``frame`` is base_link."""
    header = Header(stamp=stamp, frame_id=frame)
    return HeardMessage(
        header=header, sender=said.sender, text=said.text, has_direction=True, azimuth=said.azimuth
    )


def _hand_of(robot: Robot, joints: Sequence[str]) -> Hand:
    """Place of the right hand in base_link, by forward kinematics; a fixed place for a robot without one."""

    def place(positions: Sequence[float]) -> Vector:
        link = link_pose(robot, dict(zip(joints, positions, strict=True)), HAND_LINK)
        return stiff_hand(positions) if link is None else link.xyz

    return place if HAND_LINK in robot.links else stiff_hand
