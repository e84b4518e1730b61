# SPDX-License-Identifier: Apache-2.0
"""The world for the actions of a plan: the poses of the body and of entities."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import Vector


@dataclass(frozen=True, slots=True)
class Place:
    """Pose of the body in ``map``: position in m, heading in rad about z from the x axis, height z of the base in m."""

    x: float
    y: float
    yaw: float
    z: float = 0.0


@dataclass(frozen=True, slots=True)
class World:
    """State of the world at one moment.

    pose: None if unknown. entities: centre of each entity by id, m. reaches: how far each reaches to a side of its
    centre, m. owners: who holds an entity, by its id; those that are held only. time_s: on the clock of the plan.
    """

    pose: Place | None = None
    entities: Mapping[str, Vector] = field(default_factory=dict)
    reaches: Mapping[str, float] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    time_s: float = 0.0

    @property
    def here(self) -> Place:
        """The pose of the body.

        Raises:
            CommandError: it is unknown.
        """
        if self.pose is None:
            raise CommandError("the place of the body is unknown (there is no pose)")
        return self.pose

    def place_of(self, identity: str) -> Vector:
        """The centre of an entity, m.

        Raises:
            CommandError: there is none with this id.
        """
        if identity not in self.entities:
            raise CommandError(unknown("entity", identity, self.entities))
        return self.entities[identity]
