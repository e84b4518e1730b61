# SPDX-License-Identifier: Apache-2.0
"""Draws what a body knows and shows as markers, with a shape, size, colour and label by kind."""

import colorsys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from zlib import crc32

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.msg import Entity, EntityArray, TouchStates, Vision

# The look of entities in a viewer: shape, size, colour and label by their kind.

Rgba = tuple[float, float, float, float]


class Shape(NamedTuple):
    """A shape: ``type`` of Marker; size m along x, y, z, each above 0 as viewers require; colour 0 to 1 each."""

    type: int
    size: tuple[float, float, float]
    color: Rgba


# Sizes for entities without a known size. A landmark is a point: its cube is only to make it visible.
SHAPES: Final = {
    "ball": Shape(Marker.SPHERE, (0.22, 0.22, 0.22), (1.0, 0.5, 0.1, 1.0)),
    "player": Shape(Marker.CYLINDER, (0.4, 0.4, 1.0), (0.6, 0.6, 0.6, 0.7)),
    "landmark": Shape(Marker.CUBE, (0.15, 0.15, 0.15), (0.9, 0.9, 0.2, 1.0)),
}
ANYTHING: Final = Shape(Marker.CUBE, (0.3, 0.3, 0.3), (0.6, 0.6, 0.6, 1.0))


def shape_of(entity: Entity) -> Shape:
    """The shape for an entity's kind, with its own size where known; players have the colour of their team."""
    kind = SHAPES.get(entity.kind, ANYTHING)
    known = (entity.size.x, entity.size.y, entity.size.z)
    x, y, z = (own if own > 0.0 else usual for own, usual in zip(known, kind.size, strict=True))
    team = _property(entity, "team")
    return Shape(kind.type, (x, y, z), (*_team_color(team), kind.color[3]) if team else kind.color)


def label_of(entity: Entity) -> str:
    """The label of an entity: team and number, or its name, or its id; none for the ball."""
    if entity.kind == "ball":
        return ""
    team = _property(entity, "team")
    return f"{team} {_property(entity, 'number')}" if team else _property(entity, "name") or str(entity.id)


def _property(entity: Entity, key: str) -> str:
    return next((str(item.value) for item in entity.properties if item.key == key), "")


def _team_color(team: str) -> tuple[float, float, float]:
    """A bright colour, always the same for the same name."""
    return colorsys.hsv_to_rgb(crc32(team.encode()) % 360 / 360.0, 0.8, 0.9)


LIFETIME: Final = Duration(sec=1)  # of a marker: it vanishes soon after the body does
TEXT_HEIGHT: Final = 0.2  # m
RAY_WIDTH: Final = 0.01  # m
RAY_COLOR: Final = (0.3, 0.8, 1.0, 0.4)
LINE_WIDTH: Final = 0.03  # m, of lines on the floor
LINE_COLOR: Final = (1.0, 1.0, 1.0, 0.7)
TEXT_COLOR: Final = (1.0, 1.0, 1.0, 0.9)
TOUCH_COLOR: Final = (1.0, 0.3, 0.2, 1.0)
REMEMBERED: Final = 0.35  # factor on the opacity of things out of sight
OVER_BODY: Final = 0.9  # m from base_link up to the lamps, above the head of every body of this package
LAMP_SIZE: Final = 0.12  # m
DARK: Final = 0.15  # opacity of a lamp that is off
BLINK_NS: Final = 250_000_000  # ns, on and off each

Key = tuple[str, int]  # namespace and id, which identify a marker


class Light(NamedTuple):
    """The state of a light: colour, 0 to 1 each; pattern steady, blink, open, close or off."""

    red: float
    green: float
    blue: float
    alpha: float
    pattern: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The things to be drawn at ``stamp``; None where there is nothing.

    base_frame: full name of the body's base_link. lights: by the light's name.
    """

    stamp: Time
    base_frame: str
    entities: EntityArray | None = None
    vision: Vision | None = None
    touch: TouchStates | None = None
    lights: Mapping[str, Light] = field(default_factory=dict)


def draw(scene: Scene, before: Iterable[Key] = ()) -> tuple[MarkerArray, set[Key]]:
    """The markers of a scene, and a DELETE for each marker of ``before`` that is gone.

    Returns:
        The message, and the keys of all markers in it: ``before`` of the next call.
    """
    markers = [*_entities(scene), *_rays(scene), *_floor_lines(scene), *_touched(scene), *_lamps(scene)]
    keys = {(marker.ns, marker.id) for marker in markers}
    gone = [_deletion(scene, key) for key in before if key not in keys]
    return MarkerArray(markers=gone + markers), keys


def _entities(scene: Scene) -> Iterator[Marker]:
    if scene.entities is None:
        return
    header = scene.entities.header
    for entity in scene.entities.entities:
        shape = shape_of(entity)
        marker = _marker(header, entity.kind, entity.id, shape.type, _dimmed(shape.color, entity))
        marker.pose = entity.pose
        marker.scale.x, marker.scale.y, marker.scale.z = shape.size
        yield marker
        label = label_of(entity)
        if label:
            yield _label(header, entity, shape, label)


def _label(header: Header, entity: Entity, shape: Shape, text: str) -> Marker:
    place = entity.pose.position
    above = place.z + 0.5 * shape.size[2] + TEXT_HEIGHT
    color = _dimmed(TEXT_COLOR, entity)
    return _text(header, f"{entity.kind}_name", entity.id, text, (place.x, place.y, above), color)


def _rays(scene: Scene) -> Iterator[Marker]:
    """Lines from the camera to all points in the latest picture."""
    if scene.vision is None:
        return
    seen = [*scene.vision.points, *(part for agent in scene.vision.agents for part in agent.parts)]
    if not seen:  # viewers report an empty list of lines as an error
        return
    marker = _marker(scene.vision.header, "vision", "rays", Marker.LINE_LIST, RAY_COLOR)
    marker.scale.x = RAY_WIDTH
    eye = Point()
    marker.points = [end for point in seen for end in (eye, point.position)]
    yield marker


def _floor_lines(scene: Scene) -> Iterator[Marker]:
    """The lines of the floor in the latest picture, in the frame of the camera."""
    if scene.vision is None or not scene.vision.lines:
        return
    marker = _marker(scene.vision.header, "vision", "lines", Marker.LINE_LIST, LINE_COLOR)
    marker.scale.x = LINE_WIDTH
    marker.points = [end for line in scene.vision.lines for end in (line.start, line.end)]
    yield marker


def _touched(scene: Scene) -> Iterator[Marker]:
    """The names of the sensors that touch something, as a text above the body."""
    if scene.touch is None:
        return
    names = [sensor.name for sensor in scene.touch.sensors if sensor.touched]
    if names:
        header = Header(stamp=scene.touch.header.stamp, frame_id=scene.base_frame)
        place = (0.0, 0.0, OVER_BODY + (len(scene.lights) + 1) * LAMP_SIZE)
        yield _text(header, "touch", "touch", "touch: " + ", ".join(names), place, TOUCH_COLOR)


def _lamps(scene: Scene) -> Iterator[Marker]:
    """A ball for each light, stacked above the body, so that they are visible from all sides."""
    header = Header(stamp=scene.stamp, frame_id=scene.base_frame)
    first_half = scene.stamp.nanosec // BLINK_NS % 2 == 0
    for index, (name, light) in enumerate(sorted(scene.lights.items())):
        on = light.pattern in ("steady", "open") or (light.pattern == "blink" and first_half)
        color = (light.red, light.green, light.blue, light.alpha if on else DARK)
        marker = _marker(header, "light", name, Marker.SPHERE, color)
        marker.pose.position.z = OVER_BODY + index * LAMP_SIZE
        marker.scale.x = marker.scale.y = marker.scale.z = LAMP_SIZE
        yield marker
        place = (0.0, 1.5 * LAMP_SIZE, marker.pose.position.z)
        yield _text(header, "light_label", name, name, place, TEXT_COLOR)


def _text(
    header: Header, ns: str, name: str, text: str, place: tuple[float, float, float], color: Rgba
) -> Marker:
    marker = _marker(header, ns, name, Marker.TEXT_VIEW_FACING, color)
    marker.text = text
    marker.scale.z = TEXT_HEIGHT
    marker.pose.position.x, marker.pose.position.y, marker.pose.position.z = place
    return marker


def _marker(header: Header, ns: str, name: str, shape: int, color: Rgba) -> Marker:
    marker = Marker(ns=ns, id=_id(name), type=shape)
    marker.header = header
    marker.lifetime = LIFETIME
    marker.color.r, marker.color.g, marker.color.b, marker.color.a = color
    return marker


def _deletion(scene: Scene, key: Key) -> Marker:
    marker = Marker(ns=key[0], id=key[1], action=Marker.DELETE)
    marker.header = Header(stamp=scene.stamp, frame_id=scene.base_frame)
    return marker


def _id(name: str) -> int:
    """A number for a name, always the same; two names have the same number in 1 of 2 ** 31 cases."""
    return crc32(name.encode()) & 0x7FFFFFFF


def _dimmed(color: Rgba, entity: Entity) -> Rgba:
    return color if entity.visible else (*color[:3], color[3] * REMEMBERED)
