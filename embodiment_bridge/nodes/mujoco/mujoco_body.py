# SPDX-License-Identifier: Apache-2.0
"""The node of a body that MuJoCo simulates in this process: any URDF or MJCF."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Unpack

from diagnostic_msgs.msg import DiagnosticStatus

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.node_options import NodeOptions
from embodiment_bridge.nodes.body.body_interface import BodyInterface
from embodiment_bridge.nodes.body.speaking import Voice, with_voice
from embodiment_bridge.nodes.mujoco.camera_publisher import CameraPublisher
from embodiment_bridge.nodes.mujoco.pace import Pace
from embodiment_bridge.nodes.mujoco.parameters import OUTPUTS, PARAMETERS
from embodiment_bridge.nodes.mujoco.percepts import Percepts
from embodiment_bridge.nodes.mujoco.requests import WorldRequests
from embodiment_bridge.nodes.mujoco.robots import RobotFiles, robot_files
from embodiment_bridge.physics.description import describe, dress
from embodiment_bridge.physics.simulation import Simulation

NONE: Final = ("", "none")
RESTARTED: Final = "the robot was put somewhere else"
STOPPED: Final = "the simulation was deactivated"


class MujocoBody(BridgeNode):
    """A body in MuJoCo. ``share()`` gives the folder of this package's files."""

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
            self._interface = BodyInterface(self, body, OUTPUTS, self._refusal, self._voice.skills(body))
        self._percepts = Percepts(simulation, values, self._interface)
        for warning in self._percepts.warnings:
            self.get_logger().warning(warning)
        self._requests = WorldRequests(self, simulation, self._ask, self._placed, values["keyframe"])
        self._camera = None if values["camera"] in NONE else CameraPublisher(self, simulation, values)
        self._connects = 0

    def activate(self) -> None:
        """Let time pass."""
        factor = self.values["real_time_factor"]
        self._connects += 1
        self._interface.queue.joined()
        self._tell_link(Phase.READY)
        period = self._steps * self.values["timestep"] / factor if factor else 0.0
        self._pace = Pace(self.guard.wrap(self._cycle, "simulation"), period)

    def deactivate(self) -> None:
        """Stop the time; skills that run fail."""
        if self._pace is not None:
            self._pace.close()
            self._pace = None
        self._interface.queue.lost(STOPPED)
        self._tell_link(Phase.CLOSED)

    def cleanup(self) -> None:
        """Take everything that configure made off the graph."""
        self._requests.destroy()
        if self._camera is not None:
            self._camera.close()
        self._interface.destroy()
        self._voice.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """How fast the simulation goes."""
        pace = self._pace
        if pace is None:
            return super().diagnose()
        simulated = pace.cycles * self._steps * self.values["timestep"]
        factor = simulated / max(time.monotonic() - pace.began, 1e-3)
        values = {"time": f"{self._simulation.time:.2f}", "real_time_factor": f"{factor:.2f}"}
        return DiagnosticStatus.OK, f"simulating at {factor:.2f} times real time", values

    def _refusal(self) -> str:
        return "" if self.active else f"{self.get_name()} is inactive; activate it first"

    def _tell_link(self, phase: Phase, reason: str = "") -> None:
        self._interface.link.publish(
            LinkStatus(phase, f"mujoco://{self._model}", reason, connects=self._connects)
        )

    def _ask(self, work: Callable[[], object], refuse: Callable[[str], object]) -> None:
        pace = self._pace
        if pace is None:
            refuse(self._refusal())
        else:
            pace.ask(self.guard.wrap(work, "request"), lambda: refuse(STOPPED))

    def _reset(self) -> None:
        try:
            self._simulation.reset(self.values["keyframe"])
        except CommandError as error:
            raise ConfigError(f"parameter keyframe: {error}") from error

    def _placed(self) -> None:
        """The robot is somewhere else: motion begins anew. On the simulation's thread."""
        self._interface.queue.lost(RESTARTED)
        self._interface.queue.joined()
        self._percepts.begin()

    def _cycle(self) -> None:
        """One step of motion, and the steps of physics after it. On the simulation's thread."""
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
    """The file of the robot's description: the given one, or one with what the model shows."""
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
