# SPDX-License-Identifier: Apache-2.0
"""The look of entities in a viewer: shape, size, colour and label by their kind."""

import colorsys
from typing import Final, NamedTuple
from zlib import crc32

from visualization_msgs.msg import Marker

from embodiment_bridge.msg import Entity

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
