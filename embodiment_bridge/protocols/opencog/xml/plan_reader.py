# SPDX-License-Identifier: Apache-2.0
"""Reads the messages of an OAC to its proxy into events: plans, feelings, demands, single commands."""

from collections.abc import Iterator

from embodiment_bridge.protocols.opencog.xml.element import Element
from embodiment_bridge.protocols.opencog.xml.events import (
    ActionPlan,
    BadAction,
    EmotionalFeeling,
    PsiDemand,
    SingleActionCommand,
)
from embodiment_bridge.protocols.opencog.xml.parts import PlanAction
from embodiment_bridge.protocols.opencog.xml.xml_values import (
    BadElementError,
    Faults,
    children,
    first_of,
    levels,
    local_name,
    params,
    required,
    whole,
)

LARGEST_SEQUENCE = 2**31 - 1


def action_plan(root: Element, offset: int) -> tuple[ActionPlan | BadAction, ...]:
    """A plan, and its actions whose sequence is not a number from 1.

    Groups of parallel actions are flattened in the order of the document, as real proxies do.

    Raises:
        BadElementError: there is no id for reports.
    """
    plan_id = required(root, "id", "plan-id")
    actions: list[PlanAction] = []
    bad: list[tuple[str, int, str]] = []  # name, the number that its place stands for, what is wrong
    last = 0
    for element, group in _elements(root):
        name = element.get("name", "")
        try:
            last = _sequence(element, last)
        except BadElementError as error:
            last = min(last + 1, LARGEST_SEQUENCE)
            bad.append((name, last, str(error)))
        else:
            actions.append(PlanAction(name, last, params(element), group))
    plan = ActionPlan(
        plan_id,
        first_of(root, "entity-id", "agent-id", "avatar-id", "pet-id") or "",
        root.get("demand", ""),
        tuple(actions),
        root.get("entity-type"),
        offset=offset,
    )
    taken = {action.sequence for action in actions}
    lost = (
        BadAction(plan_id, name, None if place in taken else place, why, offset=offset)
        for name, place, why in bad
    )
    return (plan, *lost)


def _elements(root: Element) -> Iterator[tuple[Element, int]]:
    """All actions, with the number of their parallel group."""
    group = 0
    for element in root:
        name = local_name(element)
        if name == "action":
            yield element, 0
        elif name == "parallel":
            group += 1
            for member in children(element, "action"):
                yield member, group


def _sequence(element: Element, last: int) -> int:
    """The number of an action; one without a number follows the last one."""
    sequence = whole(element, "sequence")
    if sequence is None:
        return min(last + 1, LARGEST_SEQUENCE)
    if not 1 <= sequence <= LARGEST_SEQUENCE:
        raise BadElementError(f"action: sequence={sequence} is not within 1..{LARGEST_SEQUENCE}")
    return sequence


def emotional_feeling(root: Element, offset: int, faults: Faults) -> EmotionalFeeling:
    """Some or all feelings."""
    return EmotionalFeeling(root.get("entity-id", ""), levels(root, "feeling", faults), offset=offset)


def psi_demand(root: Element, offset: int, faults: Faults) -> PsiDemand:
    """Some or all demands."""
    return PsiDemand(root.get("entity-id", ""), levels(root, "demand", faults), offset=offset)


def single_action_command(root: Element, offset: int) -> SingleActionCommand:
    """One action, with all its parameters; a real OAC repeats those of earlier commands."""
    return SingleActionCommand(required(root, "name"), params(root), offset=offset)
