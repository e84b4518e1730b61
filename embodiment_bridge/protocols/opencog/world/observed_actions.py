# SPDX-License-Identifier: Apache-2.0
"""Converts observed actions of other agents into signals for an OAC."""

from itertools import count

from embodiment_bridge.plans.action import Parameter
from embodiment_bridge.protocols.opencog.world.settings import IdBook, Settings
from embodiment_bridge.protocols.opencog.xml.events import AgentSignal
from embodiment_bridge.protocols.opencog.xml.parts import (
    ENTITY_TYPES,
    ActionSignal,
    Entity,
    Param,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.wire_values import clean

TARGET_TYPES = (
    "avatar",
    "object",
)  # the only ones that the final OAC accepts; it ignores actions with others


class ObservedActions:
    """Makes signals of observed actions, each with a unique name."""

    def __init__(self, settings: Settings, ids: IdBook) -> None:
        self._settings = settings
        self._ids = ids
        self._numbers = count(1)

    def signal(
        self,
        agent: str,
        agent_type: str,
        name: str,
        parameters: tuple[Parameter, ...],
        stamp: str,
        instance: str = "",
        succeeded: bool = True,
        target: str = "",
        target_type: str = "",
    ) -> AgentSignal | None:
        """The signal of an action of ``agent``; None if there is nothing to send.

        The dialect ``final`` has an attribute for the target; in the others it is the last parameter, where an OAC of
        that time looks for the object of a grab.
        """
        settings = self._settings
        who = self._ids.to_wire(agent)
        if not agent or not name or (who == settings.agent_id and not settings.echo_own_actions):
            return None
        params = tuple(found for p in parameters if (found := self._param(p)) is not None)
        told = clean(name)
        if settings.dialect != "final":
            if target:
                kind = target_type if target_type in ENTITY_TYPES else "object"
                params += (Param("entity", "target", entity=Entity(self._ids.to_wire(target), kind)),)
            return AgentSignal(who, stamp, agent_type or None, (ActionSignal(told, params=params),))
        action = ActionSignal(
            told,
            params=params,
            instance_name=clean(instance) or f"{told}{next(self._numbers)}",
            result_state=succeeded,
            target=self._ids.to_wire(target) if target else None,
            target_type=(target_type if target_type in TARGET_TYPES else "object") if target else None,
        )
        return AgentSignal(who, stamp, agent_type or None, (action,))

    def _param(self, parameter: Parameter) -> Param | None:
        settings, kind = self._settings, parameter.type
        name = clean(parameter.name)
        if kind == "vector" and parameter.vector is not None:
            x, y, z = (round(value * settings.scale, 3) for value in parameter.vector)
            return Param(kind, name, vector=Vector(x, y, z))
        if kind == "rotation" and parameter.rotation is not None:
            roll, pitch, yaw = parameter.rotation
            return Param(kind, name, rotation=Rotation(roll, pitch, settings.yaw_out(yaw)))
        if kind == "entity" and parameter.value:
            what = parameter.entity_type if parameter.entity_type in ENTITY_TYPES else "object"
            return Param(kind, name, entity=Entity(self._ids.to_wire(parameter.value), what))
        if kind == "boolean":
            return Param(kind, name, parameter.value) if parameter.value in ("true", "false") else None
        if kind in ("int", "float"):
            return _number(kind, name, parameter)
        return Param(kind, name, clean(parameter.value)) if kind == "string" else None


def _number(kind: str, name: str, parameter: Parameter) -> Param | None:
    number = parameter.number
    if number is None:
        return None
    return Param(kind, name, str(round(number)) if kind == "int" else repr(number))
