# SPDX-License-Identifier: Apache-2.0
"""Senses a simulated robot once per cycle, publishes what has subscribers, and paints camera pictures."""

import threading
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import ceil, tan
from typing import Final

from builtin_interfaces.msg import Time
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from typing_extensions import override

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import battery_state, imu, joint_states, odometry, pose
from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.msg import TouchState, TouchStates
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.physics.assembly import EYE
from embodiment_bridge.physics.camera import Painter
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.senses import Battery, Odometry, Senses
from embodiment_bridge.physics.sight import Sight
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.scene.entities import EntityMemory, Known
from embodiment_bridge.scene.messages import entity_array

POLL_S: Final = 0.2  # after which the thread checks again whether it is to end
OPTICAL_FRAME: Final = "camera_optical_frame"


class CameraPublisher(OwnThread):
    """Publishes camera/image_raw and camera/camera_info until it is closed. On one thread: ``offer``.

    Pictures are painted on a thread of its own, so that the robot does not wait.

    Args:
        node: configured.
        simulation: whose world is painted.
        values: camera (a name; the field of view is that of the robot's own eye, or the model's for others),
            camera_width, camera_height, camera_rate, field_of_view, frame_prefix.
    """

    def __init__(self, node: Node, simulation: Simulation, values: ParameterValues) -> None:
        super().__init__()
        self._node = node
        self._model = simulation.model
        self._camera = str(values["camera"])
        self._size = int(values["camera_width"]), int(values["camera_height"])
        self._view = float(values["field_of_view"]) if self._camera == EYE else None
        self._frame = f"{values['frame_prefix']}{OPTICAL_FRAME if self._camera == EYE else self._camera}"
        self._period = 1.0 / float(values["camera_rate"])
        self._data = mujoco.MjData(self._model)
        self._stamp = Time()
        self._due = 0.0
        self._wanted = threading.Event()  # set while a picture waits to be painted
        self._images = node.create_publisher(Image, "camera/image_raw", profile("sensor"))
        self._infos = node.create_publisher(CameraInfo, "camera/camera_info", profile("sensor"))
        self._start("camera")

    def offer(self, simulation: Simulation, seconds: float, stamp: Time) -> None:
        """Have the present state painted, if a picture is due, has listeners, and the last one is done."""
        if seconds < self._due - self._period:  # the clock went back
            self._due = seconds
        if seconds < self._due or self._wanted.is_set() or not self._images.get_subscription_count():
            return
        self._due = seconds + self._period
        self._stamp = stamp
        mujoco.mj_copyData(self._data, self._model, simulation.data)
        self._wanted.set()

    @override
    def _serve(self) -> None:
        try:
            with Painter(self._model, self._camera, *self._size, self._view) as painter:
                while not self._closing.is_set():
                    if self._wanted.wait(POLL_S):
                        self._publish(painter)
                        self._wanted.clear()
        except ConfigError as error:
            self._node.get_logger().error(f"no pictures: {error}")

    def _publish(self, painter: Painter) -> None:
        width, height = self._size
        header = Header(stamp=self._stamp, frame_id=self._frame)
        picture = painter.paint(self._data)
        image = Image(header=header, width=width, height=height, encoding="rgb8", step=3 * width)
        image.data = array("B", picture.tobytes())
        self._images.publish(image)
        self._infos.publish(_info(header, width, height, painter.height))


def _info(header: Header, width: int, height: int, angle: float) -> CameraInfo:
    """Describe an ideal pinhole whose picture is ``angle`` rad high."""
    focal = 0.5 * height / tan(0.5 * angle)
    x, y = 0.5 * width, 0.5 * height
    info = CameraInfo(header=header, width=width, height=height, distortion_model="plumb_bob")
    info.d = [0.0] * 5
    info.k = [focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0]
    info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    info.p = [focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0]
    return info


def touch(touches: Iterable[tuple[str, bool]], stamp: Time, frame: str) -> TouchStates:
    """Return which of the last links touch something; ``frame`` is base_link."""
    sensors = [TouchState(name=name, touched=touched) for name, touched in touches]
    return TouchStates(header=Header(stamp=stamp, frame_id=frame), sensors=sensors)


ENTITIES_HZ, TOUCH_HZ, BATTERY_HZ = 10.0, 50.0, 1.0
BLIND: Final = "the robot has no camera_link and no camera: it sees entities on all sides"
HIGH_SHARE: Final = 0.75  # height of the picture / its width


class Percepts:
    """Publishes the senses of a simulated robot. ``warnings``: what people should know."""

    def __init__(self, simulation: Simulation, values: ParameterValues, interface: BodyInterface) -> None:
        self._simulation = simulation
        self._interface = interface
        self._prefix = str(values["frame_prefix"])
        self._names = [joint.name for joint in simulation.body.joints]
        self._localisation = str(values["localisation"])
        self._senses = Senses(simulation, float(values["noise"]), int(values["seed"]))
        width = float(values["field_of_view"])
        self._sight = Sight(simulation, width, HIGH_SHARE * width)
        self._memory = EntityMemory(float(values["entity_memory"]))
        self._battery = Battery(float(values["battery_capacity"]))
        self._odometry = Odometry(int(values["seed"]))
        self._rate = float(values["rate"])
        self._time = 0.0
        self._begun = 0.0  # s that had passed when the simulation was begun last
        self._cycles = 0
        self.warnings = [] if self._sight.camera else [BLIND]
        self.begin()

    @property
    def things(self) -> Mapping[str, Known]:
        """The things that the robot sees or remembers, by id."""
        return self._memory.things

    def begin(self) -> None:
        """Forget the past, as the robot was put somewhere. Time goes on."""
        self._begun = max(self._time - self._simulation.time, 0.0)
        self._memory.clear()
        self._odometry.begin(self._simulation.state)

    def sense(self) -> BodyState:
        """Return the state that the robot senses now; its time goes on when the simulation is reset."""
        true = self._simulation.state
        now = self._begun + true.time
        passed, self._time = now - self._time, now
        state = self._senses.state(replace(true, time=now))
        self._odometry.update(self._simulation.speed, state.base_rates[2], max(passed, 0.0))
        self._battery.step(self._simulation.effort, true.velocity, max(passed, 0.0))
        if self._localisation == "odometry":
            return self._odometry.of(state)
        if self._localisation == "none":
            return replace(state, has_base=False, has_tilt=True)
        return state

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish what has subscribers."""
        interface, prefix = self._interface, self._prefix
        wanted = interface.wanted
        if wanted("joint_states"):
            joints = joint_states(self._names, state, stamp)
            joints.effort = self._simulation.effort
            interface.publish("joint_states", joints)
        if state.has_base and wanted("pose"):
            interface.publish("pose", pose(state, stamp, prefix + "map"))
        if state.has_base and wanted("odom"):
            interface.publish("odom", odometry(state, self._simulation.speed, stamp, prefix))
        if wanted("imu"):
            reading = self._senses.imu
            message = imu(reading.rates, reading.acceleration, reading.turn, stamp, prefix + "imu_link")
            interface.publish("imu", message)
        if self._is_due(TOUCH_HZ) and wanted("touch"):
            interface.publish("touch", touch(self._senses.touches, stamp, prefix + "base_link"))
        if self._is_due(ENTITIES_HZ) and self._sight.things:
            # it remembers for later listeners
            known = self._memory.look(self._sight.picture(), state.time, stamp, self._sight.surely_shows)
            if wanted("entities"):
                known += self._memory.forgotten
                interface.publish("entities", entity_array(known, stamp, prefix + "map"))
        if self._is_due(BATTERY_HZ):
            full, volts = self._battery, self._battery.voltage
            charge = battery_state(volts, full.power / volts, full.charge, full.capacity / volts, stamp)
            interface.publish("battery", charge)
        self._cycles += 1

    def _is_due(self, frequency: float) -> bool:
        return self._cycles % ceil(self._rate / frequency) == 0
