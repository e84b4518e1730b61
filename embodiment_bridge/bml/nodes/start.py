# SPDX-License-Identifier: Apache-2.0
"""The key ``start``: a node that begins at a word of a sound."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import ClassVar, NamedTuple

from embodiment_bridge.bml.base.problems import Problems, at, short
from embodiment_bridge.bml.base.texts import place_of
from embodiment_bridge.bml.fields.field import Field, Number, Object, Text
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Node, Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import Surroundings, WrapperType
from embodiment_bridge.bml.nodes.sound import Sound
from embodiment_bridge.bml.nodes.timing import NEVER, Lengths, Timing

LATEST_S = 3600.0


@dataclass(frozen=True)
class Mark(Field):
    """Reads a word, or its number."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        mark = raw[key]
        if isinstance(mark, int) and not isinstance(mark, bool) and 0 <= mark <= values.limits.max_text:
            return str(mark)
        return values.text(raw, pointer, key, values.limits.max_name)

    def schema(self) -> Object:
        number = {"type": "integer", "minimum": 0, "maximum": 4000}
        return {"anyOf": [{"type": "string", "maxLength": 200}, number]}


AT = Text("at", "name of a player or speak", required=True)
MARK = Mark("mark", "a word of its text, or its number from 0; left out: as soon as it is heard")
OFFSET = Number("offset", "s after that", high=LATEST_S)
PARTS = (AT, MARK, OFFSET)


class Begin(NamedTuple):
    """Holds the value of ``start``: which sound, which word of it, and how many s later."""

    at: str
    mark: str = ""
    offset_s: float = 0.0


@attributes
class Start(Wrapper):
    """Runs ``child`` from ``offset_s`` after the word ``mark`` of the sound named ``at`` (empty: its beginning)."""

    TYPE: ClassVar[str] = "start"
    at: str
    mark: str = ""
    offset_s: float = 0.0


class StartType(WrapperType[Start]):
    """Describes ``start``, which goes round all other keys."""

    name = "start"
    made = Start
    keys = ("start",)

    def wanted(self, raw: Raw, pointer: str, values: Values) -> Begin | None:
        value, pointer = raw["start"], at(pointer, "start")
        if not isinstance(value, dict):
            values.problems.error(pointer, "WRONG_TYPE", "a start is an object with the key 'at'")
            return None
        for key in value:
            if key not in ("at", "mark", "offset"):
                message = values.problems.unknown("key of a start", key, ("at", "mark", "offset"))
                values.problems.tolerated(at(pointer, key), "UNKNOWN_KEY", message)
        name = values.text(value, pointer, "at", values.limits.max_name, required=True)
        offset = OFFSET.read(value, pointer, "offset", values)
        mark = MARK.read(value, pointer, "mark", values) if "mark" in value else ""
        return Begin(name, mark, offset or 0.0)

    def around(self, node: Node, wanted: Begin) -> Node:
        sound, mark, offset_s = wanted
        return Start(pointer=node.pointer, name=node.name, at=sound, mark=mark, offset_s=offset_s, child=node)

    def written(self, node: Start, objects: Mapping[int, Object]) -> Object:
        given = {"mark": node.mark, "offset": OFFSET.write(node.offset_s)}
        return {"start": {"at": node.at} | {key: value for key, value in given.items() if value}}

    def details(self, node: Start) -> list[str]:
        mark = f" {node.mark!r}" if node.mark else ""
        return [f"from {node.at}{mark}" + (f" + {node.offset_s:g} s" if node.offset_s else "")]

    def schema_of_keys(self) -> dict[str, Object]:
        start = {
            "description": "begins in a parallel, when a sound has come to a word of its text",
            "type": "object",
            "required": ["at"],
            "additionalProperties": False,
            "properties": {part.key: part.described() for part in PARTS},
        }
        return {"start": start}

    def check(self, node: Start, around: Surroundings, problems: Problems) -> None:
        sound = around.sounds.get(node.at)
        if id(node) not in around.begun_together:
            text = (
                "only a child of a parallel begins at a word of a sound: elsewhere it would wait in its turn"
            )
            problems.error(f"{node.pointer}/start", "START_OUTSIDE_PARALLEL", text)
        elif not isinstance(sound, Sound):
            text = problems.unknown("sound to start at", node.at, around.sounds)
            problems.error(f"{node.pointer}/start/at", "UNKNOWN_START", text)
        elif node.mark and place_of(node.mark, sound.content) is None:
            text = f"no word of that sound is {short(node.mark)}: the node begins when the sound ends"
            problems.warning(f"{node.pointer}/start/mark", "UNKNOWN_MARK", text)

    def timing(self, node: Start, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate an unknown duration, as the time of the word is unknown."""
        (child,) = below
        return replace(child, expected_s=inf if child.expects == NEVER else None, max_s=inf)


START = StartType()
