# SPDX-License-Identifier: Apache-2.0
"""Goes to a place or up to a thing and faces a direction there, or turns until a thing is seen.

The walks ``to`` and ``find`` of a body file.
"""

from collections.abc import Callable
from dataclasses import replace
from math import atan2, copysign, degrees, hypot, pi

from embodiment_bridge.body.description import Skill, WalkLimits
from embodiment_bridge.body.surroundings import Things, no_things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand, within
from embodiment_bridge.motion.walking.steering import BRAKE_S, Steering, Way, past_others, straight, way_round
from embodiment_bridge.motion.walking.targets import (
    Goal,
    Spot,
    Target,
    Values,
    before,
    behind,
    named,
    visible,
    way_to,
)
from embodiment_bridge.motion.walking.walk_program import Pose, Program, found

# Turns until a thing is seen: the walk ``find`` of a body file.

TURN = 0.6  # share of full turn speed: pictures come while it turns
ROUNDS = 1.25  # turns without the thing, after which it is not here
FIND_PATIENCE_S = 10.0


class Find(Program):
    """Looks ahead for ``look_s`` s, then turns round until a thing with this id or kind is seen."""

    def __init__(self, limits: WalkLimits, name: str, things: Things, look_s: float) -> None:
        super().__init__(limits, ROUNDS * 4 * pi / (TURN * limits.turn) + look_s + FIND_PATIENCE_S)
        self._name, self._things, self._look_s = name, things, look_s
        self.done = self._seen()
        self.progress = float(self.done)
        self._elapsed = self._turned = 0.0
        self._side = 0.0

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        self._elapsed += dt
        _, last = self._poses(pose)
        self._turned += 0.0 if found(last, pose) else abs(pose.yaw - last.yaw)
        if self.done or self.failure:
            return STAND
        if self._seen():
            return self._finish()
        if self._elapsed < self._look_s:
            return STAND
        self.progress = min(self._turned / (ROUNDS * 2 * pi), 0.99)
        if self._turned > ROUNDS * 2 * pi:
            self.failure = f"{self._name!r} is not seen all round"
            return STAND
        self._side = self._side or self._first_side(pose)
        return WalkCommand(True, 0.0, TURN * self._side)

    def _seen(self) -> bool:
        known = self._things()
        return any(visible(known[id_]) for id_ in named(self._name, known))

    def _first_side(self, pose: Pose) -> float:
        """Return the side (1: left) on which the thing is remembered; left for one that is not."""
        known = self._things()
        for id_ in named(self._name, known):
            x, y, _ = known[id_].position
            return copysign(1.0, wrap_angle(atan2(y - pose.y, x - pose.x) - pose.yaw))
        return 1.0


# Walks to a place and faces a direction there.

ARRIVED_M = 0.04  # mean distance at which the body stops
ARRIVED_RAD = 0.05
KEPT_M = 0.06  # a body that stands further away than this takes up its way again
KEPT_RAD = 0.08
FORESEEN_BRAKE_S = 0.3  # s in which a body is to be there that knows where it would come to stand
CALM_S = 0.2  # s of standing after which a foreseen pose counts
FILTERED_CALM_S = 0.4  # the same of a filtered pose, which comes later
TRIES = 4  # tries of a body that cannot go sideways: it would circle about a place that it cannot hit
ROUGH_M, ROUGH_RAD = 0.2, 0.35  # errors that are accepted after these tries
SPEED_SHARE = 0.25  # share of full speed, for the time limit: a slower body does not arrive
REACH_PATIENCE_S = 12.0


class Reach(Program):
    """Walks to (x, y) in ``map`` and faces ``yaw`` there; m, rad.

    A far place is walked to forwards. Near it a body that can go sideways goes in any direction while it turns to
    ``yaw``. It has arrived when it stands at the place; one that came to stand beside it goes on.
    The way is straight, or the given one, but round the other bodies among ``things``; other obstacles are not avoided.
    """

    def __init__(
        self,
        limits: WalkLimits,
        x: float,
        y: float,
        yaw: float,
        things: Things = no_things,
        way: Way = straight,
    ) -> None:
        super().__init__(limits, REACH_PATIENCE_S)
        self._goal = Pose(x, y, yaw)
        self._way = past_others(things, way)
        self._steering = Steering(limits, brake_s=FORESEEN_BRAKE_S if limits.left else BRAKE_S)
        self._distance = 0.0
        self._waiting = False
        self._stood_s = 0.0
        self._tries = 0

    def change(self, x: float, y: float, yaw: float) -> None:
        """Go to another pose nearby (m, rad); what was filtered and learnt on the way stays."""
        self._goal = Pose(x, y, yaw)

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        goal, sides = self._goal, bool(self._limits.left)
        here = self._steering.foreseen(pose, walker, dt) if sides else self._steering.filtered(pose, dt)
        dx, dy = goal.x - here.x, goal.y - here.y
        left, off = hypot(dx, dy), wrap_angle(goal.yaw - here.yaw)
        if not self._distance:
            self._distance = max(left, ARRIVED_M)
            self.patience += left / (SPEED_SHARE * self._limits.forward) + 4 * pi / self._limits.turn
        self.progress = max(self.progress, min(1.0 - left / self._distance, 0.99))
        if self._waiting:
            self._wait(left, abs(off), walker, dt)
            return STAND
        coast = 0.0 if sides else self._limits.coast_turn * walker.turn
        there = left < ARRIVED_M and abs(off - coast) < ARRIVED_RAD
        if not there and not sides and abs(off) < ARRIVED_RAD:
            there = self._steering.passed(left, wrap_angle(atan2(dy, dx) - here.yaw))
        if there:
            self._waiting, self._stood_s = True, 0.0
            return STAND
        return self._steering.command(goal, self._way(here, goal), dt)

    def _wait(self, left: float, off: float, walker: Pace, dt: float) -> None:
        """Stand, and see where the body came to stand."""
        self._stood_s = self._stood_s + dt if walker.standing else 0.0
        if self._stood_s < (CALM_S if self._limits.left else FILTERED_CALM_S):
            return
        self._tries += 1
        last = not self._limits.left and self._tries >= TRIES
        there = left < ROUGH_M and off < ROUGH_RAD if last else left < KEPT_M and off < KEPT_RAD
        if there:
            self._finish()
        elif last:
            self.failure = f"stands {left:.2f} m and {degrees(off):.0f} degrees off after {TRIES} tries"
        self._waiting = False


MOVED_M = 0.15  # a thing that moved by more is gone after
MOVED_RAD = 0.3  # one whose direction turned by more is faced anew; steps beside a near thing turn it by less
TOUCH_M = 0.1  # nearer to a thing than this its direction says nothing, and the one of before is kept
FOLLOW_S = 20.0  # s more than the way takes at first, in which a thing that moves may be reached
DISTANCE_M = 0.25  # before a thing, where the body file has no default: near enough to grab or kick
ROUND_M = 0.45  # kept from the middle of a thing on the way behind it


class GoTo(Program):
    """Walks to the goal, and after it if it moves.

    goal: gives it and the way there, from the pose of the body; None keeps the one before. things: other bodies among
    them are gone round. pace: share of full speed (0..1) that it keeps below.
    """

    def __init__(
        self,
        limits: WalkLimits,
        goal: Callable[[Pose], tuple[Goal, Way] | None],
        things: Things,
        pace: float = 1.0,
    ) -> None:
        super().__init__(limits, FOLLOW_S)
        self._find = goal
        self._things = things
        self._pace = pace
        self._goal: Goal | None = None
        self._reach: Reach | None = None

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
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
            self.patience += self._reach.patience / self._pace
        self.failure = self._reach.failure
        self.done, self.progress = self._reach.done, max(self.progress, self._reach.progress)
        pace = self._pace
        return replace(command, forward=within(command.forward, pace), left=within(command.left, pace))


def go_to(skill: Skill, values: Values, limits: WalkLimits, things: Things) -> GoTo:
    """Return the program of a skill of walk ``to``.

    Args:
        skill: for the text of errors.
        values: x, y (m) and, where it matters, yaw (rad) in ``map``; yaw alone turns on the spot. Or ``thing``, an id
            or a kind, ``distance`` (m) that is left between it and the body, and perhaps ``towards``, another thing:
            the place is then behind the first one, on the line to that. A ``distance`` is also kept from x and y, which
            are faced then. ``speed``: at most so fast, m/s; without it as fast as the gait goes.
        limits: of the gait.
        things: that are known.

    Raises:
        CommandError: neither or both are given, or no such thing is known.
    """
    name, place = str(values.get("thing", "")), [axis for axis in ("x", "y") if axis in values]
    towards = str(values.get("towards", ""))
    yaw = float(values["yaw"]) if "yaw" in values else None
    if len(place) == 1 or bool(name) + bool(place) > 1 or not (name or place or yaw is not None):
        raise CommandError(
            f"skill {skill.name!r}: give either a thing, or x and y and perhaps yaw, or yaw alone"
        )
    if (towards and not name) or (yaw is not None and (name or "distance" in values)):
        raise CommandError(
            f"skill {skill.name!r}: towards goes with a thing, and yaw with neither a thing nor a distance"
        )
    pace = min(float(values["speed"]) / limits.forward, 1.0) if "speed" in values else 1.0
    spot = Spot(float(values["x"]), float(values["y"])) if place else None
    if not name and "distance" not in values:
        return GoTo(limits, _Place(spot, yaw), things, pace)
    target = spot or Target(name, things)
    distance = float(values.get("distance", DISTANCE_M))
    beside = _BesideThing(target, Target(towards, things) if towards else None, distance)
    return GoTo(limits, beside, things, pace)


class _Place:
    """Represents a place, at first that of the body; without a yaw the heading is that of the way there."""

    def __init__(self, spot: Spot | None, yaw: float | None) -> None:
        self._spot, self._yaw = spot, yaw

    def __call__(self, pose: Pose) -> tuple[Goal, Way]:
        self._spot = self._spot or Spot(pose.x, pose.y)
        x, y = self._spot.last(pose)
        if self._yaw is None:
            self._yaw = atan2(y - pose.y, x - pose.x)
        return (x, y, self._yaw), straight


class _BesideThing:
    """Represents the place before a thing on the straight way to it, or behind it on the line to another one."""

    def __init__(self, thing: Target | Spot, towards: Target | None, distance: float) -> None:
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
