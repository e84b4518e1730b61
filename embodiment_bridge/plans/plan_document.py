# SPDX-License-Identifier: Apache-2.0
"""Compiles a plan to one BML document: a sequence with a node for each action, at ``/behaviors/0`` and so on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.core.rotation import RAD_PER_DEG, wrap_angle
from embodiment_bridge.core.unicode_text import one_line
from embodiment_bridge.plans.action import NUMBERS, Action, Parameter, snake_case
from embodiment_bridge.plans.plan_file import DURATION, GO_TO, PlanFile, Step

ON_ERROR: Final = ("stop", "continue", "retry")  # the first is the default
MAX_STEPS: Final = 1000
LONGEST_SLOT_S: Final = 600.0
LONGEST_S: Final = 86_400.0  # that a document may give to a node
AGAIN_AFTER_S: Final = 0.5  # s between two executions of a step that is repeated
LONGEST_NAME, LONGEST_REASON = 80, 1000
AXES: Final = {"x": 0, "y": 1, "z": 2, "roll": 0, "pitch": 1, "yaw": 2}

Object = dict[str, Any]
Bound = Mapping[str, Parameter]
Skills = Mapping[str, SkillInfo]


@dataclass(frozen=True, slots=True)
class Options:
    """The treatment of a failed action (see ``ON_ERROR``), and the longest time of an attempt in s."""

    on_error: str = ON_ERROR[0]
    retries: int = 3
    timeout_s: float = 60.0


def in_order(actions: Sequence[Action], options: Options) -> list[Action]:
    """The actions by ascending sequence number; those with the same number as they come.

    Raises:
        ConfigError: there are too many, a sequence number is below 1, or an option is wrong.
    """
    if len(actions) > MAX_STEPS:
        raise ConfigError(f"the plan has {len(actions)} actions; {MAX_STEPS} are the most")
    for action in actions:
        if action.sequence < 1:
            raise ConfigError(
                f"action {action.name!r} has the sequence number {action.sequence}; the first is 1"
            )
    if options.on_error not in ON_ERROR:
        raise ConfigError(unknown("value of on_error", options.on_error, ON_ERROR))
    if not options.timeout_s > 0.0:
        raise ConfigError(f"a step may take {options.timeout_s} s; it must be more than 0")
    return sorted(actions, key=lambda action: action.sequence)


def plan_document(
    actions: Sequence[Action],
    file: PlanFile,
    skills: Skills,
    options: Options,
    refused: Mapping[int, str],
) -> str:
    """The document of a plan. An action that cannot be done is a node that fails with the reason.

    Args:
        actions: in their order.
        file: the skills that do them.
        skills: of the body, by name.
        options: how a failed action is treated.
        refused: by the place of an action (from 0), why it cannot be done, where that is known already.
    """
    nodes = []
    for place, action in enumerate(actions):
        try:
            if place in refused:
                raise CommandError(refused[place])
            node = _node(action, file, skills, options)
        except CommandError as error:
            text = str(error)[:LONGEST_REASON].replace("{", "{{").replace("}", "}}")
            node = {"type": "log", "text": text, "return": False}
        name = one_line(action.name)[:LONGEST_NAME]
        nodes.append({**node, "name": name} if name else node)
    every = {"failurePolicy": "FailOnAll"} if options.on_error == "continue" else {}
    return json.dumps({"type": "sequence", "name": "plan", **every, "behaviors": nodes})


def _node(action: Action, file: PlanFile, skills: Skills, options: Options) -> Object:
    steps, bound = file.find(action)
    try:
        nodes = [node for step in steps for node in _nodes_of(step, bound, file, skills)]
    except CommandError as error:
        raise CommandError(f"action {action.name!r}: {error}") from None
    lasts = _seconds(bound, DURATION)
    node = _one(nodes)
    if lasts and snake_case(action.name) in file.repeated:
        node = _repeated(nodes, lasts)
    elif lasts:
        node = {"type": "parallel", "behaviors": [node, {"type": "delay", "duration": lasts}]}
    retry = {"retry": options.retries} if options.on_error == "retry" and options.retries else {}
    return {**node, "timeout": min(options.timeout_s, LONGEST_S), **retry}


def _one(nodes: list[Object]) -> Object:
    """The nodes one after the other, as one node."""
    if not nodes:
        return {"type": "delay", "duration": 0}
    return nodes[0] if len(nodes) == 1 else {"type": "sequence", "behaviors": nodes}


def _repeated(nodes: list[Object], seconds: float) -> Object:
    """The nodes again and again; after so many s what still runs is ended, and has done enough."""
    loop = {"type": "loop", "loop": -1, "behavior": _one(nodes)}
    return {"type": "sequence", "duration": seconds, "behaviors": [loop]}


def _nodes_of(step: Step, bound: Bound, file: PlanFile, skills: Skills) -> list[Object]:
    if step.turn:
        if step.turn not in bound:
            raise CommandError(f"parameter {step.turn!r} was not given")
        return _turn(bound[step.turn], file, skills)
    if step.skill == GO_TO:
        _check_height(step, bound, file)
    skill = _skill(step.skill, skills)
    _check_measure(skill, step.given)
    parameters = {**step.given, **_values(step.taken, bound), **_offered(step.offered, bound, skill)}
    node = _body(step.skill, parameters, _seconds(bound, step.slot))
    seconds = _seconds(bound, step.again)
    if not seconds:
        return [node]
    return [_repeated([node, {"type": "delay", "duration": AGAIN_AFTER_S}], seconds)]


def _skill(name: str, skills: Skills) -> SkillInfo:
    info = skills.get(name)
    if info is None:
        raise CommandError(f"the body has no skill {name!r}")
    if not info.available:
        raise CommandError(f"the body lacks {', '.join(info.channels)}, which skill {name!r} needs")
    return info


def _body(skill: str, parameters: Mapping[str, float | str], slot_s: float = 0.0) -> Object:
    slot = {"duration": slot_s} if slot_s else {}
    return {"type": "body", "action": skill.upper(), **slot, "parameters": dict(parameters)}


def _turn(parameter: Parameter, file: PlanFile, skills: Skills) -> list[Object]:
    """Turn to a heading in ``map``, or by a rotation (positive to the left) or a number (degrees to the right)."""
    if parameter.rotation is not None and not file.relative_turn:
        _skill(GO_TO, skills)
        return [_body(GO_TO, {"yaw": wrap_angle(parameter.rotation[2])})]
    gait = file.gait
    turn = -(parameter.number or 0.0) * RAD_PER_DEG if parameter.rotation is None else parameter.rotation[2]
    if abs(turn) < gait.least_angle:
        return []
    side = gait.left if turn > 0.0 else gait.right
    _check_measure(_skill(side, skills), (gait.angle,))
    return [_body(side, {gait.angle: abs(turn)})]


def _check_measure(skill: SkillInfo, names: Iterable[str]) -> None:
    """A body that steps and turns only on the spot has these skills without a measure."""
    for name in names:
        if name not in skill.parameters:
            raise CommandError(f"skill {skill.name!r} of this body has no {name}: it is done in one way only")


def _check_height(step: Step, bound: Bound, file: PlanFile) -> None:
    for source in step.taken.values():
        parameter = bound.get(source.partition(".")[0])
        z = parameter.vector[2] if parameter is not None and parameter.vector is not None else 0.0
        if abs(z) > file.gait.height:
            where = "above" if z > 0.0 else "below"
            raise CommandError(f"the target is {abs(z):.1f} m {where} the floor, on which the body walks")


def _values(sources: Mapping[str, str], bound: Bound) -> dict[str, float | str]:
    values: dict[str, float | str] = {}
    for name, source in sources.items():
        parameter, _, axis = source.partition(".")
        if parameter in bound:
            values[name] = _value(bound[parameter], axis)
    return values


def _value(parameter: Parameter, axis: str) -> float | str:
    triple = parameter.vector or parameter.rotation
    if triple is not None and axis in AXES:
        return triple[AXES[axis]]
    if parameter.type in NUMBERS and parameter.number is not None:
        return parameter.number
    return parameter.value


def _offered(sources: Mapping[str, str], bound: Bound, skill: SkillInfo) -> dict[str, float | str]:
    """The values of those parameters that the skill has; numbers as far as its range goes."""
    ranges = {one.name: (one.minimum, one.maximum) for one in skill.details}
    values = _values({name: sources[name] for name in sources if name in skill.parameters}, bound)
    for name, value in values.items():
        if isinstance(value, str):
            continue
        lower, upper = ranges.get(name, (-inf, inf))
        if value <= 0.0 < lower:
            raise CommandError(f"parameter {sources[name]!r} is {value:g}, not more than 0")
        values[name] = min(max(value, lower), upper)
    return values


def _seconds(bound: Bound, name: str) -> float:
    number = bound[name].number if name in bound else None
    return min(max(number or 0.0, 0.0), LONGEST_SLOT_S)
