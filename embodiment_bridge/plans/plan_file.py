# SPDX-License-Identifier: Apache-2.0
"""Reads a plan file (``config/plans/<name>.yaml``, described in docs/plans.md): which skills do which actions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import pi
from pathlib import Path
from typing import Final

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.plans.action import TYPES, Action, snake_case
from embodiment_bridge.plans.routine import Routine, Stage
from embodiment_bridge.plans.signature import Signature, Slot, bind
from embodiment_bridge.plans.stages import (
    GAZE_HEIGHT,
    GO_TO,
    KINDS,
    LONGEST_SLOT_S,
    Gait,
    StageEntry,
    stage,
    wanted,
)

VOCABULARY: Final = Path(__file__).with_name("vocabulary.yaml")
WALKS: Final = (GO_TO, "walk", "step_forward")
OFF_THE_FLOOR: Final = ("fly", "fly_follow", "jump_toward", "jump_forward", "jump_up")
DURATION: Final = "duration"  # the parameter of all actions that last for some time, s
TURNS: Final = ("absolute", "relative")
# Keys of ``gait`` from before the skill go_to did the walking.
FORMER: Final = ("forward", "distance", "least_distance", "most_distance", "aim", "near", "walk", "speed")
_SLOT: Final = re.compile(r"(\[)?([a-z_]+):([a-z]+)(\])?")


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file. ``stages``: the stages of each action that the file defines, by its name in snake_case.

    repeated: actions that are done again and again until their ``duration`` is over; the others wait for its end.
    void: keys of the file that have no effect any more.
    """

    name: str
    gait: Gait
    relative_turn: bool
    signatures: Mapping[str, Signature]
    stages: Mapping[str, tuple[StageEntry, ...]]
    repeated: frozenset[str] = frozenset()
    void: tuple[str, ...] = ()

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
        entries = self.stages.get(name)
        if entries is None:
            return False
        walks = all(entry.skill in WALKS for entry in entries)
        return not (name in OFF_THE_FLOOR and walks)

    def routine(self, action: Action) -> Routine:
        """The routine that carries out an action.

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
        entries = [entry for entry in self.stages[name] if wanted(entry, bound)]

        def make() -> list[Stage]:
            return [stage(entry, bound, self.gait, self.relative_turn) for entry in entries]

        try:
            stages = make()
        except CommandError as error:
            raise CommandError(f"action {action.name!r}: {error}") from None
        named = [entry.skill for entry in entries if entry.skill]
        lasts = bound[DURATION].number if DURATION in bound else None
        again = make if name in self.repeated else None
        return Routine(action.name, stages, named, min(max(lasts or 0.0, 0.0), LONGEST_SLOT_S), again)

    def skills(self) -> frozenset[str]:
        """All skills that the file uses, to compare with those of a body."""
        named = {entry.skill for entries in self.stages.values() for entry in entries if entry.skill}
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
    gait, void = _gait(top.section("gait")) if top.has("gait") else (Gait(), ())
    relative = top.text("turn", TURNS, default="absolute") == "relative"
    actions = top.section("actions")
    actions.require(signatures)
    stages = {name: _stages(actions, name, signatures[name]) for name in actions.names()}
    lasting = [name for name, done in stages.items() if done and _lasts(signatures[name])]
    repeated = top.texts("repeated", lasting) if top.has("repeated") else ()
    top.close()
    return PlanFile(Path(where).name, gait, relative, signatures, stages, frozenset(repeated), void)


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
    return Signature(name, tuple(slots))


def _lasts(signature: Signature) -> bool:
    return any(slot.name == DURATION for slot in signature.slots)


def _gait(section: Section) -> tuple[Gait, tuple[str, ...]]:
    """The gait, and the names of the keys that have no effect any more."""
    usual = Gait()
    gait = Gait(
        section.text("left", default=usual.left),
        section.text("right", default=usual.right),
        section.text("angle", default=usual.angle),
        section.number("least_angle", 0.001, 100.0, default=usual.least_angle),
        section.number("height", 0.001, 100.0, default=usual.height),
    )
    void = tuple(key for key in FORMER if section.has(key) and section.value(key) is not None)
    section.close()
    return gait, void


def _stages(actions: Section, name: str, signature: Signature) -> tuple[StageEntry, ...]:
    known = {slot.name for slot in signature.slots}
    entries = []
    for section in actions.sections(name):
        entry = _entry(section)
        for parameter in entry.needs():
            if parameter not in known:
                raise ConfigError(f"{section.name()}: {unknown(f'parameter of {name}', parameter, known)}")
        section.close()
        entries.append(entry)
    return tuple(entries)


def _entry(section: Section) -> StageEntry:
    kinds = [kind for kind in KINDS if section.has(kind)]
    if len(kinds) != 1:
        raise ConfigError(f"{section.name()}: needs exactly one of {', '.join(KINDS)}")
    kind = kinds[0]
    when = section.text("when", default="")
    if kind in ("turn_by", "gaze"):
        amount = section.number(kind, -2 * pi, 2 * pi)
        height = section.number("height", -100.0, 100.0, default=GAZE_HEIGHT) if kind == "gaze" else 0.0
        return StageEntry(kind, amount=amount, height=height, when=when)
    subject = section.text(kind)
    if kind in ("approach", "follow"):
        within = section.number("within", 0.0, 100.0, default=0.0)
        if kind == "follow":
            return StageEntry(kind, subject, within, slot=section.text("slot", default=""), when=when)
        return StageEntry(kind, subject, within, speed=section.text("speed", default=""), when=when)
    if kind != "skill":
        return StageEntry(kind, subject, when=when)
    offered = section.section("offer") if section.has("offer") else None
    taken = section.section("with") if section.has("with") else None
    given = section.section("set") if section.has("set") else None
    return StageEntry(
        kind,
        subject,
        taken={key: taken.text(key) for key in taken.names()} if taken else {},
        given={key: _constant(given, key) for key in given.names()} if given else {},
        slot=section.text("slot", default=""),
        offered={key: offered.text(key) for key in offered.names()} if offered else {},
        moves=section.text("moves", default=""),
        takes=section.text("takes", default=""),
        when=when,
    )


def _constant(section: Section, key: str) -> float | str:
    return section.text(key) if isinstance(section.value(key), str) else section.number(key)
