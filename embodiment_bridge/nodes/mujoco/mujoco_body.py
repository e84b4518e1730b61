# SPDX-License-Identifier: Apache-2.0
"""The node of a body that MuJoCo simulates in this process (any URDF or MJCF), with its parameters and topics."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Unpack

from diagnostic_msgs.msg import DiagnosticStatus

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.nodes.body.speaking import Voice, with_voice
from embodiment_bridge.nodes.mujoco.pace import Pace, WorldRequests
from embodiment_bridge.nodes.mujoco.percepts import CameraPublisher, Percepts
from embodiment_bridge.nodes.mujoco.robots import RobotFiles, robot_files
from embodiment_bridge.physics.description import describe, dress
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.scene.entities import DEFAULT_KEEP

LOCALISATIONS: Final = ("truth", "odometry", "none")

PARAMETERS: Final = (
    *body_interface.PARAMETERS,
    Parameter("model", "auto", "URDF or MJCF, a name of a robot (T1, ...), or python://PACKAGE/PATH."),
    Parameter(
        "base", "auto", "Whether the robot can move as a whole.", choices=("auto", "floating", "fixed")
    ),
    Parameter("world", "auto", "MJCF with floor and things, or room, soccer, none."),
    Parameter("keyframe", "", "Keyframe of the model at which the robot starts; empty: the rest pose."),
    Parameter("start_x", 0.0, "Where the robot stands first, m.", -1000.0, 1000.0),
    Parameter("start_y", 0.0, "Likewise, m.", -1000.0, 1000.0),
    Parameter("start_yaw", 0.0, "Where it looks first, rad, + left.", -7.0, 7.0),
    Parameter("timestep", 0.001, "Step of the physics, s.", 1e-5, 0.02),
    Parameter("rate", 100.0, "Steps of motion per second of the simulation, Hz.", 10.0, 1000.0),
    Parameter(
        "real_time_factor",
        1.0,
        "Simulated time per real time; 0: as fast as possible. Other than 1 with publish_clock only.",
        0.0,
        100.0,
    ),
    Parameter("noise", 0.0, "Noise of the sensors, as a multiple of the usual one; 0: none.", 0.0, 100.0),
    Parameter("seed", 0, "Of the noise and of the errors of odometry.", 0, 2**31 - 1),
    Parameter(
        "localisation",
        "truth",
        "What pose and odom say: the true pose, one reckoned from speeds, or nothing.",
        choices=LOCALISATIONS,
    ),
    Parameter(
        "entity_memory",
        DEFAULT_KEEP,
        "Longest time for which things out of view are remembered, s. They go earlier when their place is seen empty.",
        0.0,
        1e9,
    ),
    Parameter("field_of_view", 1.2, "Width of the picture, rad.", 0.1, 3.1),
    Parameter("battery_capacity", 20.0, "Wh.", 0.01, 1e5),
    Parameter(
        "camera",
        "none",
        "Camera of which camera/image_raw shows the picture: eye for the robot's own, another one of the model or "
        "world, or none.",
    ),
    Parameter("camera_width", 320, "Pixels.", 16, 1920),
    Parameter("camera_height", 240, "Pixels.", 16, 1080),
    Parameter("camera_rate", 10.0, "Pictures per second of the simulation, Hz.", 0.1, 60.0),
)
OUTPUTS: Final = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor"),
    Output("imu", "sensor_msgs.msg:Imu", "sensor"),
    Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
    Output("odom", "nav_msgs.msg:Odometry", "sensor"),
    Output("entities", "embodiment_bridge.msg:EntityArray", "sensor"),
    Output("touch", "embodiment_bridge.msg:TouchStates", "sensor"),
    Output("battery", "sensor_msgs.msg:BatteryState", "state"),
)


NONE: Final = ("", "none")
RESTARTED: Final = "the robot was put somewhere else"
STOPPED: Final = "the simulation was deactivated"


class MujocoBody(BridgeNode):
    """Simulates a body in MuJoCo. ``share()`` gives the folder of this package's files."""

    def __init__(self, share: Callable[[], Path], **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("mujoco_body", PARAMETERS, **node_kwargs)
        self._share = share
        self._pace: Pace | None = None

    def configure(self) -> None:
        """Compile the robot and its world."""
        values = self.values
        if values["real_time_factor"] != 1.0 and not values["publish_clock"]:
            raise ConfigError(
                f"parameter real_time_factor is {values['real_time_factor']:g}; it must be 1 where publish_clock is "
                "false (use_sim_time:=true publishes it)"
            )
        self._steps = max(round(1.0 / (values["rate"] * values["timestep"])), 1)
        files = robot_files(
            values["model"],
            values["body_file"],
            values["robot_description_file"],
            values["base"],
            self._share,
        )
        self._model = files.model
        simulation = self._simulation = Simulation(
            Path(files.model),
            read_body(Path(files.body)) if files.body else None,
            base=files.base,
            world=values["world"],
            timestep=values["timestep"],
            start=(values["start_x"], values["start_y"], values["start_yaw"]),
        )
        self._reset()
        for warning in simulation.assembly.warnings:
            self.get_logger().warning(f"{Path(files.model).name}: {warning}")
        self._voice = Voice(self)
        body = with_voice(simulation.body)
        with _description(files, simulation) as values["robot_description_file"]:
            self._interface = BodyInterface(
                self,
                body,
                OUTPUTS,
                lambda: self.inactive,
                self._voice.skills(body),
                lambda: self._percepts.things,
            )
        self._percepts = Percepts(simulation, values, self._interface)
        for warning in self._percepts.warnings:
            self.get_logger().warning(warning)
        WorldRequests(self, simulation, self._ask, self._placed, values["keyframe"])
        self._camera = None if values["camera"] in NONE else CameraPublisher(self, simulation, values)

    def activate(self) -> None:
        """Let time pass."""
        factor = self.values["real_time_factor"]
        self._interface.join(f"mujoco://{self._model}")
        period = self._steps * self.values["timestep"] / factor if factor else 0.0
        self._pace = Pace(self.guard.wrap(self._cycle, "simulation"), period)

    def deactivate(self) -> None:
        """Stop the time; skills that run fail."""
        if self._pace is not None:
            self._pace.close()
            self._pace = None
        self._interface.part(f"mujoco://{self._model}", STOPPED)

    def cleanup(self) -> None:
        """End the thread that paints."""
        if self._camera is not None:
            self._camera.close()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Report the speed of the simulation."""
        pace = self._pace
        if pace is None:
            return super().diagnose()
        simulated = pace.cycles * self._steps * self.values["timestep"]
        factor = simulated / max(time.monotonic() - pace.began, 1e-3)
        values = {"time": f"{self._simulation.time:.2f}", "real_time_factor": f"{factor:.2f}"}
        return DiagnosticStatus.OK, f"simulating at {factor:.2f} times real time", values

    def _ask(self, work: Callable[[], object], refuse: Callable[[str], object]) -> None:
        pace = self._pace
        if pace is None:
            refuse(self.inactive)
        else:
            pace.ask(self.guard.wrap(work, "request"), lambda: refuse(STOPPED))

    def _reset(self) -> None:
        try:
            self._simulation.reset(self.values["keyframe"])
        except CommandError as error:
            raise ConfigError(f"parameter keyframe: {error}") from error

    def _placed(self) -> None:
        """Begin motion anew, as the robot was moved. On the simulation's thread."""
        self._interface.queue.lost(RESTARTED)
        self._interface.queue.joined()
        self._percepts.begin()

    def _cycle(self) -> None:
        """Do one step of motion, and the steps of physics after it. On the simulation's thread."""
        state = self._percepts.sense()
        self._simulation.drive(self._interface.queue.step(state))
        stamp = self._interface.stamp(state.time)
        self._percepts.publish(state, stamp)
        self._interface.show_state(state, stamp)
        self._interface.after_step(state, stamp)
        if self._camera is not None:
            self._camera.offer(self._simulation, state.time, stamp)
        try:
            self._simulation.run(self._steps)
        except LinkError as error:
            self.get_logger().error(str(error))
            self._placed()


@contextmanager
def _description(files: RobotFiles, simulation: Simulation) -> Iterator[str]:
    """Yield the file of the robot's description: the given one, or one with the shapes of the model."""
    assembly, model, root = simulation.assembly, simulation.model, simulation.root
    if not files.describe or Path(files.model) == Path(files.description):
        yield files.description
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        if files.description:
            text = dress(Path(files.description), model, root, assembly.meshes)
        else:
            text = describe(model, root, assembly.name, assembly.meshes)
        path.write_text(text, encoding="utf-8")
        yield str(path)
