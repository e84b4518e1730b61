# SPDX-License-Identifier: Apache-2.0
"""From which side a player looks at the field: the frame ``team``, in which both teams see the same.

``map`` is the world, the same for both teams: x to the goal of the right team. ``team`` has its x to the goal of the
opponents and y to the left of that: it is ``map`` for the left team, and half a turn of it for the right one.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import pi
from typing import Final, TypeAlias, TypeVar

from embodiment_bridge.body.fixed_frames import MAP, ORIGIN, FixedFrames, Place
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Quaternion, multiply
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.scene.camera import Pose

TEAM: Final = "team"
LEFT: Final = "left"
RIGHT: Final = "right"
HALF_TURN: Final[Quaternion] = (0.0, 0.0, 1.0, 0.0)

Posts: TypeAlias = tuple[str, str]  # names of two landmarks
State = TypeVar("State", bound=BodyState)


class TeamView:
    """One player's view. ``side`` is ``left`` or ``right``, empty until it is known.

    Args:
        relative: whether poses, entities and goals of this body are in ``team`` instead of ``map``.
        mirrored: the name that a landmark has for a player who looks from the right.
    """

    def __init__(self, *, relative: bool, mirrored: Callable[[str], str]) -> None:
        self.base = TEAM if relative else MAP
        self._mirrored = mirrored
        self.settle("")

    def settle(self, side: str) -> None:
        """The side is known now, or with an empty one unknown again."""
        self.side = side
        self._turned = self.base == TEAM and side == RIGHT
        placed = {LEFT: {TEAM: ORIGIN}, RIGHT: {TEAM: Place(0.0, 0.0, pi)}}.get(side, {})
        self.frames = FixedFrames(self.base, placed, shared=True)

    def state(self, state: State) -> State:
        """A state in ``map``, in the base frame; where that is ``team`` and not known yet, it has no base."""
        if self.base == TEAM and not self.side:
            return replace(state, has_base=False)
        if not self._turned:
            return state
        x, y, z = state.base_position
        return replace(state, base_position=(-x, -y, z), yaw=wrap_angle(state.yaw + pi))

    def map_yaw(self, yaw: float) -> float:
        """A heading in the base frame, in ``map``."""
        return wrap_angle(yaw + pi) if self._turned else yaw

    def pose(self, pose: Pose) -> Pose | None:
        """A pose in ``map``, in the base frame; None where that is not known yet."""
        if self.base == TEAM and not self.side:
            return None
        if not self._turned:
            return pose
        x, y, z = pose.position
        return Pose((-x, -y, z), multiply(HALF_TURN, pose.quaternion))

    def goals(self, left: Posts, right: Posts) -> Mapping[str, Posts]:
        """The posts of ``goal``, that of the opponents, and ``own_goal``; none until the side is known.

        left, right: names of the posts at -x and +x of the base frame.
        """
        if not self.side:
            return {}
        to_the_right = self.base == TEAM or self.side == LEFT
        return {"goal": right, "own_goal": left} if to_the_right else {"goal": left, "own_goal": right}

    def landmark(self, name: str) -> str:
        """The name of a landmark, by its place in the base frame."""
        return self._mirrored(name) if self._turned else name
