# SPDX-License-Identifier: Apache-2.0
"""Between the server's units and names and those of ROS: degrees to radians, effectors to joints, sensors to frames.

The world frame of the server is our ``map`` as it is (origin in the centre of the field, x to the right team's goal,
y left of that, z up), for both teams alike; the torso frame is ``base_link``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.rcsssmj.body_map import BodyMap, robot_named
from embodiment_bridge.protocols.rcsssmj.commands import Frame, Init, Syn
from embodiment_bridge.protocols.rcsssmj.events import Percept, ServerError, Sync
from embodiment_bridge.protocols.rcsssmj.messages import Messages
from embodiment_bridge.protocols.rcsssmj.requests import requests
from embodiment_bridge.scene.camera import Camera
from embodiment_bridge.scene.entities import DEFAULT_KEEP, EntityMemory
from embodiment_bridge.scene.soccer import Player
from embodiment_bridge.urdf import read_urdf


class Converter:
    """One robot on the agent port.

    ``parameters``: robot, team, number, frame_prefix; robot_description_file (a URDF; without one that has
    ``base_link`` and ``camera_link`` there are no ``entities``) and entity_memory (s) may be left out.

    Raises:
        ConfigError: no such robot, the body description names joints that the robot does not have, or the URDF cannot
            be read.
    """

    def __init__(self, parameters: Mapping[str, Any], body: BodyDescription) -> None:
        self._robot = robot_named(str(parameters["robot"]))
        self._init = Init(self._robot.name, str(parameters["team"]), int(parameters["number"]))
        self._map = BodyMap(self._robot, body)
        names = [joint.joint for joint in self._map.joints]
        camera, self._remarks = _camera(str(parameters.get("robot_description_file", "")), names)
        self._messages = Messages(
            names,
            str(parameters["frame_prefix"]),
            Player(self._init.team, self._init.number),
            EntityMemory(float(parameters.get("entity_memory", DEFAULT_KEEP))),
            camera,
        )
        self._requests = requests(self._robot, split=bool(parameters.get("say_split", False)))

    def codec_options(self) -> dict[str, Any]:
        """See ``contract.Converter``: the robot's actuators are all that may be commanded."""
        return {"robot": self._robot.name}

    def remarks(self) -> list[str]:
        """See ``contract.Converter``."""
        return self._remarks

    def heed(self, wanted: Callable[[str], bool]) -> None:
        """See ``contract.Converter``."""
        self._messages.wanted = wanted

    def natives(self) -> Mapping[str, Start]:
        """See ``contract.Converter``: `say`."""
        return {"say": self._requests.begin_saying}

    def greet(self) -> list[Any]:
        """See ``contract.Converter``; the world may be another one than before."""
        self._messages.restart()
        return [self._init]

    def body_state(self, event: Any) -> BodyState | None:
        """See ``contract.Converter``: every percept with a possible time and all joints."""
        return self._map.state(event) if isinstance(event, Percept) else None

    def answer(self, event: Any, targets: JointTargets | None) -> list[Any]:
        """See ``contract.Converter``: one frame with every actuator and ``(syn)``.

        The server holds garbage controls for a new robot until each of its actuators was commanded once, and in sync
        mode it waits for exactly one frame per percept, also for one that cannot be used.
        """
        if not isinstance(event, Percept | Sync | ServerError):
            return []
        motors = self._map.motors(targets) if targets is not None else []
        return [Frame((*motors, *self._requests.next_actions(), Syn()))]

    def take(self, name: str, message: Any) -> str:
        """See ``contract.Converter``: `say` and `beam`."""
        return self._requests.take(name, message)

    def messages(self, event: Any, state: BodyState | None, stamp: Any) -> Iterable[tuple[str, Any]]:
        """See ``contract.Converter``."""
        if not isinstance(event, Percept):
            return []
        return self._messages.of(event, state, stamp)


def _camera(description_file: str, joints: Sequence[str]) -> tuple[Camera | None, list[str]]:
    """The camera of the URDF, and what people should know when there is none."""
    if not description_file:
        return None, ["no entities: without robot_description_file it is not known where the camera is"]
    robot = read_urdf(Path(description_file))
    try:
        return Camera(robot, joints), []
    except ConfigError as error:
        return None, [f"no entities: it is not known where the camera is: {error}"]
