# SPDX-License-Identifier: Apache-2.0
"""``body``: an action of the body."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from embodiment_bridge.bml.base.problems import Problems, at, short
from embodiment_bridge.bml.fields.field import Duration, Field, Number, Object, SkillParameters
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import Given, NodeType, Skills, Surroundings, Use
from embodiment_bridge.bml.nodes.timing import Lengths, Timing, sound_or_motion
from embodiment_bridge.body.description import AUDIO, LEGS
from embodiment_bridge.body.skill_info import SETTLE_S
from embodiment_bridge.body.state import CONTROL_ACTIONS, CONTROL_PARAMETER, ParameterInfo, SkillInfo


def check_parameters(
    given: Mapping[str, float | str], skill: SkillInfo, pointer: str, problems: Problems
) -> None:
    """Note an error for each parameter that the skill does not take so, and for each missing one."""
    where = at(pointer, "parameters")
    details = {one.name: one for one in skill.details}
    for name, value in given.items():
        if name not in skill.parameters:
            text = problems.unknown(f"parameter of {skill.name.upper()}", name, skill.parameters)
            problems.error(at(where, name), "UNKNOWN_PARAMETER", text)
        elif name in details and (should := _should(details[name], value)):
            problems.error(at(where, name), "BAD_PARAMETER", f"'{name}' is {short(value)}, not {should}")
    for name, info in details.items():
        if info.required and name not in given:
            problems.error(pointer, "MISSING_PARAMETER", f"{skill.name.upper()} needs the parameter '{name}'")


def _should(info: ParameterInfo, value: float | str) -> str:
    """Describe the values that are allowed; empty if this is one."""
    if info.type != "number":
        if info.choices and value not in info.choices:
            return f"one of {', '.join(info.choices)}"
        return ""
    unit = "" if info.unit in ("", "1") else f" {info.unit}"
    if isinstance(value, str) or not info.minimum <= value <= info.maximum:
        return f"a number within {info.minimum:g} to {info.maximum:g}{unit}"
    return ""


SPEECH = f"{AUDIO}:speech"  # the player's channel of a skill that speaks; other sounds go on beside it
ACTION = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class ActionName(Field):
    """Reads the name of an action, in any case.

    Tolerantly also with ``-``, space or backslash underscore for ``_``.
    """

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        text = values.text(raw, pointer, key, values.limits.max_text, required=True)
        if ACTION.fullmatch(text):
            return text.upper()
        name = re.sub(r"\\_|[ -]", "_", text).upper()
        if ACTION.fullmatch(name):
            message = f"the action {short(text)} is read as {name}"
            values.problems.tolerated(at(pointer, key), "ACTION_SPELLING", message)
            return name
        if text:  # an empty text is noted already
            message = f"{short(text)} is not the name of an action (a letter, then at most 63 letters, digits and '_')"
            values.problems.error(at(pointer, key), "BAD_ACTION", message)
        return ""

    def schema(self) -> Object:
        return {"type": "string", "pattern": f"^{ACTION.pattern}$"}


@dataclass(frozen=True)
class Intensity(Number):
    """Reads an intensity from 0 to 1."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> float:
        found = super().read(raw, pointer, key, values)
        return 1.0 if found is None else found


def action_fields(*aliases: str) -> tuple[Field, ...]:
    """Return the keys of an action, whose name may stand under other keys in tolerant reading."""
    return (
        ActionName(
            "action", "in any case; the body's table says which there are", required=True, aliases=aliases
        ),
        Duration("duration", "s; the slot of the motion, 0 for its natural length", attribute="duration_s"),
        Intensity("intensity", "0 (none) to 1 (full), default 1"),
    )


@attributes
class Body(Leaf):
    """Describes a body or emotion action (``kind``): upper case name, slot in s (0: natural length).

    ``parameters`` are those of the skill by name, in SI units. ``action_key`` is the key that named the action in
    the text (an emotion may use others), for pointers.
    """

    kind: str
    action: str
    duration_s: float = 0.0
    intensity: float = 1.0
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    action_key: str = field(default="action", compare=False)

    @property
    def type_name(self) -> str:
        return self.kind


class BodyType(NodeType[Body]):
    """Describes ``body``: a skill of the body in a slot."""

    name = "body"
    meaning = "moves or lights the body"
    made = Body
    fields = (*action_fields(), SkillParameters("parameters", "of the skill, by name, in SI units"))

    def values_in(self, raw: Raw, pointer: str, values: Values) -> Given:
        found = super().values_in(raw, pointer, values)
        found["kind"] = self.name
        return found

    def label(self, node: Body) -> str:
        return node.action

    def title(self, node: Body) -> str:
        return f"{node.action} {node.duration_s:g} s" if node.duration_s else node.action

    def check(self, node: Body, around: Surroundings, problems: Problems) -> None:
        where = f"{node.pointer}/{node.action_key}"
        skill = around.skills.get(node.action.lower())
        if skill is None:
            choices = [name.upper() for name in around.skills]
            if node.action.lower() in CONTROL_ACTIONS:
                text = f"{node.action} is off here; the parameter {CONTROL_PARAMETER} switches it on"
            else:
                text = problems.unknown(f"{node.kind} action", node.action, choices)
            problems.add(where, "UNKNOWN_ACTION", text, fatal=not around.skip_unknown)
            return
        check_parameters(node.parameters, skill, node.pointer, problems)
        if not skill.available:
            lacking = ", ".join(skill.channels) or "what it needs"
            text = f"this body lacks {lacking}: {node.action} only takes its time"
            problems.warning(where, "MISSING_CHANNEL", text)
        elif 0.0 < node.duration_s < skill.min_s:
            text = f"{node.action} takes at least {skill.min_s:g} s, its slot is {node.duration_s:g} s"
            problems.warning(f"{node.pointer}/duration", "SLOT_TOO_SHORT", text)

    def uses(self, node: Body, skills: Skills) -> Use:
        skill = skills.get(node.action.lower())
        return Use(node.action, () if skill is None else tuple(skill.channels), node.action_key)

    def drives(self, node: Body, skills: Skills) -> tuple[str, ...]:
        skill = skills.get(node.action.lower())
        if skill is None or not skill.available:
            return ()
        return tuple(SPEECH if channel == AUDIO else channel for channel in skill.channels)

    def timing(self, node: Body, below: list[Timing], lengths: Lengths) -> Timing:
        skill, slot = lengths.skills.get(node.action.lower()), node.duration_s
        if skill is None:
            return sound_or_motion(slot or None)
        if slot > 0.0:
            timing = sound_or_motion(max(slot, skill.min_s) if skill.available else slot)
        else:  # a light without a slot is switched and left on
            timing = sound_or_motion(0.0 if skill.kind == "light" else skill.nominal_s)
        stands = skill.available and LEGS in skill.channels  # such a skill waits until the body is quiet
        return replace(timing, max_s=timing.max_s + SETTLE_S) if stands else timing


BODY = BodyType()


class EmotionType(BodyType):
    """Describes ``emotion``: an emotion in a slot, read like a body action."""

    name = "emotion"
    meaning = "shows an emotion"
    fields = action_fields("emotion", "expression")

    def values_in(self, raw: Raw, pointer: str, values: Values) -> dict[str, Any]:
        key = next((key for key in ("action", "emotion", "expression") if key in raw), "action")
        return {**super().values_in(raw, pointer, values), "action_key": key}


EMOTION = EmotionType()
