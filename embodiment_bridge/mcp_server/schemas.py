# SPDX-License-Identifier: Apache-2.0
"""The ten tools: JSON schemas made from what the body has now, and the check of the arguments of a call."""

import json
import math
import sys
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import mcp.types as types

from embodiment_bridge.body.state import ParameterInfo, SkillInfo
from embodiment_bridge.core.errors import CommandError, quoted, unknown
from embodiment_bridge.mcp_server.answers import plain


class Arguments:
    """Each method gives one argument, or raises CommandError: the argument, its value and what it may be."""

    def __init__(self, tool: str, given: Mapping[str, object] | None, known: Iterable[str]) -> None:
        self._given = dict(given or {})
        names = tuple(known)
        for name in self._given:
            if name not in names:
                raise CommandError(unknown(f"argument of {tool}", name[:60], names))

    def has(self, name: str) -> bool:
        """Whether it was given, and is not null."""
        return self._given.get(name) is not None

    def text(self, name: str, longest: int) -> str:
        """A text with at least one character that is not blank."""
        value = self._value(name)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(name, "a text")
        if len(value) > longest:
            raise CommandError(f"argument {name!r} has {len(value)} characters; {longest} is the limit")
        return value

    def number(self, name: str, lower: float, upper: float) -> float:
        """A finite number within a range."""
        value = meant(self._value(name))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not lower <= value <= upper:
            raise self._wrong(name, f"a number within {lower:g} to {upper:g}")
        return float(value)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false; ``default`` where it is not given."""
        if default is not None and not self.has(name):
            return default
        value = meant(self._value(name))
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def mapping(self, name: str) -> dict[str, object]:
        """An object."""
        value = meant(self._value(name))
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return value

    def parameters(self, name: str, numbers: Collection[str]) -> dict[str, float | str]:
        """Parameters of a skill: an object of finite numbers and texts; empty where it is not given.

        numbers: names of those that are no texts.
        """
        if not self.has(name):
            return {}
        found: dict[str, float | str] = {}
        for key, given in self.mapping(name).items():
            value = meant(given) if key in numbers else given
            is_number = (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and abs(value) <= sys.float_info.max
            )
            if isinstance(value, str) or (is_number and isinstance(value, (int, float))):
                found[key] = value
            else:
                raise CommandError(f"parameter {key[:60]!r} is {quoted(value)}, not a number or a text")
        return found

    def _value(self, name: str) -> object:
        if not self.has(name):
            raise CommandError(f"the argument {name!r} is missing")
        return self._given[name]

    def _wrong(self, name: str, should: str) -> CommandError:
        return CommandError(f"argument {name!r} is {quoted(self._given[name])}, not {should}")


def meant(value: object) -> object:
    """The value of a text that is exactly one value of JSON, as some hosts send numbers and objects; else the same."""
    if not isinstance(value, str):
        return value
    try:
        found: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found


Schema = dict[str, object]
LONGEST_WAIT: Final = 300.0  # s
LONGEST_SPEECH: Final = 1000  # characters
LONGEST_NAME: Final = 100  # characters of a thing
LOOKS: Final = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
MOVES: Final = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
ENDS: Final = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True)
NAMES: Final = (
    "robot_state",
    "list_skills",
    "do_skill",
    "go_to",
    "say",
    "check_behavior",
    "run_behavior",
    "wait",
    "stop",
    "hold",
)


def tools(skills: Mapping[str, SkillInfo]) -> list[types.Tool]:
    """All ten, whatever the body has: only the schemas change."""
    usable = [skill for skill in skills.values() if skill.available]
    document: Schema = {
        "type": "object",
        "description": "a BML document; the resource bml://guide has the language",
    }
    going: Schema = {
        "x": _number("m in the frame map"),
        "y": _number("m in the frame map"),
        "yaw": _number("rad, the heading there"),
        "thing": _text("id or kind of a thing that robot_state names", LONGEST_NAME),
    }
    what = {"type": "string", "description": "run, heard, or seen NAME, such as: seen ball", "maxLength": 120}
    return [
        _tool("robot_state", "What the robot is doing, where it is, what it sees and heard.", {}, (), LOOKS),
        _tool("list_skills", "The robot's skills with parameters, units, ranges and times.", {}, (), LOOKS),
        _tool("do_skill", _doing(usable), _skill_schema(usable), ("name",), MOVES),
        _tool("go_to", "Walk to a place (x and y), or to a thing (its id or kind).", going, (), MOVES),
        _tool("say", "Say a text aloud.", {"text": _text("what to say", LONGEST_SPEECH)}, ("text",), MOVES),
        _tool(
            "check_behavior",
            "Check a BML document without running it: all problems with JSON pointers, and how long it takes.",
            {"document": document},
            ("document",),
            LOOKS,
        ),
        _tool(
            "run_behavior",
            "Run a BML document (a behaviour tree of skills) and wait for its end. It replaces what runs.",
            {
                "document": document,
                "background": {
                    "type": "boolean",
                    "description": "true: return as soon as it runs; then wait for run",
                },
            },
            ("document",),
            MOVES,
        ),
        _tool(
            "wait",
            "Wait until what runs has ended (run), somebody speaks (heard), or a thing is in sight (seen NAME).",
            {
                "for": what,
                "timeout": {"type": "number", "description": "s", "minimum": 0, "maximum": LONGEST_WAIT},
            },
            ("for", "timeout"),
            LOOKS,
        ),
        _tool("stop", "End everything that the robot does, now.", {}, (), ENDS),
        _tool(
            "hold",
            "Freeze the robot in mid-motion (on true), or let go on what you froze (on false).",
            {"on": {"type": "boolean"}},
            ("on",),
            MOVES,
        ),
    ]


def describe(skill: SkillInfo) -> str:
    """One line about a skill."""
    time = f"{skill.nominal_s:g} s" if skill.nominal_s else "at once"
    parameters = ", ".join(map(_parameter, skill.details or map(ParameterInfo, skill.parameters)))
    return plain(
        f"{skill.name} ({time}): {skill.description}" + (f" Parameters: {parameters}" if parameters else ""),
        600,
    )


def _parameter(info: ParameterInfo) -> str:
    words = [info.name]
    if info.type == "number" and math.isfinite(info.minimum):
        words.append(f"{info.minimum:g} to {info.maximum:g} {'' if info.unit == '1' else info.unit}".strip())
    if info.choices:
        words.append("one of " + "|".join(info.choices))
    if info.required:
        words.append("required")
    elif info.default:
        words.append(f"default {info.default}")
    return " ".join(words)


def _tool(
    name: str, description: str, properties: Schema, required: Iterable[str], hints: types.ToolAnnotations
) -> types.Tool:
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    needed = list(required)
    if needed:
        schema["required"] = needed
    return types.Tool(name=name, description=description, input_schema=schema, annotations=hints)


def _doing(skills: list[SkillInfo]) -> str:
    return f"Do one of the robot's {len(skills)} skills and wait for its end. list_skills explains them."


def _skill_schema(skills: list[SkillInfo]) -> Schema:
    with_some = [skill for skill in skills if skill.parameters]
    forms: list[object] = [_parameters_schema(skill) for skill in with_some]
    return {
        "name": {"type": "string", "enum": [plain(skill.name) for skill in skills]},
        "parameters": {
            "type": "object",
            "description": "of the skill, in SI units",
            "anyOf": [{"title": "skills without parameters", "type": "object", "maxProperties": 0}, *forms],
        },
    }


def _parameters_schema(skill: SkillInfo) -> Schema:
    details = skill.details or tuple(ParameterInfo(name, type="") for name in skill.parameters)
    schema: Schema = {
        "title": plain(skill.name),
        "description": plain(skill.description, 200),
        "type": "object",
        "properties": {info.name: _value(info) for info in details},
        "additionalProperties": False,
    }
    needed = [info.name for info in details if info.required]
    return {**schema, "required": needed} if needed else schema


def _value(info: ParameterInfo) -> Schema:
    text = plain(f"{info.description} {'' if info.unit == '1' else info.unit}", 200)
    if info.type == "number":
        schema: Schema = {"type": "number", "description": text}
        if math.isfinite(info.minimum):
            schema["minimum"] = info.minimum
        if math.isfinite(info.maximum):
            schema["maximum"] = info.maximum
        return schema
    if info.type == "":
        return {"type": ["number", "string"], "description": text}
    schema = {"type": "string", "description": text}
    return {**schema, "enum": list(info.choices)} if info.choices else schema


def _number(text: str) -> Schema:
    return {"type": "number", "description": text}


def _text(text: str, longest: int) -> Schema:
    return {"type": "string", "description": text, "maxLength": longest}
