# SPDX-License-Identifier: Apache-2.0
"""Between the cells, headings and energy of a Maeden agent and ROS.

| simulator | ROS |
|---|---|
| start cell | origin of ``map`` and ``odom``; x is east, y is north, a cell is ``cell_size`` m |
| heading W, N, E, S | yaw pi, pi/2, 0, -pi/2 |
| view row r, column c | ``base_link``: x = (r - 1) cells ahead, y = (2 - c) cells to the left |
| energy, 2000 at the start | battery: charge, 2000 = 100 % |
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.grid.pose import Heading
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.maeden import percept_messages, place_messages
from embodiment_bridge.protocols.maeden.conversation import WORDS, Answer, Closed, NoReply, Tick
from embodiment_bridge.protocols.maeden.events import AgentId, Ending, Percept
from embodiment_bridge.protocols.maeden.operator import Operator
from embodiment_bridge.protocols.maeden.sentences import sentence_of
from embodiment_bridge.protocols.maeden.skills import GridSkills
from embodiment_bridge.protocols.maeden.world import AgentWorld

CYCLE_S: Final = 0.05  # s of a cycle, where a packet is all that tells the time
LOST: Final = "the link was lost"


class Converter:
    """One agent. ``parameters``: those of the room and of the node; ``body``: its description.

    Raises:
        ConfigError: the body has joints.
    """

    def __init__(self, parameters: Mapping[str, Any], body: BodyDescription) -> None:
        if body.joints:
            raise ConfigError(f"body {body.name!r} has joints; a grid agent has none")
        self._parameters = parameters
        self._body = body.name
        self._cell = float(parameters["cell_size"])
        prefix = str(parameters.get("frame_prefix", ""))
        self._map, self._odom, self._base = prefix + "map", prefix + "odom", prefix + "base_link"
        self._world = AgentWorld(Heading[parameters["initial_heading"]])
        self._operator = Operator()
        self._skills = GridSkills(self._world, self._operator, self._cell)
        self._ended = ""
        self._mapped = -1
        self._wanted: Callable[[str], bool] = lambda _: True

    def codec_options(self) -> dict[str, Any]:
        """See ``contract.Converter``."""
        return {"dialect": self._parameters["dialect"]}

    def remarks(self) -> list[str]:
        """See ``contract.Converter``."""
        if self._parameters["pacing"] != "listen":
            return []
        return ["pacing is listen: each wait costs the agent 1 unit of its 2000 energy, up to 20 a second"]

    def heed(self, wanted: Callable[[str], bool]) -> None:
        """See ``contract.Converter``."""
        self._wanted = wanted

    def natives(self) -> Mapping[str, Start]:
        """See ``contract.Converter``: all skills are the agent's own."""
        return self._skills.starts

    def greet(self) -> list[Any]:
        """See ``contract.Converter``: the link greets. A new connection is a new agent, who knows nothing."""
        self._operator.drop(LOST)
        self._world.begin()
        self._ended, self._mapped = "", -1
        return []

    def body_state(self, event: Any) -> BodyState | None:
        """See ``contract.Converter``: every event of the link is a step of the skills, once a packet has come."""
        match event:
            case AgentId():
                self._world.agent = event.id
                return None
            case Percept():
                return self.body_state(Answer(event.offset, event, None, event.world_time * CYCLE_S))
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
            base_position=(pose.x * self._cell, pose.y * self._cell, 0.0),
            yaw=pose.yaw,
            has_base=True,
        )

    def answer(self, event: Any, targets: JointTargets | None) -> list[Any]:
        """See ``contract.Converter``: the command whose turn it is, if there is one."""
        return self._operator.next() if targets is not None else []

    def take(self, name: str, message: Any) -> str:
        """See ``contract.Converter``: ``say``, the only input."""
        self._operator.ask(sentence_of(message.data))
        return ""

    def messages(self, event: Any, state: BodyState | None, stamp: Any) -> Iterator[tuple[str, Any]]:
        """See ``contract.Converter``."""
        match event:
            case Percept():
                yield from self._told(event, stamp)
            case Answer():
                yield from self._told(event.percept, stamp)
            case Ending():
                yield from self._event(event.word, WORDS[event.word], stamp)
            case Closed():
                yield from self._event("CLOSED", event.reason, stamp)

    def _told(self, percept: Percept, stamp: Any) -> Iterator[tuple[str, Any]]:
        world, pose = self._world, self._world.pose
        yield from self._event(percept.status, WORDS.get(percept.status, "the agent is there"), stamp)
        yield "percept", percept_messages.percept_message(world, percept, stamp, self._base)
        yield "pose", place_messages.pose_message(pose, self._cell, stamp, self._map)
        frames = (self._odom, self._base)
        yield "odom", place_messages.odometry(pose, world.track.sure, self._cell, stamp, frames)
        for said in percept.messages:
            yield "heard", percept_messages.heard_message(said, stamp, self._base)
        yield "battery", percept_messages.battery_message(percept.energy, stamp)
        if self._wanted("local_grid"):
            yield "local_grid", place_messages.local_grid(percept.view, self._cell, stamp, self._base)
        if self._wanted("entities"):
            yield "entities", place_messages.entities(world, self._body, self._cell, stamp, self._map)
        if self._mapped != world.map.changes:
            self._mapped = world.map.changes
            yield "map", place_messages.map_message(world.map, self._cell, stamp, self._map)

    def _event(self, name: str, reason: str, stamp: Any) -> Iterator[tuple[str, Any]]:
        """Each change once; the first ending stays."""
        if self._ended == name or self._ended not in ("", "CONTINUE"):
            return
        self._ended = name
        yield "event", percept_messages.episode_event(name, reason, self._world, stamp)
