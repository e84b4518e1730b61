# SPDX-License-Identifier: Apache-2.0
"""Goes to a place or up to a thing, and faces a direction there: the walk ``to`` of a body file."""

from collections.abc import Callable
from math import atan2, hypot

from embodiment_bridge.body.description import Skill, WalkLimits
from embodiment_bridge.body.things import Things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.motion.gait.walk import Pace, WalkCommand
from embodiment_bridge.motion.walking.reach import Reach
from embodiment_bridge.motion.walking.steering import Way, straight, way_round
from embodiment_bridge.motion.walking.targets import Goal, Target, Values, before, behind, way_to
from embodiment_bridge.motion.walking.walk_program import Pose

MOVED_M = 0.15  # a thing that moved by more is gone after
MOVED_RAD = 0.3  # one whose direction turned by more is faced anew; steps beside a near thing turn it by less
TOUCH_M = 0.1  # nearer to a thing than this its direction says nothing, and the one of before is kept
FOLLOW_S = 20.0  # s more than the way takes at first, in which a thing that moves may be reached
DISTANCE_M = 0.25  # before a thing, where the body file has no default: near enough to grab or kick
ROUND_M = 0.45  # kept from the middle of a thing on the way behind it


class GoTo:
    """Walk to the goal, and after it if it moves.

    goal: gives it and the way there, from the pose of the body; None keeps the one before. things: other bodies among
    them are gone round.
    """

    def __init__(
        self, limits: WalkLimits, goal: Callable[[Pose], tuple[Goal, Way] | None], things: Things
    ) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = FOLLOW_S
        self.failure = ""
        self._limits = limits
        self._find = goal
        self._things = things
        self._goal: Goal | None = None
        self._reach: Reach | None = None

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        found, old = self._find(pose), self._goal
        if found is not None:
            goal, way = found
            if self._reach is None or old is None or hypot(goal[0] - old[0], goal[1] - old[1]) > MOVED_M:
                self._goal, self._reach = goal, Reach(self._limits, *goal, self._things, way)
            elif abs(wrap_angle(goal[2] - old[2])) > MOVED_RAD:
                self._goal = goal
                self._reach.change(*goal)
        if self._reach is None:
            return WalkCommand()
        command = self._reach.step(pose, walker, dt)
        if old is None:
            self.patience += self._reach.patience
        self.done, self.progress = self._reach.done, max(self.progress, self._reach.progress)
        return command


def go_to(skill: Skill, values: Values, limits: WalkLimits, things: Things) -> GoTo:
    """The program of a skill of walk ``to``.

    Args:
        skill: for the text of errors.
        values: x, y (m) and, where it matters, yaw (rad) in ``map``; or ``thing``, an id or a kind, ``distance`` (m)
            that is left between it and the body, and perhaps ``towards``, another thing: the place is then behind the
            first one, on the line to that.
        limits: of the gait.
        things: that are known.

    Raises:
        CommandError: neither or both are given, or no such thing is known.
    """
    name, place = str(values.get("thing", "")), [axis for axis in ("x", "y") if axis in values]
    towards = str(values.get("towards", ""))
    if bool(name) == bool(place) or len(place) == 1 or (name and "yaw" in values) or (place and towards):
        raise CommandError(
            f"skill {skill.name!r}: give either a thing, or x and y and perhaps yaw; towards goes with a thing"
        )
    if place:
        x, y = float(values["x"]), float(values["y"])
        return GoTo(limits, _Place(x, y, float(values["yaw"]) if "yaw" in values else None), things)
    distance = float(values.get("distance", DISTANCE_M))
    thing = Target(name, things)
    beside = _BesideThing(thing, Target(towards, things) if towards else None, distance)
    return GoTo(limits, beside, things)


class _Place:
    """A place; without a yaw the direction of the way there is kept."""

    def __init__(self, x: float, y: float, yaw: float | None) -> None:
        self._x, self._y, self._yaw = x, y, yaw

    def __call__(self, pose: Pose) -> tuple[Goal, Way]:
        if self._yaw is None:
            self._yaw = atan2(self._y - pose.y, self._x - pose.x)
        return (self._x, self._y, self._yaw), straight


class _BesideThing:
    """The place before a thing on the straight way to it, or behind it on the line to another one."""

    def __init__(self, thing: Target, towards: Target | None, distance: float) -> None:
        self._thing, self._towards, self._distance = thing, towards, distance
        self._yaw: float | None = None

    def __call__(self, pose: Pose) -> tuple[Goal, Way] | None:
        thing = self._thing.now(pose)
        if thing is None:
            return None
        if self._towards is None:
            x, y, yaw = before(pose, thing, self._distance)
            if self._yaw is None or hypot(*way_to(pose, thing)) > TOUCH_M:
                self._yaw = yaw
            return (x, y, self._yaw), straight
        goal = behind(thing, self._towards.last(pose), self._distance)
        return goal, way_round(thing.position[0], thing.position[1], ROUND_M)
