# SPDX-License-Identifier: Apache-2.0
"""Reads a plan file (``config/plans/<name>.yaml``, described in docs/plans.md): which skills do which actions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from math import pi
from pathlib import Path
from typing import Final

from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.plans.action import TYPES, Action, snake_case
from embodiment_bridge.plans.movement import Gait
from embodiment_bridge.plans.routine import Routine
from embodiment_bridge.plans.signature import Signature, Slot, bind
from embodiment_bridge.plans.stages import KINDS, StageEntry, stage

VOCABULARY: Final = Path(__file__).with_name("vocabulary.yaml")
TURNS: Final = ("absolute", "relative")
_SLOT: Final = re.compile(r"(\[)?([a-z_]+):([a-z]+)(\])?")


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file. ``stages``: the stages of each action that the file defines, by its name in snake_case."""

    name: str
    gait: Gait
    relative_turn: bool
    signatures: Mapping[str, Signature]
    stages: Mapping[str, tuple[StageEntry, ...]]

    def with_turn(self, mode: str) -> "PlanFile":
        """A copy in which the action ``turn`` is ``absolute`` or ``relative``.

        Raises:
            ConfigError: ``mode`` is neither.
        """
        if mode not in TURNS:
            raise ConfigError(unknown("turn mode", mode, TURNS))
        return replace(self, relative_turn=mode == "relative")

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
        if name not in self.stages:
            raise CommandError(f"action {action.name!r}: {self.name} has no skill for it")
        bound = bind(action, signature)
        try:
            stages = [stage(entry, bound, self.gait, self.relative_turn) for entry in self.stages[name]]
        except CommandError as error:
            raise CommandError(f"action {action.name!r}: {error}") from None
        named = [entry.subject for entry in self.stages[name] if entry.kind == "skill"]
        return Routine(action.name, stages, named)

    def skills(self) -> frozenset[str]:
        """All skills that the file uses, to compare with those of a body."""
        named = {
            entry.subject for entries in self.stages.values() for entry in entries if entry.kind == "skill"
        }
        return frozenset(named | {self.gait.left, self.gait.right, self.gait.forward})


def read_plan_file(path: Path | str) -> PlanFile:
    """Read a plan file.

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be used; the text names file, key, value and
            choices.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"plan file {path}: cannot be read: {error}") from error
    return parse_plan_file(text, str(path))


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
    stages = {name: _stages(actions, name, signatures[name]) for name in actions.names()}
    top.close()
    return PlanFile(Path(where).name, gait, relative, signatures, stages)


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


def _gait(section: Section) -> Gait:
    usual = Gait()
    values: dict[str, float | str] = {}
    for item in fields(Gait):
        value = getattr(usual, item.name)
        if isinstance(value, str):
            values[item.name] = section.text(item.name, default=value)
        else:
            values[item.name] = section.number(item.name, 0.001, 100.0, default=value)
    section.close()
    return Gait(**values)  # type: ignore[arg-type]


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
    if kind in ("turn_by", "gaze"):
        return StageEntry(kind, amount=section.number(kind, -2 * pi, 2 * pi))
    subject = section.text(kind)
    if kind == "approach":
        return StageEntry(kind, subject, section.number("within", 0.0, 100.0, default=0.0))
    if kind != "skill":
        return StageEntry(kind, subject)
    taken = section.section("with") if section.has("with") else None
    given = section.section("set") if section.has("set") else None
    return StageEntry(
        kind,
        subject,
        taken={key: taken.text(key) for key in taken.names()} if taken else {},
        given={key: _constant(given, key) for key in given.names()} if given else {},
        slot=section.text("slot", default=""),
    )


def _constant(section: Section, key: str) -> float | str:
    return section.text(key) if isinstance(section.value(key), str) else section.number(key)
