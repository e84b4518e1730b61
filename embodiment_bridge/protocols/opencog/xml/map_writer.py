# SPDX-License-Identifier: Apache-2.0
"""Writes ``map-info`` and ``terrain-info``. Maps of a thousand things are frequent, so writing blips is fast."""

import base64
from typing import Final

from embodiment_bridge.protocols.opencog.xml import map_payload
from embodiment_bridge.protocols.opencog.xml.events import MapInfo, TerrainInfo
from embodiment_bridge.protocols.opencog.xml.parts import NO_ROTATION, NO_VECTOR, Blip, MapData, MapThing
from embodiment_bridge.protocols.opencog.xml.xml_format import (
    BadValueError,
    entity,
    flag,
    identity,
    num,
    rotation,
    stamp,
    text,
    vector,
    whole,
)

REQUIRED: Final = ("global_position_x", "global_position_y")
ALWAYS: Final = (*REQUIRED, "global_position_offset", "global_floor_height")
ONLY_FINAL: Final = (
    "global_position_z",
    "global_position_offset_x",
    "global_position_offset_y",
    "global_position_offset_z",
)
_ZERO_VECTOR: Final = 'x="0.0" y="0.0" z="0.0"/>'
_ZERO_ROTATION: Final = '<rotation pitch="0.0" roll="0.0" yaw="0.0"/>'


def map_info(message: MapInfo, dialect: str) -> str:
    """``<map-info>``; some attributes are required in one dialect and forbidden in another.

    Raises:
        BadValueError: a value cannot be written, or not in this dialect.
    """
    if dialect != "final" and message.map_data:
        raise BadValueError("map_data empty in this dialect: it has blips only")
    inner = [blip(item) for item in message.blips]
    inner += [f"<map-data>{_payload(item)}</map-data>" for item in message.map_data]
    if dialect != "final" and not inner:
        raise BadValueError("blips with at least one blip")
    return _element("map-info", message, dialect, inner)


def terrain_info(message: TerrainInfo) -> str:
    """``<terrain-info>``, which only the dialect ``final`` has.

    Raises:
        BadValueError: a value cannot be written.
    """
    inner = [f"<terrain-data>{_payload(item)}</terrain-data>" for item in message.terrain_data]
    if not inner:
        raise BadValueError("terrain_data with at least one payload")
    return _element("terrain-info", message, "final", inner)


def _element(tag: str, message: MapInfo | TerrainInfo, dialect: str, inner: list[str]) -> str:
    head = f"<{tag}"
    for name in (*ALWAYS, *ONLY_FINAL):
        value = getattr(message, name)
        if value is None and name not in REQUIRED:
            if name == "global_position_offset" and dialect != "final":
                raise BadValueError("global_position_offset given in this dialect")
            continue
        if name in ONLY_FINAL and dialect != "final":
            raise BadValueError(f"{name} None in this dialect")
        head += f' {name.replace("_", "-")}="{whole(value)}"'
    if message.grid_parcel is not None:
        head += f' gridParcel="{text(message.grid_parcel)}"'
    return "\n".join([f"{head}{_first_time(message, dialect)}>", *inner, f"</{tag}>"])


def _first_time(message: MapInfo | TerrainInfo, dialect: str) -> str:
    names = ("map_name", "is_first_time_percept_world", "timestamp")
    if dialect != "final":
        if any(getattr(message, name) is not None for name in names):
            raise BadValueError(f"{', '.join(names)} None in this dialect")
        return ""
    told = "" if message.map_name is None else f' map-name="{text(message.map_name)}"'
    first = flag(message.is_first_time_percept_world)
    return f'{told} is-first-time-percept-world="{first}" timestamp="{stamp(message.timestamp)}"'


def blip(value: Blip) -> str:
    """``<blip>`` with all that the schema requires, in its order."""
    position, velocity = value.position, value.velocity
    speed = (
        _ZERO_VECTOR
        if velocity is NO_VECTOR
        else f'x="{num(velocity.x)}" y="{num(velocity.y)}" z="{num(velocity.z)}"/>'
    )
    turn = _ZERO_ROTATION if value.rotation is NO_ROTATION else rotation(value.rotation)
    lines = "".join(
        [f'\n<property name="{text(name)}" value="{text(told)}"/>' for name, told in value.properties]
    )
    size = "" if value.dimension is None else "\n" + vector("dimension", value.dimension)
    return (
        f'<blip timestamp="{stamp(value.timestamp)}">\n{entity(value.entity)}\n'
        f'<position x="{num(position.x)}" y="{num(position.y)}" z="{num(position.z)}"/>\n'
        f"{turn}\n<velocity {speed}{size}\n<properties>{lines}\n</properties>\n</blip>"
    )


def _payload(value: MapData) -> str:
    if not isinstance(value, MapData) or not isinstance(value.undecoded, bytes):
        raise BadValueError("MapData")
    if value.undecoded and value.things:
        raise BadValueError("MapData with things or with undecoded bytes, not both")
    for thing in value.things:
        _check(thing)
    try:
        raw = value.undecoded or map_payload.encode(value.things)
    except (OverflowError, UnicodeEncodeError):
        raise BadValueError("numbers that a float of 32 bits can take, and texts") from None
    return base64.b64encode(raw).decode("ascii")


def _check(thing: MapThing) -> None:
    identity(thing.id)
    for told in (thing.name, thing.type, *(item for pair in thing.properties for item in pair)):
        text(told)
    triples = [thing.position, thing.velocity] if thing.velocity is not None else [thing.position]
    numbers = [value for item in triples for value in (item.x, item.y, item.z)]
    turn = thing.rotation
    numbers += [turn.pitch, turn.roll, turn.yaw, thing.length, thing.width, thing.height]
    for value in numbers if thing.weight is None else [*numbers, thing.weight]:
        num(value)
