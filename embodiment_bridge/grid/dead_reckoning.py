# SPDX-License-Identifier: Apache-2.0
"""Where an agent is, by what it did: nobody tells it.

A move counts when its answer says so. When an answer is lost, both places are possible from then on, until the walls
that are seen fit only one of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.grid.pose import GridPose, Heading
from embodiment_bridge.grid.world_map import Look, WorldMap

MOVES: Final = ("forward", "backward")
TURNS: Final = ("left", "right")
MOST: Final = 32  # poses that are thought possible at once
PATIENCE: Final = 3  # views that decide nothing; then the likeliest pose is taken, and stays unsure
START: Final = GridPose(0, 0, Heading.W)


@dataclass(slots=True)
class DeadReckoning:
    """``pose`` is the likeliest; ``sure`` whether it is known to be right; ``settled`` whether it is good for maps."""

    pose: GridPose = START
    sure: bool = True
    _possible: list[GridPose] = field(default_factory=list)
    _undecided: int = 0

    @property
    def settled(self) -> bool:
        """Whether one pose is left."""
        return not self._possible

    def answered(self, action: str, ok: bool) -> None:
        """An action was answered; a turn always succeeds."""
        if action in TURNS or (action in MOVES and ok):
            self.pose = self.pose.moved(action)
            self._possible = [pose.moved(action) for pose in self._possible]

    def lost(self, action: str) -> None:
        """An action was not answered: it may have been done or not."""
        if action not in MOVES and action not in TURNS:
            return
        before = self._possible or [self.pose]
        self._suppose([*before, *(pose.moved(action) for pose in before)])

    def check(self, view: Look, known: WorldMap) -> None:
        """Compare what is seen with what was seen before: some poses are not possible, or none is as it should be."""
        if self.settled:
            if known.wrong_walls(self.pose, view):
                around = [self.pose.moved(action) for action in (*MOVES, *TURNS)]
                self._suppose([self.pose, *around])
            else:
                return
        wrong = {pose: known.wrong_walls(pose, view) for pose in self._possible}
        least = min(wrong.values())
        left = [pose for pose in self._possible if wrong[pose] == least]
        self.pose = left[0]
        self._undecided += 1
        if len(left) == 1 or self._undecided > PATIENCE:
            self.sure = least == 0 and len(left) == 1
            self._possible, self._undecided = [], 0
        else:
            self._possible = left

    def _suppose(self, poses: Iterable[GridPose]) -> None:
        self._possible = list(dict.fromkeys(poses))[:MOST]
        self.sure = False
        self._undecided = 0
