# SPDX-License-Identifier: Apache-2.0
"""Converts between ROS messages and the messages of an OAC: percepts of the body, and plans for it.

| wire | ROS |
|---|---|
| lengths in mm, or in blocks (``final``) | m |
| yaw in -pi..pi in the map frame; ``pitch`` about x, ``roll`` about y | quaternions; roll about x, pitch about y |
| length, width, height of a thing | size x, y, z |
| velocity in m/s along the motion of a thing | not in ROS: computed from places and times |
| ids without white space; one for the body | any names; also the namespace of the body |
"""

from collections.abc import Container, Iterable
from math import isfinite

from geometry_msgs.msg import Point, PoseStamped, Quaternion
from nav_msgs.msg import OccupancyGrid
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.msg import ActionParameter, AgentAction, EntityArray, HeardMessage
from embodiment_bridge.msg import ActionPlan as PlanMessage
from embodiment_bridge.msg import Entity as EntityMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.opencog.plans import plan_messages
from embodiment_bridge.protocols.opencog.plans.plan_messages import actions_of, single_action
from embodiment_bridge.protocols.opencog.world.feelings import levels_of
from embodiment_bridge.protocols.opencog.world.observed_actions import ObservedActions
from embodiment_bridge.protocols.opencog.world.report import Thing, WorldReport
from embodiment_bridge.protocols.opencog.world.settings import IdBook, Settings
from embodiment_bridge.protocols.opencog.world.visibility import VisibilityGrid
from embodiment_bridge.protocols.opencog.xml.events import (
    ActionPlan,
    AvatarSignal,
    Communication,
    Instruction,
    ProxyMessage,
    SingleActionCommand,
)
from embodiment_bridge.protocols.opencog.xml.wire_values import clean
from embodiment_bridge.scene.seen_actions import ActionWatcher, Seen, SeenAction

AGENTS = ("avatar", "humanoid", "pet")  # the entity types that act
STRING, RAW = 1, 12  # types of messages in the network
Messages = tuple[ProxyMessage, ...]


class Perceptor:
    """Makes the messages of one body to its OAC. Not thread-safe.

    Args:
        settings: of the body.
        others: things that are always there, in addition to those that the body knows.
        grid: map of the seen cells; None: it is not sent.
    """

    def __init__(
        self, settings: Settings, others: Iterable[Thing] = (), grid: VisibilityGrid | None = None
    ) -> None:
        self.settings = settings
        self.ids = IdBook(settings.agent_id, settings.aliases)
        self._others = tuple(others)
        self._world = WorldReport(settings, self.ids)
        self._observed_actions = ObservedActions(settings, self.ids)
        self._grid = grid
        self._seen_actions = ActionWatcher()

    def refresh(self) -> None:
        """The OAC is new, or may have missed messages: send everything again."""
        self._world.refresh()
        if self._grid is not None:
            self._grid.refresh()

    def entities(
        self, array: EntityArray | None, pose: PoseStamped | None, stamp: str, now_s: float
    ) -> Messages:
        """Return what is new in the world; the body itself comes first of all.

        Args:
            array: EntityArray in ``map``, or None.
            pose: PoseStamped of the body in ``map``; None: use the array or the settings.
            stamp: time of the message.
            now_s: time in s, for speeds.
        """
        found = [_thing(entity) for entity in array.entities] if array is not None else []
        agent = self.settings.agent_id
        selves = [thing for thing in found if self.ids.to_wire(thing.id) == agent]
        others = [thing for thing in found if self.ids.to_wire(thing.id) != agent]
        seen = {thing.id for thing in others}
        others += [thing for thing in self._others if thing.id not in seen]
        message = self._world.update(self._own(pose, selves), others, stamp, now_s)
        return () if message is None else (message,)

    def _own(self, pose: PoseStamped | None, selves: list[Thing]) -> Thing:
        settings = self.settings
        x, y, z, yaw = settings.pose
        if pose is not None:
            place = pose.pose.position
            x, y, z, yaw = place.x, place.y, place.z, _yaw(pose.pose.orientation)
        elif selves:
            x, y, z = selves[0].position
            yaw = selves[0].yaw
        if not all(map(isfinite, (x, y, z, yaw))):
            x, y, z, yaw = settings.pose
        properties = selves[0].properties if selves else ()
        return Thing(settings.agent_id, settings.agent_type, (x, y, z), yaw, settings.size, True, properties)

    def heard(self, message: HeardMessage, stamp: str) -> tuple[Messages, int]:
        """Speech that was heard (HeardMessage), and the type of the message for the OAC."""
        text = clean(message.text).strip()
        speaker = self.ids.to_wire(message.sender) if message.sender else "unknown"
        if not text or self.settings.speech == "none" or speaker == self.settings.agent_id:
            return (), STRING
        if self.settings.speech == "raw":
            return (Communication(speaker, stamp, text),), RAW
        return (Instruction(self.settings.agent_id, speaker, stamp, text),), STRING

    def action(self, message: AgentAction, stamp: str) -> Messages:
        """An observed action (AgentAction)."""
        signal = self._observed_actions.signal(
            message.agent,
            clean(message.agent_type),
            message.name,
            tuple(plan_messages.parameter_of(item) for item in message.parameters),
            stamp,
            message.instance,
            message.succeeded,
            message.target,
            message.target_type,
        )
        return () if signal is None else (signal,)

    def seen_actions(self, array: EntityArray, pose: PoseStamped | None, now_s: float) -> list[AgentAction]:
        """Return the actions of others, by the changes of the world; the body's own only where they are echoed.

        Args:
            array: EntityArray in ``map``.
            pose: PoseStamped of the body in ``map``, or None.
            now_s: time in s.
        """
        found = [self._seen(entity) for entity in array.entities]
        if pose is not None:
            place = pose.pose.position
            found.append(Seen(self.settings.agent_id, (place.x, place.y, place.z), agent=True, loose=False))
        echo = self.settings.echo_own_actions
        agents = {one.id for one in found if one.agent}
        return [
            _action_message(action, array.header, agents)
            for action in self._seen_actions.look(found, now_s)
            if echo or not self.ids.is_own(action.agent)
        ]

    def _seen(self, entity: EntityMessage) -> Seen:
        place, kind = entity.pose.position, self.settings.kind(entity.kind)
        owner = next((item.value for item in entity.properties if item.key == "owner"), "")
        finite = all(map(isfinite, (place.x, place.y, place.z)))
        return Seen(
            entity.id,
            (place.x, place.y, place.z) if finite else (0.0, 0.0, 0.0),
            entity.visible and finite,
            kind in AGENTS,
            kind != "structure",
            owner,
        )

    def physiology(self, names: Iterable[str], values: Iterable[float], stamp: str) -> Messages:
        """Levels of needs, 0..1."""
        levels = levels_of((clean(name), value) for name, value in zip(names, values, strict=False))
        return (AvatarSignal(self.settings.agent_id, stamp, levels=levels),) if levels else ()

    def grid(self, local_grid: OccupancyGrid | None, pose: PoseStamped | None) -> Messages:
        """Return the cells of the map that are seen for the first time.

        Args:
            local_grid: OccupancyGrid in ``map`` or in a frame of the body, or None.
            pose: PoseStamped of the body, for a grid that is not in ``map``.
        """
        if self._grid is None:
            return ()
        if local_grid is not None:
            self._look_into(local_grid, pose)
        new = self._grid.take()
        return () if new is None else (new,)

    def see(self, pose: PoseStamped | None, fov: float, reach: float) -> None:
        """Mark cells ahead of the pose (PoseStamped in ``map``) as seen: ``fov`` rad wide, ``reach`` m far."""
        if self._grid is not None and pose is not None:
            place = pose.pose.position
            heading = _yaw(pose.pose.orientation)
            if all(map(isfinite, (place.x, place.y, heading, fov, reach))):
                self._grid.see_sector(place.x, place.y, heading, fov, reach)

    def _look_into(self, grid: OccupancyGrid, pose: PoseStamped | None) -> None:
        info = grid.info
        corner = info.origin.position
        origin = (corner.x, corner.y, _yaw(info.origin.orientation))
        base = (0.0, 0.0, 0.0)
        if grid.header.frame_id.rpartition("/")[2] not in ("map", ""):
            if pose is None:
                return
            place = pose.pose.position
            base = (place.x, place.y, _yaw(pose.pose.orientation))
        if self._grid is not None and all(map(isfinite, (*origin, *base))):
            self._grid.see_cells(grid.data, info.width, info.resolution, origin, base)

    def plan(self, plan: ActionPlan, stamp: Stamp) -> PlanMessage:
        """A plan for the body; ``stamp`` is a builtin_interfaces/Time."""
        actions = actions_of(plan, self.settings, self.ids)
        return plan_messages.plan_message(plan.id, plan.entity_id, plan.demand, actions, stamp)

    def single(self, command: SingleActionCommand, stamp: Stamp) -> PlanMessage:
        """A single command as a plan without an id, because the OAC expects no report."""
        actions = (single_action(command, self.settings),)
        return plan_messages.plan_message("", self.settings.agent_id, "", actions, stamp)


def _thing(entity: EntityMessage) -> Thing:
    """Convert an Entity to a thing."""
    place, size = entity.pose.position, entity.size
    return Thing(
        entity.id,
        entity.kind,
        (place.x, place.y, place.z),
        _yaw(entity.pose.orientation),
        (size.x, size.y, size.z),
        entity.visible,
        tuple((item.key, item.value) for item in entity.properties),
    )


def _action_message(action: SeenAction, header: Header, agents: Container[str]) -> AgentAction:
    """An observed action; ``agents``: ids of those that act."""
    message = AgentAction(
        header=header, agent=action.agent, agent_type="avatar", name=action.name, succeeded=True
    )
    if action.target:
        message.target, message.target_type = action.target, "avatar" if action.target in agents else "object"
    for name, place in (("startPosition", action.start), ("endPosition", action.end)):
        if place is not None:
            x, y, z = place
            message.parameters.append(ActionParameter(name=name, type="vector", vector=Point(x=x, y=y, z=z)))
    return message


def _yaw(q: Quaternion) -> float:
    return rpy_from_quaternion((q.x, q.y, q.z, q.w))[2]
