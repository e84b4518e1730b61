# SPDX-License-Identifier: Apache-2.0
"""Makes a robot of RCSSServerMJ a body: joints, messages, skills and requests. Units change in ``convert.py``."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import hypot
from typing import Final

from typing_extensions import override

from embodiment_bridge.body.description import BodyDescription, Skill
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.motion.skills.native import Native, Start
from embodiment_bridge.protocols.converter import Cycle, Messages, Stamp
from embodiment_bridge.protocols.rcsssmj import SPEC
from embodiment_bridge.protocols.rcsssmj.codec import Command, CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import (
    ACTIONS,
    MAX_SAY,
    Action,
    Frame,
    Init,
    Order,
    PlaceBall,
    PlacePlayer,
    Reset,
    Say,
    Syn,
)
from embodiment_bridge.protocols.rcsssmj.convert import (
    BodyMap,
    beam,
    mirrored,
    note_others,
    own_side,
    picture,
)
from embodiment_bridge.protocols.rcsssmj.events import Percept, ServerError, Sync
from embodiment_bridge.protocols.rcsssmj.field import FieldFinder
from embodiment_bridge.protocols.rcsssmj.messages import PerceptMessages
from embodiment_bridge.protocols.rcsssmj.percept_reader import Event
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, Robot
from embodiment_bridge.protocols.soccer.codec import robot_named
from embodiment_bridge.protocols.soccer.converter import PlayerConverter
from embodiment_bridge.protocols.soccer.requests import Placed, Requests, makers
from embodiment_bridge.scene.sight import Camera, Pose
from embodiment_bridge.scene.soccer import Player
from embodiment_bridge.srv import PlaceThing

PLACE: Final = "place_thing"
RESET: Final = "reset"
SERVICES: Final = (PLACE, RESET)


class Orders:
    """Takes requests on any thread; they are carried out after the next percept.

    managed: whether the world is in this process; a server takes none of this from a player.
    """

    def __init__(self, *, managed: bool) -> None:
        self._managed = managed
        self._waiting: deque[Order] = deque()

    def handle(self, name: str, message: object) -> str:
        """Take a request; see ``Converter.handle_request``."""
        if not self._managed:
            raise CommandError(f"{name}: only with transport managed; on a server soccer_monitor does it")
        self._waiting.append(_placed(message) if isinstance(message, PlaceThing.Request) else Reset())
        return ""

    def take(self) -> list[Order]:
        """Return the orders that wait, and empty the queue."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]


def _placed(request: PlaceThing.Request) -> PlaceBall | PlacePlayer:
    wanted = Placed.of(request, ("ball", "player_TEAM_N", "player_left_N"))
    if wanted.player is None:
        return PlaceBall(wanted.position, wanted.velocity)
    return PlacePlayer(*wanted.player, wanted.position, wanted.turn)


FULL_VOLUME = 100.0


def requests(robot: Robot, side: Callable[[], str], *, split: bool) -> Requests[Action]:
    """Requests of a robot.

    side: says which the own one is: ``left`` or ``right``, empty while that is not known.
    split: cut a text that is too long into several messages, instead of refusing it.
    """
    return Requests(
        partial(_say, robot, split),
        partial(_beam, side),
        makers(SPEC, ACTIONS),
        CommandWriter(robot).payload,
    )


def _beam(side: Callable[[], str], x: float, y: float, yaw: float) -> Action:
    known = side()
    if not known:
        raise CommandError("beam: the server has not told which side is the own one")
    return beam(known, x, y, yaw)


def _say(robot: Robot, split: bool, text: str) -> list[Action]:
    if robot.speaker is None:
        raise CommandError(f"robot {robot.name} has no speaker")
    parts = _parts(text)
    if len(parts) > 1 and not split:
        size = len(text.encode())
        raise CommandError(
            f"text {text[:40]!r} has {size} bytes; the server carries {MAX_SAY} (parameter say_split cuts it)"
        )
    return [Say(FULL_VOLUME, part) for part in parts]


def _parts(text: str) -> list[bytes]:
    """The text in pieces that the server carries, cut between characters."""
    parts, part = [], b""
    for character in text:
        piece = character.encode("utf-8", "surrogatepass")
        if len(part) + len(piece) > MAX_SAY:
            parts.append(part)
            part = b""
        part += piece
    return [*parts, part]


FEET: Final = ("lfoot", "rfoot")
OWN_FOOT: Final = 0.3  # m beside the axis of the own torso: feet of others are farther away
AT_BASE: Final = Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def recognised(percept: Percept, positions: Sequence[float], camera: Camera | None, me: Player) -> Player:
    """``me``, or another player where the percept shows that these are its percepts.

    A player that looks down sees its own feet with its team and number. A game in which only one team plays is one of
    that team, too.

    Args:
        percept: of the recording.
        positions: of the joints, rad.
        camera: of the robot, if it is known where that is.
        me: whose percepts they were taken for until now.
    """
    game = percept.game_state
    teams = [team for team in (game.team_left, game.team_right) if team] if game is not None else []
    if len(teams) == 1:
        me = Player(teams[0], me.number)
    eye = None if camera is None or percept.vision is None else camera.pose(AT_BASE, positions)
    if eye is None or percept.vision is None:
        return me
    for agent in picture(percept.vision, game).agents:
        feet = (eye.place(part.position) for part in agent.parts if part.name in FEET)
        if any(hypot(x, y) < OWN_FOOT for x, y, _ in feet):
            return Player(agent.team, agent.number)
    return me


AT_THE_BALL: Final = ("kick", "dribble")


class RobotConverter(PlayerConverter[Event, Command | Order, Action]):
    """One robot on the agent port.

    ``parameters``: robot, team, number, frame_prefix; robot_description_file (a URDF; without one that has
    ``base_link`` and ``camera_link`` there are no ``entities``), entity_memory (s) and team_frame may be left out.

    Raises:
        ConfigError: no such robot, the body description names joints that the robot does not have, or the URDF cannot
            be read.
    """

    _messages: PerceptMessages

    def __init__(self, parameters: ParameterValues, body: BodyDescription) -> None:
        self._robot = robot_named(str(parameters["robot"]), ROBOTS)
        self._init = Init(self._robot.name, str(parameters["team"]), int(parameters["number"]))
        self._me = Player(self._init.team, self._init.number)
        self._replayed = parameters.get("transport") == "replay"
        self._map = BodyMap(self._robot, body)
        names = [joint.joint for joint in self._map.joints]
        posts = ("g_llp", "g_lup"), ("g_rlp", "g_rup")
        super().__init__(parameters, self._robot.name, names, mirrored, posts, "entities")
        managed = parameters.get("transport") == "managed"
        self._orders = Orders(managed=managed)
        self._away_from_ball = not (managed or self._robot.may_touch_ball)
        prefix = str(parameters["frame_prefix"])
        self._messages = PerceptMessages(
            names,
            prefix,
            self._memory,
            self._view,
            self._me,
            self._camera,
            self._robot.torso,
            FieldFinder(self._left_out.note),
        )
        self._requests = requests(
            self._robot, lambda: self._view.side, split=bool(parameters.get("say_split", False))
        )

    @override
    def warnings(self) -> Sequence[str]:
        return [*super().warnings(), *([self._touch()] if self._away_from_ball else [])]

    @override
    def native_skills(self) -> Mapping[str, Start]:
        refused = dict.fromkeys(AT_THE_BALL, self._refuse) if self._away_from_ball else {}
        return {**super().native_skills(), **refused}

    def _refuse(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        raise CommandError(f"skill {skill.name!r}: {self._touch()}")

    def _touch(self) -> str:
        skills = " and ".join(AT_THE_BALL)
        return (
            f"rcssservermj 0.2.1 ends, for all players, when a {self._robot.name} touches the ball; {skills} are "
            "refused, and it must be kept away from the ball (transport managed has no such fault)"
        )

    @override
    def handshake(self) -> Sequence[Command | Order]:
        self._orders.take()
        self._messages.me = self._me = Player(self._init.team, self._init.number)
        return [*super().handshake(), self._init]

    @override
    def body_state(self, event: Event) -> BodyState | None:
        if not isinstance(event, Percept):
            return None
        note_others(event, self._robot, self._left_out)
        state = self._map.state(event)
        if self._replayed and state is not None:
            self._me = recognised(event, state.position, self._camera, self._me)
            self._messages.me = self._me
        if event.game_state is not None:
            side = own_side(event.game_state, self._me.team)
            if side != self._view.side:
                self._view.settle(side)
        return None if state is None else self._view.state(state)

    @override
    def answer(self, cycle: Cycle[Event]) -> Sequence[Command | Order]:
        """One frame with every actuator and ``(syn)``.

        The server holds garbage controls for a new robot until each of its actuators was commanded once, and in sync
        mode it waits for exactly one frame per percept, also for one that cannot be used.
        """
        if not isinstance(cycle.event, Percept | Sync | ServerError):
            return []
        motors = self._map.motors(cycle.targets) if cycle.targets is not None else []
        return [Frame((*motors, *self._requests.next_actions(), Syn())), *self._orders.take()]

    @override
    def handle_request(self, name: str, message: object) -> str:
        return (
            self._orders.handle(name, message) if name in SERVICES else super().handle_request(name, message)
        )

    @override
    def messages(self, cycle: Cycle[Event], stamp: Stamp) -> Messages:
        if not isinstance(cycle.event, Percept):
            return ()
        return self._messages.of(cycle.event, cycle.state, stamp)
