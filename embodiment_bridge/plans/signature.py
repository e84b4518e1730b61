# SPDX-License-Identifier: Apache-2.0
"""The parameters of an action. They are matched by type and position, because brains differ in the names."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import Vector
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
    """The parameters of an action, in order."""

    name: str
    slots: tuple[Slot, ...] = ()


def bind(action: Action, signature: Signature) -> Mapping[str, Parameter]:
    """The parameters of an action, by their names in the vocabulary.

    Each parameter goes into the first free slot of its type, so parameters may be left out and may have any name.
    Parameters without a slot are ignored.

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
        return _finite(parameter.vector)
    if kind == "rotation":
        return _finite(parameter.rotation)
    if kind == "boolean":
        return parameter.value in ("true", "false")
    return kind != "entity" or bool(parameter.value)


def _finite(triple: Vector | None) -> bool:
    return triple is not None and all(map(isfinite, triple))
