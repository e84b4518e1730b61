# SPDX-License-Identifier: Apache-2.0
"""The ten tools: JSON schemas made from what the body has now, and the check of the arguments of a call."""

import json
import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Final

import mcp.types as types

from embodiment_bridge.bml.nodes.registry import WRITTEN
from embodiment_bridge.body.state import ParameterInfo, SkillInfo
from embodiment_bridge.core.errors import CommandError, quoted, unknown
from embodiment_bridge.mcp_server.answers import plain

# Words in the names of keys that hosts add to a call for themselves (toolCallId, sessionId, chatInput, random_string).
OF_HOSTS: Final = re.compile(
    "action|call|chat|comment|dummy|explanation|id|meta|progress|random|reason|reasoning|request|session|summary|"
    "thought|tool|trace"
)
WORD: Final = re.compile(r"[A-Z]?[a-z]+")


def _is_of_host(key: str, known: Collection[str]) -> bool:
    """Whether a key is a host's own. One that is like an argument of the tool is a slip of the model."""
    of_host = any(OF_HOSTS.fullmatch(word.lower()) for word in WORD.findall(key))
    return of_host and not get_close_matches(key, known)


class Arguments:
    """Each method gives one argument, or raises CommandError: the argument, its value and what it may be.

    A text that is empty was not given. What a host adds for itself is left out.
    """

    def __init__(self, tool: str, given: Mapping[str, object] | None, known: Iterable[str]) -> None:
        self._given = dict(given or {})
        names = tuple(known)
        for name, value in self._given.items():
            if name not in names and not _is_of_host(name[:60], names):
                text = unknown(f"argument of {tool}", name[:60], names)
                raise CommandError(f"{text}; its value is {quoted(value)}")

    def has(self, name: str) -> bool:
        """Whether it was given, and is neither null nor an empty text."""
        return self._given.get(name) not in (None, "")

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

    def parameters(self, name: str, texts: Collection[str]) -> dict[str, float | str]:
        """Parameters of a skill: an object of finite numbers and texts; empty where it is not given.

        texts: names of those that are no numbers.
        """
        if not self.has(name):
            return {}
        found: dict[str, float | str] = {}
        for key, given in self.mapping(name).items():
            value = given if key in texts else meant(given)
            if (
                isinstance(value, int | float)
                and not isinstance(value, bool)
                and abs(value) <= sys.float_info.max
            ):
                found[key] = value
            elif isinstance(given, str):
                if given:
                    found[key] = given
            elif given is not None:
                raise CommandError(f"parameter {key[:60]!r} is {quoted(given)}, not a number or a text")
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
ONE_BY_ONE: Final = (
    "It replaces what moves the same parts of the robot; what moves others pauses meanwhile and goes on."
)
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
    document = _node(
        "a BML document: nodes with all their keys, to any depth; the resource bml://guide has the language",
        behaviors={
            "type": "array",
            "items": _node("a node"),
            "description": "of composites: the nodes below",
        },
    )
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
        _tool(
            "go_to",
            f"Walk to a place (x and y), or to a thing (its id or kind). {ONE_BY_ONE}",
            going,
            (),
            MOVES,
        ),
        _tool(
            "say",
            f"Say a text aloud. {ONE_BY_ONE}",
            {"text": _text("what to say", LONGEST_SPEECH)},
            ("text",),
            MOVES,
        ),
        _tool(
            "check_behavior",
            "Check a BML document without running it: all problems with JSON pointers, and how long it takes.",
            {"document": document},
            ("document",),
            LOOKS,
        ),
        _tool(
            "run_behavior",
            "Run a BML document (a behaviour tree of skills) and wait for its end. It replaces all that runs; "
            "what is to be done at once belongs into one document (parallel).",
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
            {"on": {"type": "boolean", "description": "false: let go"}},
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
    schema: Schema = {"type": "object", "properties": properties}
    needed = list(required)
    if needed:
        schema["required"] = needed
    return types.Tool(name=name, description=description, input_schema=schema, annotations=hints)


def _node(description: str, **more: Schema) -> Schema:
    kind = _text(f"one of {', '.join(sorted(WRITTEN))}", 64)
    properties: Schema = {"type": kind, "action": _text("of a body node: a skill", 64), **more}
    return {"type": "object", "description": description, "properties": properties}


def _doing(skills: list[SkillInfo]) -> str:
    return f"Do one of the robot's {len(skills)} skills and wait for its end. list_skills explains them. {ONE_BY_ONE}"


# What follows keeps to what the strictest providers of models take: no object without properties, no list of types, no
# anyOf, no empty list of choices, names of keys in ASCII. The server looks at each value itself.
KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def _skill_schema(skills: list[SkillInfo]) -> Schema:
    name = _choices("a skill of list_skills", [plain(skill.name) for skill in skills])
    users: dict[str, list[tuple[str, ParameterInfo]]] = {}
    for skill in skills:
        for info in skill.details or (ParameterInfo(one, type="") for one in skill.parameters):
            if KEY.fullmatch(info.name):
                users.setdefault(info.name, []).append((skill.name, info))
    if not users:
        return {"name": name}
    properties = {key: _value(several) for key, several in users.items()}
    parameters = {"type": "object", "description": "of the skill, in SI units", "properties": properties}
    return {"name": name, "parameters": parameters}


def _value(users: list[tuple[str, ParameterInfo]]) -> Schema:
    """The parameter of this name of several skills: what one of them takes is valid."""
    told = (f"{skill}: {_parameter(info)}. {info.description}".rstrip(" .") for skill, info in users)
    text = plain("; ".join(told), 400)
    infos = [info for _, info in users]
    if any(info.type != "number" for info in infos):
        open_to_all = not all(info.choices for info in infos)
        return _choices(text, [] if open_to_all else [one for info in infos for one in info.choices])
    schema = _number(text)
    lower, upper = min(info.minimum for info in infos), max(info.maximum for info in infos)
    if math.isfinite(lower):
        schema["minimum"] = lower
    if math.isfinite(upper):
        schema["maximum"] = upper
    return schema


def _choices(text: str, choices: Iterable[str]) -> Schema:
    schema: Schema = {"type": "string", "description": text}
    some = list(dict.fromkeys(filter(None, choices)))
    return {**schema, "enum": some} if some else schema


def _number(text: str) -> Schema:
    return {"type": "number", "description": text}


def _text(text: str, longest: int) -> Schema:
    return {"type": "string", "description": text, "maxLength": longest}
