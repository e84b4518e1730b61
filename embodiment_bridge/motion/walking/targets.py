# SPDX-License-Identifier: Apache-2.0
"""Things by their id or kind, and places beside them: before a thing, or behind it on the line to another one."""

from collections.abc import Mapping
from math import atan2, cos, hypot, sin
from typing import TypeAlias

from embodiment_bridge.body.state import ZERO3
from embodiment_bridge.body.surroundings import Thing, Things
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.motion.walking.walk_program import Pose

Goal: TypeAlias = tuple[float, float, float]  # x, y m, yaw rad, in map
Values: TypeAlias = Mapping[str, float | str]
BALL = "ball"  # the kind of thing that is kicked or dribbled if none is named
LOST_S = 3.0  # s without the ball, after which a program has failed


def named(name: str, known: Mapping[str, Thing]) -> list[str]:
    """Return the thing of this id, or else all things of this kind."""
    return [name] if name in known else [id_ for id_, thing in known.items() if thing.kind == name]


def visible(thing: Thing) -> bool:
    """Return whether a thing is seen now; one that does not say so is."""
    return bool(getattr(thing, "visible", True))


class Target:
    """Represents a thing by its id or kind: the nearest one, which then keeps its name.

    Raises:
        CommandError: no such thing is known.
    """

    def __init__(self, name: str, things: Things) -> None:
        known = things()
        if not named(name, known):
            raise CommandError(unknown("thing", name, known))
        self.name, self.things = name, things
        self._last: Thing | None = None

    def now(self, pose: Pose) -> Thing | None:
        """Return the thing; None where it is not known any more."""
        known = self.things()
        ids = named(self.name, known)
        if not ids:
            return None
        self.name = min(ids, key=lambda id_: hypot(*way_to(pose, known[id_])))
        self._last = known[self.name]
        return self._last

    def last(self, pose: Pose) -> tuple[float, float]:
        """Return where the target is, or was seen last (x, y)."""
        thing = self.now(pose) or self._last
        return (thing.position[0], thing.position[1]) if thing is not None else (pose.x, pose.y)


class Ball(Target):
    """Represents a target of a program that looks at it in every cycle, and fails without it."""

    def __init__(self, name: str, things: Things) -> None:
        super().__init__(name, things)
        self._missed_s = 0.0

    def watch(self, pose: Pose, dt: float) -> Thing | None:
        """Return the thing as ``now`` does, ``dt`` s after the last call."""
        ball = self.now(pose)
        self._missed_s = self._missed_s + dt if ball is None else 0.0
        return ball

    @property
    def lost(self) -> str:
        """The reason why the program has failed; empty while it may still go on."""
        return "the ball is not known any more" if self._missed_s > LOST_S else ""


class Spot:
    """Represents a fixed place on the ground, as a target."""

    kind = "place"
    properties = ()

    def __init__(self, x: float, y: float) -> None:
        self.position, self.size = (x, y, 0.0), ZERO3

    def now(self, pose: Pose) -> Thing:
        """Return the place as a thing without size."""
        return self

    def last(self, pose: Pose) -> tuple[float, float]:
        """Return the place (x, y)."""
        return self.position[:2]


def target_of(skill: str, values: Values, key: str, things: Things) -> Target | Spot | None:
    """Return the target of a skill: the thing that ``key`` names, or x and y; None if neither is given.

    Raises:
        CommandError: both are given, or only one of x and y, or no such thing is known.
    """
    name, place = str(values.get(key, "")), [axis for axis in ("x", "y") if axis in values]
    if (name and place) or len(place) == 1:
        raise CommandError(f"skill {skill!r}: give either {key}, or x and y")
    if place:
        return Spot(float(values["x"]), float(values["y"]))
    return Target(name, things) if name else None


def way_to(pose: Pose, thing: Thing) -> tuple[float, float]:
    """Return the way (m, along x and y of map) from the body to the nearest point of the thing."""
    (x, y, _), (wide, deep, _) = thing.position, thing.size
    nearest_x = min(max(pose.x, x - 0.5 * wide), x + 0.5 * wide)
    nearest_y = min(max(pose.y, y - 0.5 * deep), y + 0.5 * deep)
    return nearest_x - pose.x, nearest_y - pose.y


def before(pose: Pose, thing: Thing, distance: float) -> Goal:
    """Return the pose ``distance`` m before a thing on the straight way to it, facing it."""
    dx, dy = way_to(pose, thing)
    gap = hypot(dx, dy)
    yaw = atan2(dy, dx) if gap else atan2(thing.position[1] - pose.y, thing.position[0] - pose.x)
    ahead = max(gap - distance, 0.0)
    return pose.x + ahead * cos(yaw), pose.y + ahead * sin(yaw), yaw


def behind(thing: Thing, towards: tuple[float, float], distance: float) -> Goal:
    """Return the pose ``distance`` m behind a thing on the line through it to ``towards``, facing both."""
    x, y, _ = thing.position
    yaw = atan2(towards[1] - y, towards[0] - x)
    back = distance + 0.5 * min(thing.size[0], thing.size[1])
    return x - back * cos(yaw), y - back * sin(yaw), yaw
