# SPDX-License-Identifier: Apache-2.0
"""A Maeden agent as a body: its world, its skills, its messages. Cells and energy change in ``convert.py``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from std_msgs.msg import String
from typing_extensions import override

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.grid.pose import Heading
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp
from embodiment_bridge.protocols.maeden import convert, messages
from embodiment_bridge.protocols.maeden.command_writer import sentence_of
from embodiment_bridge.protocols.maeden.conversation import WORDS, Answer, Closed, LinkEvent, NoReply, Tick
from embodiment_bridge.protocols.maeden.events import Action, AgentId, Ending, Percept
from embodiment_bridge.protocols.maeden.routine import Operator
from embodiment_bridge.protocols.maeden.skills import GridSkills
from embodiment_bridge.protocols.maeden.world import AgentWorld

LOST: Final = "the link was lost"
REPEAT_S: Final = 1.0  # s; for those who begin to listen while the agent does nothing


class GridConverter(Converter[LinkEvent, Action]):
    """One agent. ``parameters``: those of the protocol and of the node; ``body``: its description.

    Raises:
        ConfigError: the body has joints.
    """

    def __init__(self, parameters: ParameterValues, body: BodyDescription) -> None:
        if body.joints:
            raise ConfigError(f"body {body.name!r} has joints; a grid agent has none")
        self._parameters = parameters
        self._body = body.name
        self._cell = float(parameters["cell_size"])
        prefix = str(parameters.get("frame_prefix", ""))
        self._map, self._odom, self._base = prefix + "map", prefix + "odom", prefix + "base_link"
        self._world = AgentWorld(Heading[str(parameters["initial_heading"])])
        self._operator = Operator()
        self._skills = GridSkills(self._world, self._operator, self._cell)
        self._ended = ""
        self._mapped = -1
        self._told_at = 0.0  # on the link's clock
        self._is_wanted: Callable[[str], bool] = lambda _: True

    @override
    def codec_options(self) -> Mapping[str, str]:
        return {"dialect": str(self._parameters["dialect"])}

    @override
    def warnings(self) -> Sequence[str]:
        if self._parameters["pacing"] != "listen":
            return []
        return ["pacing is listen: each wait costs the agent 1 unit of its 2000 energy, up to 20 a second"]

    @override
    def set_demand(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted

    @override
    def native_skills(self) -> Mapping[str, Start]:
        return self._skills.starts

    @override
    def handshake(self) -> Sequence[Action]:
        """Begin anew: a connection is a new agent, which knows nothing. The link itself sends the role."""
        self._operator.drop(LOST)
        self._world.begin()
        self._ended, self._mapped = "", -1
        return []

    @override
    def body_state(self, event: LinkEvent) -> BodyState | None:
        """Return a state for every event of the link, once a packet has come: each is a step of the skills."""
        match event:
            case AgentId():
                self._world.agent = event.id
                return None
            case Percept():
                return self.body_state(Answer(event.offset, event, None, convert.seconds(event.world_time)))
            case Answer():
                self._world.answered(event)
                self._operator.heard(event)
            case NoReply():
                self._world.lost(event)
                self._operator.heard(event)
            case Tick() if self._world.percept is not None:
                pass
            case _:
                return None
        pose = self._world.pose
        return BodyState(
            time=event.time_s,
            position=(),
            velocity=(),
            base_position=convert.middle(pose.place, self._cell),
            yaw=pose.yaw,
            has_base=True,
        )

    @override
    def answer(self, cycle: Cycle[LinkEvent]) -> Sequence[Action]:
        return self._operator.next() if cycle.targets is not None else []

    @override
    def handle_request(self, name: str, message: object) -> str:
        if name != "say" or not isinstance(message, String):
            return super().handle_request(name, message)
        self._operator.ask(sentence_of(message.data))
        return ""

    @override
    def messages(self, cycle: Cycle[LinkEvent], stamp: Stamp) -> Messages:
        event = cycle.event
        match event:
            case Percept():
                yield from self._told(event, stamp)
            case Answer():
                self._told_at = event.time_s
                yield from self._told(event.percept, stamp)
            case Tick() if self._world.percept is not None and event.time_s - self._told_at >= REPEAT_S:
                self._told_at = event.time_s
                yield from self._state(self._world.percept, stamp)
            case Ending():
                yield from self._event(event.word, WORDS[event.word], stamp)
            case Closed():
                yield from self._event("CLOSED", event.reason, stamp)

    def _told(self, percept: Percept, stamp: Stamp) -> Iterator[tuple[str, object]]:
        world = self._world
        yield from self._event(percept.status, WORDS.get(percept.status, "the agent is there"), stamp)
        yield "percept", messages.percept_message(world, percept, stamp, self._base)
        for said in percept.messages:
            yield "heard", messages.heard_message(said, stamp, self._base)
        yield from self._state(percept, stamp)
        if self._mapped != world.map.changes:
            self._mapped = world.map.changes
            yield "map", messages.map_message(world.map, self._cell, stamp, self._map)

    def _state(self, percept: Percept, stamp: Stamp) -> Iterator[tuple[str, object]]:
        """The messages that are published again while no packet comes."""
        world, pose = self._world, self._world.pose
        yield "pose", messages.pose_message(pose, self._cell, stamp, self._map)
        frames = (self._odom, self._base)
        yield "odom", messages.odometry(pose, world.track.sure, self._cell, stamp, frames)
        yield "battery", messages.battery_message(percept.energy, stamp)
        if self._is_wanted("local_grid"):
            yield "local_grid", messages.local_grid(percept.view, self._cell, stamp, self._base)
        if self._is_wanted("entities"):
            yield "entities", messages.entities(world, self._body, self._cell, stamp, self._map)

    def _event(self, name: str, reason: str, stamp: Stamp) -> Iterator[tuple[str, object]]:
        """Each change once; the first ending stays."""
        if self._ended == name or self._ended not in ("", "CONTINUE"):
            return
        self._ended = name
        yield "event", messages.episode_event(name, reason, self._world, stamp)
