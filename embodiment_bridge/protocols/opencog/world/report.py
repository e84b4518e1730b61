# SPDX-License-Identifier: Apache-2.0
"""Reports the world to an OAC.

Everything once, then the changes; the body comes first, then the things of a file that are always there.

things:
  cup: {kind: object, position: [0.3, 0.1, 0.0], yaw: 0.0, size: [0.1, 0.1, 0.12], properties: {color: blue-100%}}
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import dist, hypot, isfinite
from pathlib import Path
from typing import Final

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.core.properties import FORGOTTEN
from embodiment_bridge.core.rotation import Vector as Triple
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.protocols.opencog.world.settings import IdBook, Settings
from embodiment_bridge.protocols.opencog.xml.events import MapInfo
from embodiment_bridge.protocols.opencog.xml.parts import (
    NO_ROTATION,
    NO_VECTOR,
    Blip,
    Entity,
    MapData,
    MapThing,
    Properties,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.wire_values import clean

MOST_THINGS: Final = 5000
SLOW: Final = 0.03  # m/s; below this a thing counts as standing
SHORTEST_S: Final = 0.02  # between two places for a speed
FARTHEST: Final = 1e6  # m
STILL: Final[Triple] = (0.0, 0.0, 0.0)
RESERVED: Final = frozenset(("visibility-status", "detector", "remove", "length", "width", "height", "class"))


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing in ``map``: m and rad. ``size`` is along its own forward, left and up axes, 0 if unknown."""

    id: str
    kind: str
    position: Triple
    yaw: float = 0.0
    size: Triple = (0.0, 0.0, 0.0)
    visible: bool = True
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Told:
    thing: Thing
    moving: bool


class WorldReport:
    """Decides what to send. Not thread-safe."""

    def __init__(self, settings: Settings, ids: IdBook) -> None:
        self._settings = settings
        self._ids = ids
        self._names: dict[str, str] = {}  # of things, by their ids
        self._told: dict[str, _Told] = {}
        self._forgotten: dict[str, Thing] = {}  # by the body; they may still be there, so the OAC keeps them
        self._seen: dict[str, tuple[float, Triple, Triple]] = {}  # time, place and speed of each thing
        self._stale: dict[
            str, Thing
        ] = {}  # sent before the last refresh: things that are gone since must be reported too
        self._first = True

    def refresh(self) -> None:
        """The OAC is new, or may have missed messages: send everything again."""
        self._stale |= {id_: told.thing for id_, told in self._told.items()}
        self._told.clear()
        self._first = True

    def update(self, own: Thing, others: Iterable[Thing], stamp: str, now_s: float) -> MapInfo | None:
        """The message on the present state of the world, or None if nothing has changed.

        Args:
            own: the body itself.
            others: all other known things; a thing that was sent before and is missing here is gone, unless it had
                the property ``forgotten`` before. One whose place cannot be sent, because it is not a number or too
                far away, stays where it was, out of sight.
            stamp: time of the message.
            now_s: time in s of any clock that does not go back, for speeds.
        """
        known = {own.id: own} | self._remembered(t for t in others if t.id != own.id)
        self._names = {id_: dict(thing.properties).get("name", "") for id_, thing in known.items()}
        things = dict(islice(((id_, t) for id_, t in known.items() if _usable(t)), MOST_THINGS))
        things |= {
            id_: replace(self._told[id_].thing, visible=False)
            for id_ in known.keys() - things.keys()
            if id_ in self._told
        }
        news: list[tuple[Thing, Triple, bool]] = []
        for thing in things.values():
            speed = self._speed(thing, now_s)
            told = self._told.get(thing.id)
            moving = hypot(*speed) > 0.0
            if told is None or moving != told.moving or self._differs(thing, told.thing):
                news.append((thing, speed, False))
                self._told[thing.id] = _Told(thing, moving)
        gone = self._stale | {id_: told.thing for id_, told in self._told.items()}
        self._stale = {}
        for thing in [thing for id_, thing in gone.items() if id_ not in known]:
            self._told.pop(thing.id, None)
            self._seen.pop(thing.id, None)
            news.append((thing, STILL, True))
        self._seen = {id_: seen for id_, seen in self._seen.items() if id_ in things}
        return self._map(news, stamp, own.id) if news else None

    def _remembered(self, others: Iterable[Thing]) -> dict[str, Thing]:
        """The things that the body knows, and before them those that it has forgotten, by id."""
        known: dict[str, Thing] = {}
        for thing in others:
            rest = tuple(pair for pair in thing.properties if pair != FORGOTTEN)
            if len(rest) == len(thing.properties):
                known[thing.id] = thing
                self._forgotten.pop(thing.id, None)
            elif thing.id in self._told or thing.id in self._stale:
                told = self._told[thing.id].thing if thing.id in self._told else self._stale[thing.id]
                self._forgotten[thing.id] = replace(told, visible=False)
        for id_ in list(self._forgotten)[: max(len(self._forgotten) + len(known) + 1 - MOST_THINGS, 0)]:
            for kept in (self._forgotten, self._told, self._seen, self._stale):
                kept.pop(id_, None)  # the OAC is not told: nothing is known of it
        return known | self._forgotten

    def _speed(self, thing: Thing, now_s: float) -> Triple:
        """Speed in m/s in ``map`` since the last update of the thing; a thing that is not seen stands still."""
        before = self._seen.get(thing.id)
        if before is None or not thing.visible or now_s < before[0]:
            self._seen[thing.id] = (now_s, thing.position, STILL)
            return STILL
        then, place, speed = before
        passed = now_s - then
        if passed < SHORTEST_S:
            return speed
        x, y, z = ((new - old) / passed for new, old in zip(thing.position, place, strict=True))
        speed = (x, y, z) if hypot(x, y, z) > SLOW else STILL
        self._seen[thing.id] = (now_s, thing.position, speed)
        return speed

    def _differs(self, new: Thing, old: Thing) -> bool:
        settings = self._settings
        return (
            new.visible != old.visible
            or new.kind != old.kind
            or new.properties != old.properties
            or dist(new.position, old.position) > settings.move_threshold
            or abs(wrap_angle(new.yaw - old.yaw)) > settings.turn_threshold
            or dist(new.size, old.size) > settings.move_threshold
        )

    def _map(self, news: Iterable[tuple[Thing, Triple, bool]], stamp: str, own_id: str) -> MapInfo:
        settings = self._settings
        scale = settings.scale
        x, y, side = (round(v * scale) for v in (settings.map_x, settings.map_y, settings.map_side))
        blips = tuple(
            self._blip(thing, speed, gone, stamp, thing.id == own_id) for thing, speed, gone in news
        )
        if settings.dialect != "final":
            return MapInfo(global_position_x=x, global_position_y=y, global_position_offset=side, blips=blips)
        first, self._first = self._first, False
        return MapInfo(
            global_position_x=x,
            global_position_y=y,
            global_position_z=0,
            global_position_offset=side,
            global_position_offset_x=side,
            global_position_offset_y=side,
            global_position_offset_z=side,
            global_floor_height=0,
            map_name=settings.map_name,
            is_first_time_percept_world=first,
            timestamp=stamp,
            map_data=(MapData(tuple(map_thing(blip) for blip in blips)),),
        )

    def _blip(self, thing: Thing, speed: Triple, gone: bool, stamp: str, own: bool) -> Blip:
        entity = self._own_entity() if own else self._entity(thing)
        if gone:  # the schema requires place and rotation here too
            properties = (("remove", "true"), *self._size(thing))
            return Blip(stamp, entity, NO_VECTOR, properties=properties)
        scale = self._settings.scale
        x, y, z = (round(value * scale, 3) for value in thing.position)
        yaw = round(self._settings.yaw_out(thing.yaw), 6)
        still = speed == STILL
        return Blip(
            stamp,
            entity,
            Vector(x, y, z),
            NO_ROTATION if yaw == 0.0 else Rotation(0.0, 0.0, yaw),
            NO_VECTOR if still else Vector(*(round(value, 4) for value in speed)),
            properties=self._properties(thing),
        )

    def _own_entity(self) -> Entity:
        settings = self._settings
        return Entity(
            settings.agent_id,
            settings.agent_type,
            settings.agent_name,
            settings.owner_id,
            settings.owner_name,
        )

    def _entity(self, thing: Thing) -> Entity:
        known = dict(thing.properties)
        owner = known.get("owner", "")
        return Entity(
            self._ids.to_wire(thing.id),
            self._settings.kind(thing.kind),
            clean(known.get("name", "") or thing.id),
            self._ids.to_wire(owner) if owner else "",
            self._owner_name(owner) if owner else "",
        )

    def _owner_name(self, owner: str) -> str:
        if self._ids.is_own(owner):
            return self._settings.agent_name or self._settings.agent_id
        return clean(self._names.get(owner) or owner)

    def _properties(self, thing: Thing) -> Properties:
        own: dict[str, str] = {}
        for name, value in thing.properties:
            if name and name not in RESERVED and name not in ("name", "owner"):
                own[clean(name)] = clean(value)
        if "owner" in dict(thing.properties) and self._settings.dialect == "final":
            own["owner-id"] = self._ids.to_wire(dict(thing.properties)["owner"])
        return (
            ("visibility-status", "visible" if thing.visible else "non-visible"),
            *self._size(thing),
            ("detector", "true"),
            ("class", clean(thing.kind) or "unknown"),
            *own.items(),
        )

    def _size(self, thing: Thing) -> Properties:
        scale = self._settings.scale
        length, width, height = (repr(round(max(value, 0.0) * scale, 3)) for value in thing.size)
        return (("length", length), ("width", width), ("height", height))


def map_thing(blip: Blip) -> MapThing:
    """Convert a blip to the payload of the dialect ``final``."""
    known: Mapping[str, str] = dict(blip.properties)
    length, width, height = (float(known.get(name, "0")) for name in ("length", "width", "height"))
    rest = tuple(pair for pair in blip.properties if pair[0] not in ("length", "width", "height"))
    return MapThing(
        blip.entity.id,
        blip.entity.name,
        blip.entity.type,
        blip.position,
        blip.rotation,
        blip.velocity,
        length,
        width,
        height,
        rest,
    )


def _usable(thing: Thing) -> bool:
    numbers = (*thing.position, thing.yaw, *thing.size)
    return bool(thing.id) and all(isfinite(value) and abs(value) < FARTHEST for value in numbers)


LARGEST = 1e4  # m


def read_things(path: Path | str) -> tuple[Thing, ...]:
    """The things of a YAML file (m, rad, in ``map``).

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be used; the text names file, key and value.
    """
    return parse_things(read_text(Path(path), "file of things"), str(path))


def parse_things(text: str, where: str) -> tuple[Thing, ...]:
    """Like ``read_things``, from a text. Error messages call its file ``where``."""
    top = parse(text, where)
    things = top.section("things")
    top.close()
    return tuple(_thing(name, things.section(name)) for name in things.names())


def _thing(name: str, section: Section) -> Thing:
    x, y, z = section.numbers("position", 3, -FARTHEST, FARTHEST)
    size = section.numbers("size", 3, 0.0, LARGEST) if section.has("size") else (0.0, 0.0, 0.0)
    own = section.section("properties") if section.has("properties") else None
    thing = Thing(
        name,
        section.text("kind", default="object"),
        (x, y, z),
        section.number("yaw", -100.0, 100.0, default=0.0),
        (size[0], size[1], size[2]),
        True,
        tuple((key, own.text(key)) for key in own.names()) if own else (),
    )
    section.close()
    return thing
