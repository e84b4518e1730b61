# SPDX-License-Identifier: Apache-2.0
"""Senses a simulated robot once per cycle and publishes what has subscribers."""

from dataclasses import replace
from math import ceil
from typing import Final

from builtin_interfaces.msg import Time

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import joint_states, pose
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.nodes.mujoco import messages
from embodiment_bridge.physics.senses import Battery, Odometry, Senses
from embodiment_bridge.physics.sight import Sight
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import entity_array

ENTITIES_HZ, TOUCH_HZ, BATTERY_HZ = 10.0, 50.0, 1.0
BLIND: Final = "the robot has no camera_link and no camera: it sees entities on all sides"
HIGH_SHARE: Final = 0.75  # height of the picture / its width


class Percepts:
    """The senses of a simulated robot, and their topics. ``warnings``: what people should know."""

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

    def begin(self) -> None:
        """The robot was put somewhere: nothing of before is remembered. Time goes on."""
        self._begun = max(self._time - self._simulation.time, 0.0)
        self._memory.clear()
        self._odometry.begin(self._simulation.state)

    def sense(self) -> BodyState:
        """The state that the robot senses now; its time goes on when the simulation is reset."""
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
            message = joint_states(self._names, state, stamp)
            message.effort = self._simulation.effort
            interface.publish("joint_states", message)
        if state.has_base and wanted("pose"):
            interface.publish("pose", pose(state, stamp, prefix + "map"))
        if state.has_base and wanted("odom"):
            interface.publish("odom", messages.odometry(state, self._simulation.speed, stamp, prefix))
        if wanted("imu"):
            interface.publish("imu", messages.imu(self._senses.imu, stamp, prefix + "imu_link"))
        if self._is_due(TOUCH_HZ) and wanted("touch"):
            interface.publish("touch", messages.touch(self._senses.touches, stamp, prefix + "base_link"))
        if self._is_due(ENTITIES_HZ) and self._sight.things:
            known = self._memory.look(
                self._sight.picture(), state.time, stamp, self._sight.surely_shows
            )  # it remembers for later listeners
            if wanted("entities"):
                known += self._memory.forgotten
                interface.publish("entities", entity_array(known, stamp, prefix + "map"))
        if self._is_due(BATTERY_HZ):
            interface.publish("battery", messages.battery_state(self._battery, stamp))
        self._cycles += 1

    def _is_due(self, frequency: float) -> bool:
        return self._cycles % ceil(self._rate / frequency) == 0
