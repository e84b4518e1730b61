# SPDX-License-Identifier: Apache-2.0
"""Reads ``map-info`` and ``terrain-info`` elements into events."""

import binascii
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

from embodiment_bridge.protocols.opencog.xml import map_payload
from embodiment_bridge.protocols.opencog.xml.events import MapInfo, TerrainInfo
from embodiment_bridge.protocols.opencog.xml.parts import (
    NO_ROTATION,
    NO_VECTOR,
    Blip,
    MapData,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_parse import Element
from embodiment_bridge.protocols.opencog.xml.xml_values import (
    BadElementError,
    Faults,
    children,
    entity,
    flag,
    local_name,
    required,
    rotation,
    usable,
    vector,
    whole,
)

WHOLE: Final = (
    "global-position-x",
    "global-position-y",
    "global-position-z",
    "global-position-offset",
    "global-position-offset-x",
    "global-position-offset-y",
    "global-position-offset-z",
    "global-floor-height",
)
BLIP_PARTS: Final = frozenset(("entity", "position", "rotation", "velocity", "dimension", "properties"))


def map_info(element: Element, offset: int, faults: Faults) -> MapInfo:
    """A map with its usable blips and its payloads; a blip without any element in it is a placeholder, and left out.

    Raises:
        BadElementError: an attribute of the map is missing or of no use.
    """
    blips = usable((item for item in children(element, "blip") if len(item)), _blip, faults)
    return MapInfo(blips=blips, map_data=_payloads(element, "map-data"), offset=offset, **_header(element))


def terrain_info(element: Element, offset: int) -> TerrainInfo:
    """Blocks.

    Raises:
        BadElementError: an attribute is missing or of no use.
    """
    return TerrainInfo(terrain_data=_payloads(element, "terrain-data"), offset=offset, **_header(element))


def _header(element: Element) -> dict[str, Any]:
    required(element, "global-position-x")
    required(element, "global-position-y")
    numbers = {name.replace("-", "_"): whole(element, name) for name in WHOLE}
    return numbers | {
        "grid_parcel": element.get("gridParcel"),
        "map_name": element.get("map-name"),
        "is_first_time_percept_world": flag(element, "is-first-time-percept-world"),
        "timestamp": element.get("timestamp"),
    }


def _payloads(element: Element, name: str) -> tuple[MapData, ...]:
    return tuple(_payload(item.text or "") for item in children(element, name))


def _payload(text: str) -> MapData:
    try:
        raw = binascii.a2b_base64(text.encode("ascii"))
    except ValueError:
        return MapData(undecoded=text.encode("utf-8", "replace"))
    try:
        return MapData(map_payload.decode(raw))
    except ValueError:
        return MapData(undecoded=raw)


def _blip(element: Element) -> Blip:
    parts = {part.tag: part for part in element}
    if not parts.keys() <= BLIP_PARTS:  # children with a prefix, which is wrong but unambiguous
        parts = {local_name(part): part for part in element}
    if "entity" not in parts:
        raise BadElementError("blip: there is no entity")
    properties = parts.get("properties")
    pairs = tuple(_own_attributes(element))
    if properties is not None:
        pairs += tuple(_pair(item) for item in properties)
    dimension = parts.get("dimension")
    return Blip(
        required(element, "timestamp"),
        entity(parts["entity"]),
        _vector(parts.get("position")),
        _rotation(parts.get("rotation")),
        _vector(parts.get("velocity")),
        pairs,
        None if dimension is None else vector(dimension),
    )


def _own_attributes(element: Element) -> Iterator[tuple[str, str]]:
    """Until 2009 properties were attributes."""
    if len(element.attrib) > 1:
        yield from ((name, value) for name, value in element.items() if name != "timestamp")


def _pair(item: Element) -> tuple[str, str]:
    match item.items():
        case [("name", name), ("value", value)]:
            return name, value
    called = item.get("name")
    if called is None:
        raise BadElementError("property: attribute 'name' is missing")
    return called, item.get("value", "")


def _vector(element: Element | None) -> Vector:
    """The vector of an element, or zero if it is missing."""
    if element is None:
        return NO_VECTOR
    get = element.get
    try:
        x, y, z = float(get("x") or ""), float(get("y") or ""), float(get("z") or "")
    except (TypeError, ValueError):
        return vector(element)  # which raises the precise error
    return Vector(x, y, z) if isfinite(x + y + z) else vector(element)


def _rotation(element: Element | None) -> Rotation:
    if element is None:
        return NO_ROTATION
    get = element.get
    try:
        pitch, roll, yaw = float(get("pitch") or ""), float(get("roll") or ""), float(get("yaw") or "")
    except (TypeError, ValueError):
        return rotation(element)
    return Rotation(pitch, roll, yaw) if isfinite(pitch + roll + yaw) else rotation(element)
