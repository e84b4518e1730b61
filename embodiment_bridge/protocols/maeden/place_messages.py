# SPDX-License-Identifier: Apache-2.0
"""Cells as places in ``map`` and ``base_link``: grids, poses, entities. Cells in, metres out; north is y, east is x."""

from math import cos, sin
from typing import Final

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from nav_msgs.msg import MapMetaData, OccupancyGrid, Odometry
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.grid.pose import GridPose
from embodiment_bridge.grid.world_map import Raster, WorldMap, raster_of
from embodiment_bridge.msg import EntityArray
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.maeden import convert
from embodiment_bridge.protocols.maeden.events import View
from embodiment_bridge.protocols.maeden.world import AgentWorld
from embodiment_bridge.scene.entities import Known, Sighting
from embodiment_bridge.scene.messages import entity_array

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
    """Where the agent is in ``frame``, the map."""
    return PoseStamped(header=Header(stamp=stamp, frame_id=frame), pose=pose_of(pose, cell_m))


def odometry(pose: GridPose, sure: bool, cell_m: float, stamp: Stamp, frames: tuple[str, str]) -> Odometry:
    """Where the agent is in the first frame; its variances tell whether the pose is sure. It moves in no time."""
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
