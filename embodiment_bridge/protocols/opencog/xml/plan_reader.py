# SPDX-License-Identifier: Apache-2.0
"""Reads the messages of an OAC to its proxy into events: plans, feelings, demands, single commands."""

from collections.abc import Iterator

from embodiment_bridge.protocols.opencog.xml.element import Element
from embodiment_bridge.protocols.opencog.xml.events import (
    ActionPlan,
    EmotionalFeeling,
    PsiDemand,
    SingleActionCommand,
)
from embodiment_bridge.protocols.opencog.xml.parts import PlanAction
from embodiment_bridge.protocols.opencog.xml.xml_values import (
    BadElementError,
    children,
    first_of,
    levels,
    local_name,
    params,
    required,
    whole,
)

LARGEST_SEQUENCE = 2**31 - 1


def action_plan(root: Element, offset: int) -> ActionPlan:
    """A plan. Groups of parallel actions are flattened in the order of the document, as real proxies do.

    Raises:
        BadElementError: there is no id for reports, or a sequence is not a number from 1.
    """
    return ActionPlan(
        required(root, "id", "plan-id"),
        first_of(root, "entity-id", "agent-id", "avatar-id", "pet-id") or "",
        root.get("demand", ""),
        tuple(_actions(root)),
        root.get("entity-type"),
        offset=offset,
    )


def _actions(root: Element) -> Iterator[PlanAction]:
    last = group = 0
    for element in root:
        name = local_name(element)
        if name == "action":
            last = _sequence(element, last)
            yield PlanAction(element.get("name", ""), last, params(element))
        elif name == "parallel":
            group += 1
            for member in children(element, "action"):
                last = _sequence(member, last)
                yield PlanAction(member.get("name", ""), last, params(member), group)


def _sequence(element: Element, last: int) -> int:
    """The number of an action; one without a number follows the last one."""
    sequence = whole(element, "sequence")
    if sequence is None:
        return min(last + 1, LARGEST_SEQUENCE)
    if not 1 <= sequence <= LARGEST_SEQUENCE:
        raise BadElementError(f"action: sequence={sequence} is not within 1..{LARGEST_SEQUENCE}")
    return sequence


def emotional_feeling(root: Element, offset: int) -> EmotionalFeeling:
    """Some or all feelings."""
    return EmotionalFeeling(root.get("entity-id", ""), levels(root, "feeling"), offset=offset)


def psi_demand(root: Element, offset: int) -> PsiDemand:
    """Some or all demands."""
    return PsiDemand(root.get("entity-id", ""), levels(root, "demand"), offset=offset)


def single_action_command(root: Element, offset: int) -> SingleActionCommand:
    """One action, with all its parameters; a real OAC repeats those of earlier commands."""
    return SingleActionCommand(required(root, "name"), params(root), offset=offset)
