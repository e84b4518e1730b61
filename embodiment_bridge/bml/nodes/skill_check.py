# SPDX-License-Identifier: Apache-2.0
"""Checks the parameters that a document gives to a skill against what the body says of them."""

from collections.abc import Mapping

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import Problems, short
from embodiment_bridge.body.state import ParameterInfo, SkillInfo


def check_parameters(
    given: Mapping[str, float | str], skill: SkillInfo, pointer: str, problems: Problems
) -> None:
    """An error for each parameter that the skill does not take so, and for each that it needs."""
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
    """What the value should be; empty if it is that."""
    if info.type != "number":
        if info.choices and value not in info.choices:
            return f"one of {', '.join(info.choices)}"
        return ""
    unit = "" if info.unit in ("", "1") else f" {info.unit}"
    if isinstance(value, str) or not info.minimum <= value <= info.maximum:
        return f"a number within {info.minimum:g} to {info.maximum:g}{unit}"
    return ""
