# SPDX-License-Identifier: Apache-2.0
"""A robot of RCSSServerMJ as a body: joints, messages, skills and requests. Units change in ``convert.py``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp
from embodiment_bridge.protocols.rcsssmj.command_writer import Command
from embodiment_bridge.protocols.rcsssmj.commands import Frame, Init, Syn
from embodiment_bridge.protocols.rcsssmj.convert import BodyMap, robot_named
from embodiment_bridge.protocols.rcsssmj.events import Percept, ServerError, Sync
from embodiment_bridge.protocols.rcsssmj.messages import PerceptMessages
from embodiment_bridge.protocols.rcsssmj.percept_reader import Event
from embodiment_bridge.protocols.rcsssmj.requests import requests
from embodiment_bridge.scene.camera import Camera
from embodiment_bridge.scene.entities import DEFAULT_KEEP, EntityMemory
from embodiment_bridge.scene.soccer import Player
from embodiment_bridge.urdf import read_urdf


class RobotConverter(Converter[Event, Command]):
    """One robot on the agent port.

    ``parameters``: robot, team, number, frame_prefix; robot_description_file (a URDF; without one that has
    ``base_link`` and ``camera_link`` there are no ``entities``) and entity_memory (s) may be left out.

    Raises:
        ConfigError: no such robot, the body description names joints that the robot does not have, or the URDF cannot
            be read.
    """

    def __init__(self, parameters: ParameterValues, body: BodyDescription) -> None:
        self._robot = robot_named(str(parameters["robot"]))
        self._init = Init(self._robot.name, str(parameters["team"]), int(parameters["number"]))
        self._map = BodyMap(self._robot, body)
        names = [joint.joint for joint in self._map.joints]
        camera, self._warnings = _camera(str(parameters.get("robot_description_file", "")), names)
        self._messages = PerceptMessages(
            names,
            str(parameters["frame_prefix"]),
            Player(self._init.team, self._init.number),
            EntityMemory(float(parameters.get("entity_memory", DEFAULT_KEEP))),
            camera,
        )
        self._requests = requests(self._robot, split=bool(parameters.get("say_split", False)))

    @override
    def codec_options(self) -> Mapping[str, str]:
        return {"robot": self._robot.name}  # the robot's actuators are all that may be commanded

    @override
    def warnings(self) -> Sequence[str]:
        return self._warnings

    @override
    def set_demand(self, is_wanted: Callable[[str], bool]) -> None:
        self._messages.is_wanted = is_wanted

    @override
    def native_skills(self) -> Mapping[str, Start]:
        return {"say": self._requests.begin_saying}

    @override
    def handshake(self) -> Sequence[Command]:
        self._messages.restart()  # the world may be another one than before
        return [self._init]

    @override
    def body_state(self, event: Event) -> BodyState | None:
        return self._map.state(event) if isinstance(event, Percept) else None

    @override
    def answer(self, cycle: Cycle[Event]) -> Sequence[Command]:
        """One frame with every actuator and ``(syn)``.

        The server holds garbage controls for a new robot until each of its actuators was commanded once, and in sync
        mode it waits for exactly one frame per percept, also for one that cannot be used.
        """
        if not isinstance(cycle.event, Percept | Sync | ServerError):
            return []
        motors = self._map.motors(cycle.targets) if cycle.targets is not None else []
        return [Frame((*motors, *self._requests.next_actions(), Syn()))]

    @override
    def handle_request(self, name: str, message: object) -> str:
        return self._requests.handle(name, message)

    @override
    def messages(self, cycle: Cycle[Event], stamp: Stamp) -> Messages:
        if not isinstance(cycle.event, Percept):
            return ()
        return self._messages.of(cycle.event, cycle.state, stamp)


def _camera(description_file: str, joints: Sequence[str]) -> tuple[Camera | None, list[str]]:
    """The camera of the URDF, and what people should know when there is none."""
    if not description_file:
        return None, ["no entities: without robot_description_file it is not known where the camera is"]
    robot = read_urdf(Path(description_file))
    try:
        return Camera(robot, joints), []
    except ConfigError as error:
        return None, [f"no entities: it is not known where the camera is: {error}"]
