# SPDX-License-Identifier: Apache-2.0
"""The node of the mock body, a robot in a small world of its own, without a simulator."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer
from std_msgs.msg import String

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import joint_states, pose
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.mock import messages
from embodiment_bridge.mock.skills import LONGEST_TEXT, NativeSkills
from embodiment_bridge.mock.world import Hand, World, stiff_hand
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.protocols.spec import Output
from embodiment_bridge.urdf import Robot, link_pose, read_urdf

PARAMETERS = (
    *body_interface.PARAMETERS,
    Parameter("rate", 50.0, "Steps of the world per second of its time, Hz.", 10.0, 500.0),
    Parameter("speed", 1.0, "How many times faster than real time, with publish_clock only.", 0.1, 100.0),
    Parameter("seed", 0, "Where the ball lies at first and what the other agent says.", 0, 2**31 - 1),
)
OUTPUTS = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor"),
    Output("imu", "sensor_msgs.msg:Imu", "sensor"),
    Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
    Output("entities", "embodiment_bridge.msg:EntityArray", "sensor"),
    Output("heard", "embodiment_bridge.msg:HeardMessage", "events"),
    Output("battery", "sensor_msgs.msg:BatteryState", "state"),
)
ENTITIES_HZ, BATTERY_HZ = 10.0, 1.0
OWN_FILES = {"body_file": "config/bodies/mock.yaml", "robot_description_file": "urdf/mock.urdf"}
HAND_LINK = "r_gripper"
NANOSECONDS = 1e-9


class MockBody(BridgeNode):
    """A mock body. ``share()`` gives the folder of this package's files, for parameters that are empty."""

    def __init__(self, share: Callable[[], Path], **node_kwargs: Any) -> None:
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
        self._names = [joint.name for joint in body.joints]
        robot = read_urdf(Path(values["robot_description_file"]))
        self._world = World(body, values["seed"], _hand_of(robot, self._names))
        self._targets = self._world.state.position
        native_skills = NativeSkills(self._world, body.joints).starts
        self._interface = BodyInterface(self, body, OUTPUTS, self._refusal, native_skills)
        self._say_topic = self.create_subscription(String, "say", self._say, profile("command"))
        self._steps = 0
        self._connects = 0

    def activate(self) -> None:
        """Start the time of the world."""
        values = self.values
        if values["publish_clock"]:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._dt: float | None = 1.0 / values["rate"]
            self._ticker = self.create_timer(self._dt / values["speed"], self._tick, clock=steady)
        else:
            self._dt = None
            self._last = self._now()
            self._ticker = self.create_timer(1.0 / values["rate"], self._tick)
        self._connects += 1
        self._interface.queue.joined()
        self._tell_link(Phase.READY)

    def deactivate(self) -> None:
        """Stop the time of the world; running skills fail."""
        if self._ticker is not None:
            self.destroy_timer(self._ticker)
            self._ticker = None
        self._interface.queue.lost("the mock body was deactivated")
        self._tell_link(Phase.CLOSED)

    def cleanup(self) -> None:
        """Remove everything that configure made from the graph."""
        self.destroy_subscription(self._say_topic)
        self._interface.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """The age of the world."""
        if not self.active:
            return super().diagnose()
        values = {"world_time": f"{self._world.time:.2f}", "steps": self._steps}
        return DiagnosticStatus.OK, "the world goes on", values

    def _own_folder(self) -> Path:
        try:
            return self._share()
        except LookupError as error:
            raise ConfigError(f"parameters {' and '.join(OWN_FILES)} are needed: {error}") from error

    def _tell_link(self, phase: Phase) -> None:
        self._interface.link.publish(LinkStatus(phase, "mock://", connects=self._connects))

    def _refusal(self) -> str:
        return "" if self.active else f"{self.get_name()} is inactive; activate it first"

    def _tick(self) -> None:
        """One step of the world and of the motion of the body."""
        dt = self._dt if self._dt is not None else self._elapsed()
        self._world.step(dt, self._targets, *self._interface.velocity)
        state = self._world.state
        self._targets = self._interface.queue.step(state).position
        self._publish(state)
        self._steps += 1

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * NANOSECONDS

    def _elapsed(self) -> float:
        last, self._last = self._last, self._now()
        return self._last - last

    def _publish(self, state: BodyState) -> None:
        interface, prefix, stamp = (
            self._interface,
            self.values["frame_prefix"],
            self._interface.stamp(state.time),
        )
        # Publishing is most of the cost of a step, so topics without subscribers are left out.
        if interface.wanted("joint_states"):
            interface.publish("joint_states", joint_states(self._names, state, stamp))
        if interface.wanted("pose"):
            interface.publish("pose", pose(state, stamp, prefix + "map"))
        if interface.wanted("imu"):
            interface.publish("imu", messages.imu(self._world, stamp, prefix + "imu_link"))
        for said in self._world.take_heard():
            interface.publish("heard", messages.heard(said, stamp, prefix + "base_link"))
        if self._is_due(ENTITIES_HZ) and interface.wanted("entities"):
            interface.publish(
                "entities", messages.entities(self._world, self._body.name, stamp, prefix + "map")
            )
        if self._is_due(BATTERY_HZ):
            interface.publish("battery", messages.battery_state(self._world.battery, stamp))
        interface.after_step(state, stamp)

    def _is_due(self, frequency: float) -> bool:
        return self._steps % ceil(float(self.values["rate"]) / frequency) == 0

    def _say(self, message: String) -> None:
        refusal = self._refusal()
        if not refusal and len(message.data) > LONGEST_TEXT:
            refusal = f"a text of {len(message.data)} characters is longer than {LONGEST_TEXT}"
        if refusal:
            self.get_logger().warning(f"say refused: {refusal}")
        else:
            self._world.say(message.data)


def _hand_of(robot: Robot, joints: Sequence[str]) -> Hand:
    """Place of the right hand in base_link, by forward kinematics; a fixed place for a robot without one."""

    def place(positions: Sequence[float]) -> Vector:
        link = link_pose(robot, dict(zip(joints, positions, strict=True)), HAND_LINK)
        return stiff_hand(positions) if link is None else link.xyz

    return place if HAND_LINK in robot.links else stiff_hand
