# SPDX-License-Identifier: Apache-2.0
"""Makes messages of packets, and of cells as grids, poses and entities in ``map`` and ``base_link``.

Lengths in m, angles in rad; ``stamp`` is a builtin_interfaces/Time.
"""

from math import cos, nan, sin
from typing import Final

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import MapMetaData, OccupancyGrid, Odometry
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.grid.pose import GridPose
from embodiment_bridge.grid.world import Raster, WorldMap, raster_of
from embodiment_bridge.msg import EntityArray, EpisodeEvent, GridCell, GridMessage, GridPercept, HeardMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.maeden import convert
from embodiment_bridge.protocols.maeden.command_writer import text_of
from embodiment_bridge.protocols.maeden.events import Message, Percept, View
from embodiment_bridge.protocols.maeden.world import AgentWorld
from embodiment_bridge.scene.entities import Known, Sighting
from embodiment_bridge.scene.messages import entity_array

# Cells as places in ``map`` and ``base_link``: grids, poses, entities. Cells in, metres out; north is y, east is x.

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
    message.pose.covariance[0] = message.pose.covariance[7] = length
    message.pose.covariance[35] = angle
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
