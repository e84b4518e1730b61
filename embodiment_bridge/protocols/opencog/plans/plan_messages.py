# SPDX-License-Identifier: Apache-2.0
"""Converts plans of an OAC to m and rad, and actions to ROS messages and back.

The only place where their units, frames and names change.
"""

from math import nan

from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import Header

from embodiment_bridge.msg import ActionParameter
from embodiment_bridge.msg import ActionPlan as ActionPlanMessage
from embodiment_bridge.msg import PlanAction as PlanActionMessage
from embodiment_bridge.plans.action import Action, Parameter, snake_case
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.opencog.world.settings import IdBook, Settings
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, SingleActionCommand
from embodiment_bridge.protocols.opencog.xml.parts import Param, PlanAction, Vector

# Converts plans of an OAC to m and rad: the only place where their units, frames and names change.

TEXTS_WITH_IDS = ("say", "group_command")  # their targets are texts, which may be ids
SINGLE = {"move_to_coordinate": "walk", "build_block_at_position": "build_block"}


def actions_of(plan: ActionPlan, settings: Settings, ids: IdBook) -> tuple[Action, ...]:
    """The actions of a plan, sorted by their numbers; those with equal numbers keep their order."""
    ordered = sorted(plan.actions, key=lambda action: action.sequence)
    return tuple(_action(action, settings, ids) for action in ordered)


def single_action(command: SingleActionCommand, settings: Settings) -> Action:
    """A single command as an action, with its numbers x, y and z as a vector; of a repeated name the last counts."""
    numbers = {param.name: Parameter("float", param.name, param.value).number for param in command.params}
    x, y, z = (numbers.get(axis) or 0.0 for axis in "xyz")
    name = snake_case(command.name)
    place = Parameter("vector", "target", vector=_place(Vector(x, y, z), settings))
    return Action(SINGLE.get(name, name), 1, (place,))


def _action(action: PlanAction, settings: Settings, ids: IdBook) -> Action:
    with_ids = snake_case(action.name) in TEXTS_WITH_IDS
    params = tuple(_parameter(param, settings, ids, with_ids) for param in action.params)
    return Action(action.name, action.sequence, params)


def _parameter(param: Param, settings: Settings, ids: IdBook, with_ids: bool) -> Parameter:
    if param.type == "vector" and param.vector is not None:
        return Parameter("vector", param.name, vector=_place(param.vector, settings))
    if param.type == "rotation" and param.rotation is not None:
        turn = param.rotation  # its pitch is about x, which is roll in ROS
        return Parameter("rotation", param.name, rotation=(turn.pitch, turn.roll, settings.yaw_in(turn.yaw)))
    if param.type == "entity":
        who = param.entity
        identity, kind = (param.value, "") if who is None else (who.id, who.type)
        return Parameter("entity", param.name, ids.to_ros(identity), entity_type=kind)
    value = ids.to_ros(param.value) if with_ids and param.type == "string" else param.value
    return Parameter(param.type, param.name, value)


def _place(place: Vector, settings: Settings) -> tuple[float, float, float]:
    scale = settings.scale
    return (place.x / scale, place.y / scale, place.z / scale)


UNREADABLE = (nan, nan, nan)  # of a parameter without content, so that the action says that it cannot be read


def plan_message(
    plan_id: str, entity_id: str, demand: str, actions: tuple[Action, ...], stamp: Stamp
) -> ActionPlanMessage:
    """A plan; ``stamp`` is a builtin_interfaces/Time."""
    header = Header(stamp=stamp, frame_id="map")
    steps = [action_message(action) for action in actions]
    return ActionPlanMessage(header=header, id=plan_id, entity_id=entity_id, demand=demand, actions=steps)


def action_message(action: Action) -> PlanActionMessage:
    """One action of a plan."""
    parameters = [_parameter_message(parameter) for parameter in action.parameters]
    return PlanActionMessage(sequence=action.sequence, name=action.name, parameters=parameters)


def _parameter_message(parameter: Parameter) -> ActionParameter:
    message = ActionParameter(name=parameter.name, type=parameter.type, value=parameter.value)
    message.entity_type = parameter.entity_type
    if parameter.type in ("vector", "rotation"):
        triple = parameter.vector or parameter.rotation or UNREADABLE
        if parameter.type == "vector":
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
