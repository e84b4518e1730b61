# SPDX-License-Identifier: Apache-2.0
"""Between rcssserver3d's units, signs and frames and those of ROS, and the order in which a player joins.

The server's world is our ``map`` for both teams alike. Its body frames are x right and y forward, those of ROS are x
forward and y left. Joints keep their names and signs. Nobody tells a player where it is unless the server is set to:
then ``pose`` and ``entities`` come from ``mypos`` and ``myorien``, else from the landmarks in view.
"""

from collections.abc import Callable, Iterable, Mapping
from math import pi
from pathlib import Path
from typing import Any

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import IDENTITY, Vector, quaternion_from_rpy
from embodiment_bridge.core.units import RAD_PER_DEG
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.simspark.body_map import BodyMap
from embodiment_bridge.protocols.simspark.command_writer import said
from embodiment_bridge.protocols.simspark.commands import Beam, Frame, Pass, Say, Scene, Syn
from embodiment_bridge.protocols.simspark.events import Percept, Vision
from embodiment_bridge.protocols.simspark.feet import Feet
from embodiment_bridge.protocols.simspark.joining import Joining
from embodiment_bridge.protocols.simspark.messages import Messages
from embodiment_bridge.protocols.simspark.robots import ROBOTS
from embodiment_bridge.protocols.soccer.requests import Requests
from embodiment_bridge.protocols.soccer.sight import sight
from embodiment_bridge.scene.camera import Camera, Pose
from embodiment_bridge.scene.entities import DEFAULT_KEEP, EntityMemory
from embodiment_bridge.scene.locator import Locator
from embodiment_bridge.scene.sight import Sight
from embodiment_bridge.urdf import Robot, read_urdf

GOAL_HALF_WIDTH = 1.05  # m
GOAL_HEIGHT = 0.8  # m
BEAM_TIME = 0.1  # s from a beam to the last picture of where the robot was before
OUR_URDF = "nao"
LONGER = (1, 3)  # types with longer limbs
BODY = Pose((0.0, 0.0, 0.0), IDENTITY)


class Converter:
    """One robot on the agent port.

    ``parameters``: robot, team, number, frame_prefix, field_length and field_width (m); robot_description_file (a URDF
    with ``base_link`` and ``camera_link``) and entity_memory (s) may be left out.

    Raises:
        ConfigError: no such robot, the body description names joints that the robot does not have, or the URDF cannot
            be read.
    """

    def __init__(self, parameters: Mapping[str, Any], body: BodyDescription) -> None:
        name = str(parameters["robot"])
        if name not in ROBOTS:
            raise ConfigError(unknown("value of parameter robot", name, ROBOTS))
        self._robot = ROBOTS[name]
        team = str(parameters["team"])
        self._joining = Joining(team, int(parameters["number"]))
        self._map = BodyMap(self._robot, body)
        names = [joint.name for joint in self._map.joints]
        description = str(parameters.get("robot_description_file", ""))
        drawn = read_urdf(Path(description)) if description else None
        self._camera, self._remarks = _camera(drawn, names)
        self._contacts = Feet(drawn, names).contacts if drawn is not None else no_contacts
        if self._camera is not None and self._robot.type in LONGER and Path(description).stem == OUR_URDF:
            self._remarks.append(
                f"pose and entities are a little off: {OUR_URDF}.urdf has the limbs of types 0 and 2, those of "
                f"{name} are longer"
            )
        self._locator = Locator(
            landmarks(float(parameters["field_length"]), float(parameters["field_width"]))
        )
        self._messages = Messages(
            names,
            str(parameters["frame_prefix"]),
            team,
            EntityMemory(float(parameters.get("entity_memory", DEFAULT_KEEP))),
        )
        self._requests = Requests(lambda text: [Say(said(text))], Beam, {"pass": Pass()})
        self._picture: tuple[Sight, Pose | None] | None = None

    def codec_options(self) -> dict[str, Any]:
        """See ``contract.Converter``: the robot's effectors are all that may be commanded."""
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
        """See ``contract.Converter``: a scene; the init may only follow after the first percept."""
        self._joining.restart()
        self._map.restart()
        self._locator.forget()
        self._messages.restart()
        file, *arguments = self._robot.scene.split()
        return [Scene(file, tuple(arguments))]

    def body_state(self, event: Any) -> BodyState | None:
        """See ``contract.Converter``: every new percept of a player that was let in.

        Raises:
            LinkError: the server refused the player, or took it out of the game.
        """
        if not isinstance(event, Percept) or not self._joining.see(event) or not self._joining.joined:
            return None
        state = self._map.state(event, self._locator, self._contacts)
        if state is None:
            return None
        self._picture = None if event.vision is None else self._look(event.vision, state)
        return state

    def answer(self, event: Any, targets: JointTargets | None) -> list[Any]:
        """See ``contract.Converter``: one frame per percept, with every joint's speed and ``(syn)``."""
        if not isinstance(event, Percept):
            return []
        init = self._joining.init()
        if init is not None:
            return [Frame((init, Syn()))]
        hinges = self._map.hinges(targets) if targets is not None else []
        requests = tuple(self._requests.next_actions()) if self._joining.joined else ()
        if any(isinstance(request, Beam) for request in requests):
            self._locator.forget_soon(BEAM_TIME)
        return [Frame((*hinges, *requests, Syn()))]

    def take(self, name: str, message: Any) -> str:
        """See ``contract.Converter``: `say`, `beam` and `pass`."""
        return self._requests.take(name, message)

    def messages(self, event: Any, state: BodyState | None, stamp: Any) -> Iterable[tuple[str, Any]]:
        """See ``contract.Converter``."""
        if not isinstance(event, Percept) or state is None:
            return []
        me = (self._joining.number, self._joining.side)
        return self._messages.of(event, state, me, self._picture, stamp)

    def _look(self, vision: Vision, state: BodyState) -> tuple[Sight, Pose | None]:
        """What is seen, and where the camera is; as a side effect the locator knows where the body is."""
        seen = sight(vision.points, vision.agents, ((line.start, line.end) for line in vision.lines))
        carried = self._camera.pose(BODY, state.position) if self._camera is not None else None
        if vision.my_position_m is not None and vision.my_orientation_deg is not None:
            self._locator.know(*self._told(vision.my_position_m, vision.my_orientation_deg))
        elif carried is not None:
            self._locator.look([(point.name, carried.place(point.position)) for point in seen.points])
        if carried is None or self._camera is None or not self._locator.known:
            return seen, None
        located = self._locator
        turn = quaternion_from_rpy(located.roll, located.pitch, located.yaw)
        return seen, self._camera.pose(Pose(located.place, turn), state.position)

    def _told(self, place: tuple[float, ...], heading_deg: float) -> tuple[Vector, float]:
        """Place (m) and heading (rad) in ``map``; the server turns both by half a turn for the right team."""
        right = self._joining.side == "right"
        x, y, z = place
        yaw = heading_deg * RAD_PER_DEG
        return ((-x, -y, z), yaw + pi) if right else ((x, y, z), yaw)


def landmarks(length: float, width: float) -> dict[str, Vector]:
    """The flags of a field (m) in ``map``: corners ``F`` and tops of goal posts ``G``, 1 is the upper one (+y)."""
    flags: dict[str, Vector] = {}
    for side, x in (("L", -0.5 * length), ("R", 0.5 * length)):
        for number, up in ((1, 1.0), (2, -1.0)):
            flags[f"F{number}{side}"] = (x, up * 0.5 * width, 0.0)
            flags[f"G{number}{side}"] = (x, up * GOAL_HALF_WIDTH, GOAL_HEIGHT)
    return flags


def no_contacts(_forces: object, _positions: object) -> list[tuple[Vector, Vector]]:
    """Without a URDF nobody knows where the feet are."""
    return []


def _camera(robot: Robot | None, joints: list[str]) -> tuple[Camera | None, list[str]]:
    """The camera of the URDF, and what people should know when there is none."""
    if robot is None:
        return None, [
            "no pose and entities: without robot_description_file it is not known where the camera is"
        ]
    try:
        return Camera(robot, joints), []
    except ConfigError as error:
        return None, [f"no pose and entities: it is not known where the camera is: {error}"]
