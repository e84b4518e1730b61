# SPDX-License-Identifier: Apache-2.0
"""Makes messages of sight and entities.

Fields are set one by one: a generated constructor makes the default of each nested message even when it is given.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.msg import (
    AgentDetection,
    Entity,
    EntityArray,
    LineDetection,
    PointDetection,
    Vision,
)
from embodiment_bridge.scene.entities import Known, Sighting
from embodiment_bridge.scene.sight import Point, Sight

INT32: Final = 2**31 - 1
NO_NUMBER: Final = -1


def vision_message(sight: Sight, stamp: Time, frame: str) -> Vision:
    """One picture of the camera whose frame is ``frame``."""
    return Vision(
        header=Header(stamp=stamp, frame_id=frame),
        points=[_point(point) for point in sight.points],
        agents=[
            AgentDetection(
                team=agent.team,
                number=agent.number if abs(agent.number) <= INT32 else NO_NUMBER,
                parts=[_point(part) for part in agent.parts],
            )
            for agent in sight.agents
        ],
        lines=[_line(start, end) for start, end in sight.lines],
    )


def entity_array(known: Iterable[Known], stamp: Time, frame: str) -> EntityArray:
    """The known entities, with positions in ``frame``; ``stamp`` is that of the latest picture."""
    return EntityArray(
        header=Header(stamp=stamp, frame_id=frame), entities=[_entity(thing) for thing in known]
    )


def _point(point: Point) -> PointDetection:
    message = PointDetection(name=point.name)
    message.distance, message.azimuth, message.elevation = point[1:4]
    place = message.position
    place.x, place.y, place.z = point.position
    return message


def _line(start: Vector, end: Vector) -> LineDetection:
    message = LineDetection()
    message.start.x, message.start.y, message.start.z = start
    message.end.x, message.end.y, message.end.z = end
    return message


class EntityMessages:
    """Makes the entities of one robot, again and again: a generated constructor takes longer than all else of it.

    A thing that was in the array before has the same message in the next, so an array holds until the next is made.
    """

    def __init__(self) -> None:
        self._made: dict[str, tuple[Known, Entity]] = {}

    def array(self, known: Iterable[Known], stamp: Time, frame: str) -> EntityArray:
        """Return the message, as ``entity_array`` does."""
        before = self._made
        self._made = {thing.sighting.id: (thing, self._entity(before, thing)) for thing in known}
        entities = [message for _, message in self._made.values()]
        return EntityArray(header=Header(stamp=stamp, frame_id=frame), entities=entities)

    def _entity(self, before: Mapping[str, tuple[Known, Entity]], known: Known) -> Entity:
        found = before.get(known.sighting.id)
        if found is None or not _alike(found[0].sighting, known.sighting):
            return _entity(known)
        if found[0] is not known:
            _place(found[1], known)
        return found[1]


def _alike(one: Sighting, other: Sighting) -> bool:
    return one.kind == other.kind and one.properties == other.properties


def _entity(known: Known) -> Entity:
    thing = known.sighting
    message = Entity(id=thing.id, kind=thing.kind)
    message.properties = [KeyValue(key=key, value=value) for key, value in thing.properties]
    _place(message, known)
    return message


def _place(message: Entity, known: Known) -> None:
    """Write what may change of a thing."""
    thing = known.sighting
    place, size = message.pose.position, message.size
    place.x, place.y, place.z = thing.position
    size.x, size.y, size.z = thing.size
    message.visible = known.visible
    message.seen = known.stamp
