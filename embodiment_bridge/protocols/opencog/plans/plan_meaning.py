# SPDX-License-Identifier: Apache-2.0
"""Converts plans of an OAC to m and rad: the only place where their units, frames and names change."""

from embodiment_bridge.plans.action import Action, Parameter, snake_case
from embodiment_bridge.protocols.opencog.world.ids import IdBook
from embodiment_bridge.protocols.opencog.world.settings import Settings
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, SingleActionCommand
from embodiment_bridge.protocols.opencog.xml.parts import Param, PlanAction, Vector

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
