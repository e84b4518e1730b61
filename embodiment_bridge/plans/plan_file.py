# SPDX-License-Identifier: Apache-2.0
"""Reads a plan file (``config/plans/<name>.yaml``, described in docs/plans.md): which skills do which actions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.plans.action import TYPES, Action, Parameter, Signature, Slot, bind, snake_case

VOCABULARY: Final = Path(__file__).with_name("vocabulary.yaml")
GO_TO: Final = "go_to"
WALKS: Final = (GO_TO, "walk", "step_forward")
OFF_THE_FLOOR: Final = ("fly", "fly_follow", "jump_toward", "jump_forward", "jump_up")
DURATION: Final = "duration"  # the parameter of all actions that last for some time, s
TURNS: Final = ("absolute", "relative")
_SLOT: Final = re.compile(r"(\[)?([a-z_]+):([a-z]+)(\])?")


@dataclass(frozen=True, slots=True)
class Gait:
    """Turns by an angle, and the height to which the body walks.

    left, right, angle: the skills that turn, and their parameter in rad. least_angle: smaller turns are left out, rad.
    height: a place so far above or below the floor of ``map`` cannot be walked to, m.
    """

    left: str = "turn_left"
    right: str = "turn_right"
    angle: str = "angle"
    least_angle: float = 0.1
    height: float = 2.0


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an action: a ``skill``, or a turn by the parameter ``turn`` of the action.

    taken: parameters of the skill and their sources: a parameter of the action, or a component such as ``target.x``.
    offered: the same, for a skill that has them. given: constant parameters. slot: the parameter of the action with
    the length of the skill, s. again: the parameter with the time for which the skill is repeated, s. when: the step
    is left out where this parameter was not given.
    """

    skill: str = ""
    turn: str = ""
    taken: Mapping[str, str] = field(default_factory=dict)
    offered: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, float | str] = field(default_factory=dict)
    slot: str = ""
    again: str = ""
    when: str = ""

    def needs(self) -> tuple[str, ...]:
        """The parameters of the action that the step uses."""
        sources = (name.partition(".")[0] for name in (*self.taken.values(), *self.offered.values()))
        return (*sources, *filter(None, (self.turn, self.slot, self.again, self.when)))


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file. ``steps``: those of each action that the file defines, by its name in snake_case.

    repeated: actions that are done again and again until their ``duration`` is over; the others wait for its end.
    """

    name: str
    gait: Gait
    relative_turn: bool
    signatures: Mapping[str, Signature]
    steps: Mapping[str, tuple[Step, ...]]
    repeated: frozenset[str] = frozenset()

    def with_turn(self, mode: str) -> "PlanFile":
        """A copy in which the action ``turn`` is ``absolute`` or ``relative``.

        Raises:
            ConfigError: ``mode`` is neither.
        """
        if mode not in TURNS:
            raise ConfigError(unknown("turn mode", mode, TURNS))
        return replace(self, relative_turn=mode == "relative")

    def does(self, name: str) -> bool:
        """Whether the file has a way to do an action (in snake_case). Walking is no way to fly or jump."""
        steps = self.steps.get(name)
        if steps is None:
            return False
        walks = all(step.skill in WALKS for step in steps)
        return not (name in OFF_THE_FLOOR and walks)

    def find(self, action: Action) -> tuple[list[Step], Mapping[str, Parameter]]:
        """The steps that do an action, without those that are left out, and its parameters by name.

        Raises:
            CommandError: the action is unknown or not in this file, or a parameter is missing or cannot be read; the
                text says which.
        """
        name = snake_case(action.name)
        signature = self.signatures.get(name)
        if signature is None:
            raise CommandError(unknown("action", action.name[:80], self.signatures))
        if not self.does(name):
            raise CommandError(f"action {action.name!r}: {self.name} has no skill for it")
        bound = bind(action, signature)
        return [step for step in self.steps[name] if not step.when or step.when in bound], bound

    def skills(self) -> frozenset[str]:
        """All skills that the file uses, to compare with those of a body."""
        named = {step.skill for steps in self.steps.values() for step in steps if step.skill}
        return frozenset(named | {self.gait.left, self.gait.right})


def read_plan_file(path: Path | str) -> PlanFile:
    """Read a plan file.

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be used; the text names file, key, value and
            choices.
    """
    return parse_plan_file(read_text(Path(path), "plan file"), str(path))


def parse_plan_file(text: str, where: str) -> PlanFile:
    """Like ``read_plan_file``, from a text. Error messages call its file ``where``."""
    top = parse(text, where)
    signatures = dict(vocabulary())
    if top.has("vocabulary"):
        signatures |= _signatures(top.section("vocabulary"))
    gait = _gait(top.section("gait")) if top.has("gait") else Gait()
    relative = top.text("turn", TURNS, default="absolute") == "relative"
    actions = top.section("actions")
    actions.require(signatures)
    steps = {name: _steps(actions, name, signatures[name]) for name in actions.names()}
    lasting = [
        name for name, done in steps.items() if done and any(s.name == DURATION for s in signatures[name])
    ]
    repeated = top.texts("repeated", lasting) if top.has("repeated") else ()
    top.close()
    return PlanFile(Path(where).name, gait, relative, signatures, steps, frozenset(repeated))


@cache
def vocabulary() -> Mapping[str, Signature]:
    """All known actions, by name."""
    return _signatures(parse(VOCABULARY.read_text(encoding="utf-8"), VOCABULARY.name))


def _signatures(section: Section) -> dict[str, Signature]:
    return {name: _signature(section, name) for name in section.names()}


def _signature(section: Section, name: str) -> Signature:
    slots = []
    for word in section.text(name).split():
        match = _SLOT.fullmatch(word)
        if match is None or bool(match[1]) != bool(match[4]) or match[3] not in TYPES:
            raise section.wrong(name, f"name:type or [name:type], with a type of {', '.join(TYPES)}")
        slots.append(Slot(match[2], match[3], not match[1]))
    return tuple(slots)


def _gait(section: Section) -> Gait:
    usual = Gait()
    gait = Gait(
        section.text("left", default=usual.left),
        section.text("right", default=usual.right),
        section.text("angle", default=usual.angle),
        section.number("least_angle", 0.001, 100.0, default=usual.least_angle),
        section.number("height", 0.001, 100.0, default=usual.height),
    )
    section.close()
    return gait


def _steps(actions: Section, name: str, signature: Signature) -> tuple[Step, ...]:
    known = {slot.name for slot in signature}
    steps = []
    for section in actions.sections(name):
        step = _step(section)
        for parameter in step.needs():
            if parameter not in known:
                raise ConfigError(f"{section.name()}: {unknown(f'parameter of {name}', parameter, known)}")
        section.close()
        steps.append(step)
    return tuple(steps)


def _step(section: Section) -> Step:
    if section.has("skill") == section.has("turn"):
        raise ConfigError(f"{section.name()}: needs exactly one of skill, turn")
    when = section.text("when", default="")
    if section.has("turn"):
        return Step(turn=section.text("turn"), when=when)
    given = section.section("set") if section.has("set") else None
    return Step(
        skill=section.text("skill"),
        taken=_sources(section, "with"),
        offered=_sources(section, "offer"),
        given={key: _constant(given, key) for key in given.names()} if given else {},
        slot=section.text("slot", default=""),
        again=section.text("again", default=""),
        when=when,
    )


def _sources(section: Section, key: str) -> dict[str, str]:
    if not section.has(key):
        return {}
    sources = section.section(key)
    return {name: sources.text(name) for name in sources.names()}


def _constant(section: Section, key: str) -> float | str:
    return section.text(key) if isinstance(section.value(key), str) else section.number(key)
