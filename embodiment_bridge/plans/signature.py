# SPDX-License-Identifier: Apache-2.0
"""Which parameters an action takes. They are told apart by type and position: brains differ in the names."""

from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.plans.action import SIMPLE, Action, Parameter

NUMBERS = ("int", "float")


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of an action, as the vocabulary names it."""

    name: str
    type: str
    mandatory: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of an action, in their order."""

    name: str
    slots: tuple[Slot, ...] = ()


def bind(action: Action, signature: Signature) -> Mapping[str, Parameter]:
    """The parameters of an action by the names of its vocabulary.

    Each parameter that was given goes into the first slot of its type that is free, so parameters may be left out
    and be called anything. Those that fit nowhere are left alone.

    Raises:
        CommandError: a mandatory parameter is missing or cannot be read; the text names it.
    """
    bound: dict[str, Parameter] = {}
    for given in action.parameters:
        slot = next((s for s in signature.slots if s.name not in bound and _fits(given.type, s.type)), None)
        if slot is not None:
            bound[slot.name] = given
    for slot in signature.slots:
        found = bound.get(slot.name)
        if found is None and slot.mandatory:
            raise CommandError(f"action {action.name!r} needs a parameter {slot.name!r} of type {slot.type}")
        if found is not None and not _readable(found):
            told = repr(found.value[:40]) if found.type in SIMPLE else "nothing that can be read"
            raise CommandError(
                f"action {action.name!r}: parameter {slot.name!r} of type {slot.type} is {told}"
            )
    return bound


def _fits(given: str, wanted: str) -> bool:
    return given == wanted or (given in NUMBERS and wanted in NUMBERS)


def _readable(parameter: Parameter) -> bool:
    kind = parameter.type
    if kind in NUMBERS:
        return parameter.number is not None
    if kind == "vector":
        return parameter.vector is not None
    if kind == "rotation":
        return parameter.rotation is not None
    if kind == "boolean":
        return parameter.value in ("true", "false")
    return kind != "entity" or bool(parameter.value)
