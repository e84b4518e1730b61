# SPDX-License-Identifier: Apache-2.0
"""A Nao of rcssserver3d as a body, from joining to commands. Units change in ``convert.py``.

A player is told where it is only if the server is set to do so: then ``pose`` and ``entities`` come from ``mypos`` and
``myorien``, else from the landmarks in view.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeAlias

from typing_extensions import override

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.surroundings import FixedFrames
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.core.rotation import Vector, quaternion_from_rpy
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp
from embodiment_bridge.protocols.simspark import SPEC
from embodiment_bridge.protocols.simspark.codec import (
    ACTIONS,
    Action,
    Beam,
    Command,
    CommandWriter,
    Event,
    Frame,
    Say,
    Scene,
    Syn,
)
from embodiment_bridge.protocols.simspark.convert import BodyMap, beam, camera_pose, mirrored
from embodiment_bridge.protocols.simspark.events import Percept, Vision
from embodiment_bridge.protocols.simspark.joining import Joining, StartPlace, landmarks, side_of
from embodiment_bridge.protocols.simspark.messages import Feet, Myself, PerceptMessages, note_unused
from embodiment_bridge.protocols.simspark.robots import ROBOTS
from embodiment_bridge.protocols.soccer.convert import TeamView, sight
from embodiment_bridge.protocols.soccer.messages import LeftOut
from embodiment_bridge.protocols.soccer.requests import Requests, makers
from embodiment_bridge.scene.entities import DEFAULT_KEEP, EntityMemory, Known
from embodiment_bridge.scene.locator import Locator
from embodiment_bridge.scene.sight import BODY, Camera, Pose, Sight
from embodiment_bridge.scene.soccer import goals
from embodiment_bridge.urdf import Robot, read_urdf

# Notices a server that is short of time: it catches up in bursts, many cycles at once, and reads nothing meanwhile.

KEPT = 50  # percepts (1 s of the server's time) for which a burst counts
LATE = 5  # percepts at once (0.1 s) from which the server counts as late
ON_TIME = 250  # percepts (5 s) without such a burst until it does not


class Bursts:
    """cycles: for how many cycles of the server a speed may last that is sent now, by the bursts of the last second.

    late: why the server counts as late, empty when it does not; the text stays the same meanwhile.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Another connection."""
        self._lengths: deque[int] = deque(maxlen=KEPT)
        self._on_time = 0
        self.cycles = 1
        self.late = ""

    def batch_received(self, count: int) -> None:
        """So many percepts came at once."""
        self._lengths.extend([count] * min(count, KEPT))
        self.cycles = max(self._lengths, default=1)
        if count >= LATE:
            self._on_time = 0
            self.late = (
                self.late or f"the server is late: {count} percepts came at once, so commands act too late"
            )
            return
        self._on_time += count
        if self._on_time >= ON_TIME:
            self.late = ""


BEAM_TIME = 0.1  # s from a beam to the last picture of where the robot was before
OUR_URDF = "nao"
LONGER = (1, 3)  # types with longer limbs


Picture: TypeAlias = tuple[Sight, Pose | None]
"""What is seen and, where known, the pose of the camera in the frame of poses."""


@dataclass(frozen=True, slots=True)
class SeeingState(BodyState):
    """The state of a body in a cycle with a picture."""

    picture: Picture = field(kw_only=True)

    @classmethod
    def of(cls, state: BodyState, picture: Picture) -> "SeeingState":
        """The state with the picture."""
        return cls(**{part.name: getattr(state, part.name) for part in fields(state)}, picture=picture)


class NaoConverter(Converter[Event, Command]):
    """One robot on the agent port.

    ``parameters``: robot, team, number, frame_prefix, field_length and field_width (m); robot_description_file (a URDF
    with ``base_link`` and ``camera_link``), entity_memory (s), team_frame and start_pose may be left out.

    Raises:
        ConfigError: no such robot, the body description names joints that the robot does not have, or the URDF cannot
            be read.
    """

    def __init__(self, parameters: ParameterValues, body: BodyDescription) -> None:
        name = str(parameters["robot"])
        if name not in ROBOTS:
            raise ConfigError(unknown("value of parameter robot", name, ROBOTS))
        self._robot = ROBOTS[name]
        team = str(parameters["team"])
        self._joining = Joining(
            team, int(parameters["number"]), replayed=parameters.get("transport") == "replay"
        )
        self._map = BodyMap(self._robot, body)
        self._bursts = Bursts()
        self._start = StartPlace(str(parameters.get("start_pose", "server")))
        names = [joint.name for joint in self._map.joints]
        description = str(parameters.get("robot_description_file", ""))
        drawn = read_urdf(Path(description)) if description else None
        self._camera, self._warnings = _camera(drawn, names)
        self._contacts = Feet(drawn, names).contacts if drawn is not None else no_contacts
        if self._camera is not None and self._robot.type in LONGER and Path(description).stem == OUR_URDF:
            self._warnings.append(
                f"pose and entities are a little off: {OUR_URDF}.urdf has the limbs of types 0 and 2, those of "
                f"{name} are longer; {name}.urdf has them"
            )
        self._locator = Locator(
            landmarks(float(parameters["field_length"]), float(parameters["field_width"]))
        )
        self._left_out = LeftOut()
        self._view = TeamView(relative=bool(parameters.get("team_frame", False)), mirrored=mirrored)
        self._memory = EntityMemory(
            float(parameters.get("entity_memory", DEFAULT_KEEP)),
            derived=lambda known: goals(known, self._view.goals(("G1L", "G2L"), ("G1R", "G2R"))),
        )
        self._messages = PerceptMessages(
            names,
            str(parameters["frame_prefix"]),
            self._memory,
            self._view,
        )
        self._requests = Requests[Action](
            said,
            beam,
            makers(SPEC, ACTIONS),
            CommandWriter(self._robot).payload,
        )

    @override
    def codec_options(self) -> Mapping[str, str]:
        return {"robot": self._robot.name}  # the robot's effectors are all that may be commanded

    @override
    def warnings(self) -> Sequence[str]:
        return self._warnings

    @override
    def set_demand(self, is_wanted: Callable[[str], bool]) -> None:
        self._messages.is_wanted = is_wanted

    @override
    def native_skills(self) -> Mapping[str, Start]:
        return {"say": self._requests.begin_saying, "beam": self._requests.begin_beaming}

    @override
    def things(self) -> Mapping[str, Known]:
        return self._memory.things

    @override
    def handshake(self) -> Sequence[Command]:
        """A scene; the init may only follow after the first percept."""
        self._joining.restart()
        self._view.settle("")
        self._map.restart()
        self._bursts.restart()
        self._start.restart()
        self._locator.forget()
        self._messages.restart()
        self._requests.forget()
        file, *arguments = self._robot.scene.split()
        return [Scene(file, tuple(arguments))]

    @override
    def batch_received(self, count: int) -> str:
        self._bursts.batch_received(count)
        return self._bursts.late if self._joining.joined else ""

    @override
    def body_state(self, event: Event) -> BodyState | None:
        """Return the state of every new percept of a player that was let in.

        Raises:
            LinkError: the server refused the player, or took it out of the game.
        """
        if not isinstance(event, Percept) or not self._joining.see(event) or not self._joining.joined:
            return None
        state = self._map.state(event, self._locator, self._contacts)
        note_unused(event, self._left_out)
        if self._joining.side != self._view.side:
            self._view.settle(self._joining.side)
        if state is None:
            return None
        if event.vision is not None:
            state = SeeingState.of(state, self._look(event.vision, state))
        return self._view.state(state)

    @override
    def fixed_frames(self) -> FixedFrames:
        return self._view.frames

    @override
    def left_out(self) -> Sequence[str]:
        return self._left_out.take()

    @override
    def answer(self, cycle: Cycle[Event]) -> Sequence[Command]:
        """One frame per percept, with every joint's speed and ``(syn)``."""
        if not isinstance(cycle.event, Percept):
            return []
        init = self._joining.init()
        if init is not None:
            return [Frame((init, Syn()))]
        hinges = []
        if cycle.state is not None and cycle.targets is not None:
            hinges = self._map.hinges(cycle.state, cycle.targets, self._bursts.cycles)
        requests = tuple(self._requests.next_actions()) if self._joining.joined else ()
        if any(isinstance(request, Beam) for request in requests):
            self._start.leave()
        elif (start := self._start_beam(cycle.event, cycle.state)) is not None:
            requests = (*requests, start)
        if any(isinstance(request, Beam) for request in requests):
            self._locator.forget_soon(BEAM_TIME)
        return [Frame((*hinges, *requests, Syn()))]

    def _start_beam(self, percept: Percept, state: BodyState | None) -> Beam | None:
        if state is None or percept.game_state is None:
            return None
        tilt = max(abs(state.roll), abs(state.pitch)) if state.has_tilt else 0.0
        return self._start.beam(self._joining.number, percept.game_state.play_mode, state.time, tilt)

    @override
    def handle_request(self, name: str, message: object) -> str:
        return self._requests.handle(name, message)

    @override
    def messages(self, cycle: Cycle[Event], stamp: Stamp) -> Messages:
        event, state = cycle.event, cycle.state
        if not isinstance(event, Percept) or state is None:
            return ()
        picture = state.picture if isinstance(state, SeeingState) else None
        me = Myself(self._joining.team, self._joining.number, self._joining.side)
        return self._messages.of(event, state, me, picture, stamp)

    def _look(self, vision: Vision, state: BodyState) -> Picture:
        """Return the picture; the locator then knows where the body is, which the next state tells."""
        seen = sight(vision.points, vision.agents, ((line.start, line.end) for line in vision.lines))
        carried = self._camera.pose(BODY, state.position) if self._camera is not None else None
        if self._joining.wants_side and carried is not None:
            points = [(point.name, carried.place(point.position)) for point in seen.points]
            self._joining.learn_side(side_of(vision, points, self._locator))
        if carried is None or self._camera is None:
            return seen, None
        told = camera_pose(vision, self._joining.side)
        if told is not None:
            self._locator.know(*told, carried)
        else:
            self._locator.look([(point.name, carried.place(point.position)) for point in seen.points])
        if not self._locator.known:
            return seen, None
        located = self._locator
        turn = quaternion_from_rpy(located.roll, located.pitch, located.yaw)
        base = self._view.pose(Pose(located.place, turn))
        return seen, None if base is None else self._camera.pose(base, state.position)


def said(text: str) -> list[Action]:
    """The command that says a text.

    Raises:
        CommandError: the server would drop it; the text says why.
    """
    command = Say(text)
    command.text()
    return [command]


def no_contacts(_forces: object, _positions: object) -> list[tuple[Vector, Vector]]:
    """Without a URDF the place of the feet is not known."""
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
