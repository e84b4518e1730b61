# SPDX-License-Identifier: Apache-2.0
"""Which of the food that is seen is the supply: its direction is all that an agent smells."""

from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.grid.pose import GridPose, Place
from embodiment_bridge.grid.world_map import WorldMap

FOOD: Final = "+"


def smell(pose: GridPose, place: Place) -> str:
    """How a supply at ``place`` smells: f b l r, or h for here. A diagonal is f or b."""
    ahead, right = pose.offset(place)
    if abs(right) > abs(ahead):
        return "r" if right > 0 else "l"
    return "f" if ahead > 0 else "b" if ahead < 0 else "h"


@dataclass(slots=True)
class FoodSense:
    """Remembers which food cannot be the supply, because it would have smelled otherwise."""

    _pieces: set[Place] = field(default_factory=set)

    def sniff(self, pose: GridPose, direction: str, known: WorldMap) -> None:
        """One smell, at a pose that is sure."""
        for place, _, thing in known.things():
            if thing == FOOD and smell(pose, place) != direction:
                self._pieces.add(place)

    def is_supply(self, place: Place, number: int) -> bool:
        """Whether the food may be the supply, as far as known: ``number`` counts the food in its cell from the top."""
        return place not in self._pieces and number == 0
