# SPDX-License-Identifier: Apache-2.0
"""Converts actions to ROS messages and back."""

from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import Header

from embodiment_bridge.msg import ActionParameter, ActionPlan, PlanAction
from embodiment_bridge.plans.action import Action, Parameter
from embodiment_bridge.protocols.converter import Stamp

UNREADABLE = (
    ""  # type of a parameter without content: it fits no slot, so the action reports that it is missing
)


def plan_message(
    plan_id: str, entity_id: str, demand: str, actions: tuple[Action, ...], stamp: Stamp
) -> ActionPlan:
    """A plan; ``stamp`` is a builtin_interfaces/Time."""
    header = Header(stamp=stamp, frame_id="map")
    steps = [action_message(action) for action in actions]
    return ActionPlan(header=header, id=plan_id, entity_id=entity_id, demand=demand, actions=steps)


def action_message(action: Action) -> PlanAction:
    """One action of a plan."""
    parameters = [_parameter_message(parameter) for parameter in action.parameters]
    return PlanAction(sequence=action.sequence, name=action.name, parameters=parameters)


def _parameter_message(parameter: Parameter) -> ActionParameter:
    message = ActionParameter(name=parameter.name, type=parameter.type, value=parameter.value)
    message.entity_type = parameter.entity_type
    if parameter.type in ("vector", "rotation"):
        triple = parameter.vector or parameter.rotation
        if triple is None:
            message.type = UNREADABLE
        elif parameter.type == "vector":
            message.vector = Point(x=triple[0], y=triple[1], z=triple[2])
        else:
            message.rotation = Vector3(x=triple[0], y=triple[1], z=triple[2])
    return message


def parameter_of(message: ActionParameter) -> Parameter:
    """A parameter from its message."""
    place, turn = message.vector, message.rotation
    return Parameter(
        message.type,
        message.name,
        message.value,
        (place.x, place.y, place.z) if message.type == "vector" else None,
        (turn.x, turn.y, turn.z) if message.type == "rotation" else None,
        message.entity_type,
    )
