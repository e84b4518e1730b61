# SPDX-License-Identifier: Apache-2.0
"""A Maeden agent as a body: its world, its skills, its messages. Cells and energy change in ``convert.py``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import cos, nan, sin
from typing import Final

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import MapMetaData, OccupancyGrid, Odometry
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Header, String
from typing_extensions import override

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import diagonal
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.grid.pose import GridPose, Heading
from embodiment_bridge.grid.world import Raster, WorldMap, raster_of
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.msg import EntityArray, EpisodeEvent, GridCell, GridMessage, GridPercept, HeardMessage
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp
from embodiment_bridge.protocols.maeden import convert
from embodiment_bridge.protocols.maeden.command_writer import sentence_of, text_of
from embodiment_bridge.protocols.maeden.conversation import WORDS, Answer, Closed, LinkEvent, NoReply, Tick
from embodiment_bridge.protocols.maeden.events import Action, AgentId, Ending, Message, Percept, View
from embodiment_bridge.protocols.maeden.routine import Operator
from embodiment_bridge.protocols.maeden.skills import GridSkills
from embodiment_bridge.protocols.maeden.world import AgentWorld
from embodiment_bridge.scene.entities import Known, Sighting
from embodiment_bridge.scene.messages import entity_array

# Messages of packets: cells as grids, poses and entities in ``map`` and ``base_link``, m; north is y, east is x.

SURE: Final = 1e-6  # m2 and rad2: as good as known
UNSURE: Final = 4.0  # cells2 and rad2: one step or one turn may be missing
THING: Final = 0.5  # share of a cell that a thing on the floor fills
TALL: Final = ("door", "rock", "robot", "agent")


def pose_of(pose: GridPose, cell_m: float) -> Pose:
    """The middle of a cell."""
    half = 0.5 * pose.yaw
    x, y, z = convert.middle(pose.place, cell_m)
    return Pose(
        position=Point(x=x, y=y, z=z),
        orientation=Quaternion(x=0.0, y=0.0, z=sin(half), w=cos(half)),
    )


def pose_message(pose: GridPose, cell_m: float, stamp: Stamp, frame: str) -> PoseStamped:
    """The pose of the agent in ``frame``, the map."""
    return PoseStamped(header=Header(stamp=stamp, frame_id=frame), pose=pose_of(pose, cell_m))


def odometry(pose: GridPose, sure: bool, cell_m: float, stamp: Stamp, frames: tuple[str, str]) -> Odometry:
    """The pose in the first frame; its variances tell whether it is sure. A step takes no time, so the twist is 0."""
    message = Odometry(header=Header(stamp=stamp, frame_id=frames[0]), child_frame_id=frames[1])
    message.pose.pose = pose_of(pose, cell_m)
    length, angle = (SURE, SURE) if sure else (UNSURE * cell_m * cell_m, UNSURE)
    message.pose.covariance, message.twist.covariance = (
        diagonal(length, SURE, angle),
        diagonal(SURE, SURE, SURE),
    )
    return message


def local_grid(view: View, cell_m: float, stamp: Stamp, frame: str) -> OccupancyGrid:
    """The view in ``frame``, the base: x ahead (from one cell behind to five ahead), y left (two to each side)."""
    return _grid(convert.raster_of_view(view), cell_m, stamp, frame)


def map_message(known: WorldMap, cell_m: float, stamp: Stamp, frame: str) -> OccupancyGrid:
    """All that was seen: -1 where nothing was, 100 walls, doors, rocks and robots, 0 the rest."""
    return _grid(raster_of(known.cells, known.bounds), cell_m, stamp, frame)


def _grid(raster: Raster, cell_m: float, stamp: Stamp, frame: str) -> OccupancyGrid:
    info = MapMetaData(map_load_time=stamp, resolution=cell_m, width=raster.width, height=raster.height)
    info.origin.position.x, info.origin.position.y = convert.corner(raster, cell_m)
    info.origin.orientation.w = 1.0
    return OccupancyGrid(header=Header(stamp=stamp, frame_id=frame), info=info, data=raster.data)


def entities(world: AgentWorld, owner: str, cell_m: float, stamp: Stamp, frame: str) -> EntityArray:
    """All that is known to be somewhere; ``owner``: what to call the agent that carries something."""
    known = []
    for item in world.items():
        high = cell_m if item.kind in TALL else THING * cell_m
        size: Vector = (THING * cell_m, THING * cell_m, high)
        place = convert.middle(item.place, cell_m, 0.5 * high)
        properties = (("symbol", item.symbol), *((("owner", owner),) if item.carried else ()))
        seen = Sighting(item.id, item.kind, place, size, properties)
        known.append(Known(seen, 0.0, stamp, item.visible))
    return entity_array(known, stamp, frame)


def percept_message(world: AgentWorld, percept: Percept, stamp: Stamp, frame: str) -> GridPercept:
    """Every field of a packet, and where the agent is by dead reckoning."""
    message = GridPercept(header=Header(stamp=stamp, frame_id=frame))
    message.status = getattr(GridPercept, percept.status)
    message.agent = world.agent
    message.smell = percept.smell
    message.inventory = list(percept.inventory)
    message.ground = list(percept.ground)
    message.view = [GridCell(things=list(cell)) for row in percept.view for cell in row]
    message.messages = [_sentence(said) for said in percept.messages]
    message.energy = percept.energy
    message.ok = percept.ok
    message.world_time = percept.world_time
    message.command = world.command
    message.energy_spent = world.spent
    message.pose_sure = world.track.sure
    message.column, message.row = world.pose.place
    message.heading = world.pose.heading.name
    message.raw = percept.raw
    return message


def _sentence(said: Message) -> GridMessage:
    return GridMessage(
        sender=said.sender,
        direction=said.direction,
        volume=said.volume,
        category=said.category,
        words=list(said.words),
        has_payment=said.payment is not None,
        payment=said.payment or 0,
        raw=said.raw,
    )


def heard_message(said: Message, stamp: Stamp, frame: str) -> HeardMessage:
    """One sentence as any body hears it; who spoke in the own cell has no direction."""
    message = HeardMessage(header=Header(stamp=stamp, frame_id=frame), sender=said.sender, text=text_of(said))
    azimuth = convert.azimuth(said.direction)
    message.has_direction, message.azimuth = azimuth is not None, azimuth or 0.0
    return message


def battery_message(energy: int, stamp: Stamp) -> BatteryState:
    """Energy as a charge: units of the simulator stand for Ah, 2000 are full; food may give more than that."""
    message = BatteryState(header=Header(stamp=stamp), present=energy > 0)
    message.voltage = message.current = message.temperature = nan
    message.charge = float(energy)
    message.capacity = message.design_capacity = float(convert.FULL_ENERGY)
    message.percentage = convert.charge(energy)
    message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    dead = BatteryState.POWER_SUPPLY_HEALTH_DEAD
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_GOOD if energy > 0 else dead
    return message


def episode_event(name: str, reason: str, world: AgentWorld, stamp: Stamp) -> EpisodeEvent:
    """The state of the episode; ``name`` is that of its constant."""
    message = EpisodeEvent(
        header=Header(stamp=stamp), event=getattr(EpisodeEvent, name), name=name, reason=reason
    )
    message.agent = world.agent
    message.world_time = world.percept.world_time if world.percept is not None else 0
    return message


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
        yield "percept", percept_message(world, percept, stamp, self._base)
        for said in percept.messages:
            yield "heard", heard_message(said, stamp, self._base)
        yield from self._state(percept, stamp)
        if self._mapped != world.map.changes:
            self._mapped = world.map.changes
            yield "map", map_message(world.map, self._cell, stamp, self._map)

    def _state(self, percept: Percept, stamp: Stamp) -> Iterator[tuple[str, object]]:
        """The messages that are published again while no packet comes."""
        world, pose = self._world, self._world.pose
        yield "pose", pose_message(pose, self._cell, stamp, self._map)
        frames = (self._odom, self._base)
        yield "odom", odometry(pose, world.track.sure, self._cell, stamp, frames)
        yield "battery", battery_message(percept.energy, stamp)
        if self._is_wanted("local_grid"):
            yield "local_grid", local_grid(percept.view, self._cell, stamp, self._base)
        if self._is_wanted("entities"):
            yield "entities", entities(world, self._body, self._cell, stamp, self._map)

    def _event(self, name: str, reason: str, stamp: Stamp) -> Iterator[tuple[str, object]]:
        """Each change once; the first ending stays."""
        if self._ended == name or self._ended not in ("", "CONTINUE"):
            return
        self._ended = name
        yield "event", episode_event(name, reason, self._world, stamp)
