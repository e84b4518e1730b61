# SPDX-License-Identifier: Apache-2.0
"""Finds the food supply among the food that is seen: an agent smells only the direction of the supply."""

from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.grid.pose import GridPose, Place
from embodiment_bridge.grid.world_map import WorldMap

FOOD: Final = "+"


def smell(pose: GridPose, place: Place) -> str:
    """The smell of a supply at ``place``: f b l r for its direction, or h for here. A diagonal is f or b."""
    ahead, right = pose.offset(place)
    if abs(right) > abs(ahead):
        return "r" if right > 0 else "l"
    return "f" if ahead > 0 else "b" if ahead < 0 else "h"


@dataclass(slots=True)
class FoodSense:
    """Remembers which food cannot be the supply, because its direction did not match a smell."""

    _pieces: set[Place] = field(default_factory=set)

    def sniff(self, pose: GridPose, direction: str, known: WorldMap) -> None:
        """Use one smell, at a pose that is sure."""
        for place, _, thing in known.things():
            if thing == FOOD and smell(pose, place) != direction:
                self._pieces.add(place)

    def is_supply(self, place: Place, number: int) -> bool:
        """Whether food may be the supply, as far as known; ``number`` counts the food in its cell from the top."""
        return place not in self._pieces and number == 0
