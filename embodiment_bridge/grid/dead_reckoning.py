# SPDX-License-Identifier: Apache-2.0
"""Dead reckoning: the pose of an agent from its own actions.

A move counts when it is answered as done. When an answer is lost, both poses are possible until the walls
that are seen fit only one of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.grid.pose import GridPose, Heading
from embodiment_bridge.grid.world_map import Look, WorldMap

MOVES: Final = ("forward", "backward")
TURNS: Final = ("left", "right")
MOST: Final = 32  # poses that are considered at the same time
PATIENCE: Final = 3  # views without a decision; then the likeliest pose is taken, as unsure
START: Final = GridPose(0, 0, Heading.W)


@dataclass(slots=True)
class DeadReckoning:
    """The likeliest ``pose``; ``sure``: it is known to be right; ``settled``: it can be used for maps."""

    pose: GridPose = START
    sure: bool = True
    _possible: list[GridPose] = field(default_factory=list)
    _undecided: int = 0

    @property
    def settled(self) -> bool:
        """Whether only one pose is left."""
        return not self._possible

    def answered(self, action: str, ok: bool) -> None:
        """Apply an answered action; a turn always succeeds."""
        if action in TURNS or (action in MOVES and ok):
            self.pose = self.pose.moved(action)
            self._possible = [pose.moved(action) for pose in self._possible]

    def lost(self, action: str) -> None:
        """Note that an action was not answered: it may have been done or not."""
        if action not in MOVES and action not in TURNS:
            return
        before = self._possible or [self.pose]
        self._suppose([*before, *(pose.moved(action) for pose in before)])

    def check(self, view: Look, known: WorldMap) -> None:
        """Compare a view with the map, and drop the poses that do not fit; if none fits, consider poses nearby."""
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
