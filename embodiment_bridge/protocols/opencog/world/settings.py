# SPDX-License-Identifier: Apache-2.0
"""Describes a body to an OAC: ids (names without white space), map, units and dialect. Settings are in m and rad."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import pi
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import Vector, wrap_angle
from embodiment_bridge.protocols.opencog.xml.events import READ_DIALECTS
from embodiment_bridge.protocols.opencog.xml.parts import ENTITY_TYPES

# Translates names of things: those for an OAC have no white space, and the body has one fixed name.

MOST: Final = 10_000  # remembered names
LONGEST: Final = 200
_BAD: Final = re.compile("[\\s\x00-\x20\x7f\ud800-\udfff\ufffe\uffff]+")
INNER_PREFIX: Final = "id_"  # an OAC puts it before its ids, and does not remove it in texts


class IdBook:
    """Translates names, and remembers them for the way back."""

    def __init__(self, agent_id: str, aliases: Iterable[str] = ()) -> None:
        self._agent_id = agent_id
        self._aliases = frozenset((*aliases, agent_id))
        self._to_wire: dict[str, str] = {}
        self._to_ros: dict[str, str] = {}

    def is_own(self, name: str) -> bool:
        """Whether this is a name of the body."""
        return name in self._aliases

    def add_alias(self, name: str) -> None:
        """Another name of the body in ROS."""
        self._aliases |= {name} - {""}

    def to_wire(self, name: str) -> str:
        """The name for the OAC, always the same for one thing, and different for different things."""
        if name in self._aliases:
            return self._agent_id
        known = self._to_wire.get(name)
        if known is not None:
            return known
        base = (_BAD.sub("_", name) or "unnamed")[: LONGEST - 10]
        wire, number = base, 1
        while wire in self._to_ros or wire == self._agent_id:
            number += 1
            wire = f"{base}_{number}"
        if len(self._to_wire) >= MOST:
            oldest = next(iter(self._to_wire))
            del self._to_ros[self._to_wire.pop(oldest)]
        self._to_wire[name], self._to_ros[wire] = wire, name
        return wire

    def to_ros(self, wire: str) -> str:
        """The name in ROS; a name that was never sent to the OAC is returned unchanged."""
        for name in (wire, wire.removeprefix(INNER_PREFIX)):
            if name in self._to_ros:
                return self._to_ros[name]
            if name == self._agent_id:
                return name
        return wire


SPEECH = ("raw", "instruction", "none")
LARGEST = 2**31 - 1  # of the whole numbers in a message

# Entity types for an OAC by kind of entity in ROS; all others are objects.
KINDS: Mapping[str, str] = {
    "player": "avatar",
    "robot": "avatar",
    "agent": "avatar",
    "person": "humanoid",
    "human": "humanoid",
    "pet": "pet",
    "wall": "structure",
    "landmark": "structure",
    "obstacle": "structure",
    "goal": "structure",
    "line": "structure",
    "structure": "structure",
    "avatar": "avatar",
    "humanoid": "humanoid",
    "accessory": "accessory",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one body for one OAC.

    Args:
        agent_id: id of the body in all messages, and of the OAC in the network.
        agent_type: of ENTITY_TYPES.
        agent_name, owner_id, owner_name: names of the agent and its owner.
        aliases: other ids of this body in ROS, such as its namespace.
        dialect: see ``events.READ_DIALECTS``.
        units_per_metre: 0 means that of the dialect: 1000, or 1 in ``final``.
        compass: yaw counts clockwise from y, as in 2008, instead of counter-clockwise from x.
        map_x, map_y: corner of the map with the smallest coordinates, m.
        map_side: side of the map, which is a square, m.
        map_name: for ``final``.
        pose: x, y, z, yaw of a body without localisation (m, rad).
        size: extents of the body along forward, left and up, m.
        move_threshold, turn_threshold: a thing that has moved less than this is not sent again (m, rad).
        speech: how speech is sent: ``raw`` (for a language server), ``instruction`` or ``none``.
        echo_own_actions: whether actions of the body itself are sent like those of others.
        kinds: entity types by kind of entity.
    """

    agent_id: str
    agent_type: str = "pet"
    agent_name: str = ""
    owner_id: str = ""
    owner_name: str = ""
    aliases: frozenset[str] = frozenset()
    dialect: str = "seed"
    units_per_metre: float = 0.0
    compass: bool = False
    map_x: float = -16.0
    map_y: float = -16.0
    map_side: float = 32.0
    map_name: str = "map"
    pose: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    size: Vector = (0.3, 0.3, 0.6)
    move_threshold: float = 0.01
    turn_threshold: float = 0.02
    speech: str = "raw"
    echo_own_actions: bool = False
    kinds: Mapping[str, str] = field(default_factory=lambda: KINDS)

    def __post_init__(self) -> None:
        """Check all values.

        Raises:
            ConfigError: a value is not possible; the text names it, the value and the choices.
        """
        for what, value, choices in (
            ("dialect", self.dialect, READ_DIALECTS),
            ("agent_type", self.agent_type, ENTITY_TYPES),
            ("speech", self.speech, SPEECH),
        ):
            if value not in choices:
                raise ConfigError(unknown(what, value, choices))
        if not self.agent_id or any(letter.isspace() for letter in self.agent_id) or len(self.agent_id) > 200:
            raise ConfigError(f"agent_id {self.agent_id!r} is not 1 to 200 characters without white space")
        if not self.map_side > 0.0:
            raise ConfigError(f"map_side {self.map_side} is not larger than 0")
        reach = max(abs(self.map_x), abs(self.map_y)) + self.map_side
        if not reach * self.scale < LARGEST:
            raise ConfigError(
                f"map of {self.map_side} m at {self.map_x}, {self.map_y} is too large for its units"
            )

    @property
    def scale(self) -> float:
        """Units of the wire per metre."""
        return self.units_per_metre or (1.0 if self.dialect == "final" else 1000.0)

    def yaw_out(self, yaw: float) -> float:
        """Yaw for the OAC, in -pi..pi."""
        return wrap_angle(pi / 2.0 - yaw if self.compass else yaw)

    def yaw_in(self, yaw: float) -> float:
        """Yaw in ``map`` of one from the OAC, in -pi..pi."""
        return self.yaw_out(yaw)  # it is its own inverse

    def kind(self, kind: str) -> str:
        """The entity type of a kind of entity."""
        return self.kinds.get(kind.lower(), "object")
