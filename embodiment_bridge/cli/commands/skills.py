# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge skills`: list what a body can do, as a BML document or a client asks for it."""

import argparse
import dataclasses
import json
import math
import sys
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.options import USUAL_BODY, USUAL_SOURCE, add_body_options

if TYPE_CHECKING:
    from embodiment_bridge.body.state import ParameterInfo, SkillInfo

EXAMPLES = """\
examples:
  embodiment_bridge skills
  embodiment_bridge skills --body t1
  embodiment_bridge skills --body ./my_robot.yaml --json
  embodiment_bridge skills --robot /                     # ask the robot of the running graph
In BML: {"type": "body", "action": "GO_TO", "parameters": {"thing": "ball"}}, {"type": "emotion", "action": "HAPPY"}.
With --json each line is a skill, with the ranges and units of its parameters. Exit code 2 if there is no such body.
"""
WIDE = 18  # characters of a name, and of the type of a parameter


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(commands, "skills", "List the actions and emotions of a body.", EXAMPLES, run)
    add_body_options(command)
    command.add_argument("--json", action="store_true", help="one JSON object per line")


def run(arguments: argparse.Namespace) -> int:
    """List them."""
    from embodiment_bridge.body.skill_info import EMOTIONS
    from embodiment_bridge.cli.robots.robot import ask_robot, body_skills

    if arguments.robot is not None:
        skills = ask_robot(arguments.robot, USUAL_SOURCE).skills
    else:
        skills = body_skills(arguments.body or USUAL_BODY)
    if arguments.json:
        sys.stdout.writelines(f"{_json(skill)}\n" for skill in skills.values())
        return 0
    emotions = [skills[name] for name in EMOTIONS if name in skills]
    actions = sorted((skill for skill in skills.values() if skill not in emotions), key=lambda it: it.name)
    for title, listed in (("actions", actions), ("emotions", emotions)):
        sys.stdout.write(f"{len(listed)} {title}\n")
        sys.stdout.writelines(line for skill in listed for line in _lines(skill))
    return 0


def _json(skill: "SkillInfo") -> str:
    facts = dataclasses.asdict(skill)
    del facts["parameters"]  # the details have their names
    for parameter in facts["details"]:
        for bound in ("minimum", "maximum"):
            parameter[bound] = parameter[bound] if math.isfinite(parameter[bound]) else None
    return json.dumps(facts, ensure_ascii=False)


def _lines(skill: "SkillInfo") -> list[str]:
    """Return the skill with its channels (else why it only waits), and a line for each parameter."""
    channels = "+".join(skill.channels) or "no channel"
    lacking = "" if skill.available else "; this body lacks one of them: it only waits for the time"
    first = (
        f"  {skill.name.upper():<{WIDE}} {skill.description} [{channels}, {skill.nominal_s:g} s{lacking}]\n"
    )
    return [first, *(f"      {each.name:<{WIDE - 4}} {_parameter(each)}\n" for each in skill.details)]


def _parameter(info: "ParameterInfo") -> str:
    if info.type == "number":
        unit = "" if info.unit == "1" else f" {info.unit}"
        kind = f"{info.minimum:g} to {info.maximum:g}{unit}"
    else:
        kind = ", ".join(info.choices) or info.type
    usual = "required" if info.required else f"default {info.default}" if info.default else ""
    return f"{kind:<{WIDE}} {info.description}{f' ({usual})' if usual else ''}".rstrip()
