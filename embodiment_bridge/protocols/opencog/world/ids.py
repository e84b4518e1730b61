# SPDX-License-Identifier: Apache-2.0
"""Translates names of things: those for an OAC have no white space, and the body has one fixed name."""

import re
from collections.abc import Iterable
from typing import Final

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
