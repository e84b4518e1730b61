# SPDX-License-Identifier: Apache-2.0
"""The native skills of the mock body: their preconditions and effects in its world."""

from collections.abc import Callable, Mapping
from functools import partial
from math import atan2, cos, degrees, sin, sqrt, tan

from typing_extensions import override

from embodiment_bridge.body.description import Joint, Keyframe, Skill
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import Vector, wrap_angle
from embodiment_bridge.mock import ball
from embodiment_bridge.mock.sight import EYES_HEIGHT, sightings, things
from embodiment_bridge.mock.world import BASE_HEIGHT, World
from embodiment_bridge.motion.skills.native import Native, Start

REACH = 0.5  # m over the floor, from the middle of the robot to that of the ball
GRAB_SIDE = 1.0  # rad to each side
KICK_SIDE = 0.7
LONGEST_TEXT = 200  # characters that can be said at once
LETTER_S = 0.06  # s to say one letter
SHORTEST_S = 0.3  # s of the shortest utterance
WAIST, HEAD = "waist_yaw", ("head_yaw", "head_pitch")
KICK_SPEED = 2.0  # m/s, where nothing is said
KICK_TURN = 0.6  # rad to each side, into which the foot can kick


class TimedAction(Native):
    """An action at a given share of a skill's time, if it is possible at the start of the skill and at that time.

    Args:
        length: s of the skill.
        keyframes: the motion of the joints during the skill.
        hindrance: gives the reason why the action is not possible now; empty if it is.
        act: does the action.
        at: share of the time at which it is done, 0..1.
    """

    def __init__(
        self,
        length: float,
        keyframes: tuple[Keyframe, ...],
        hindrance: Callable[[], str],
        act: Callable[[], None],
        at: float,
    ) -> None:
        super().__init__(keyframes)
        self._hindrance, self._act = hindrance, act
        self._length, self._at = length, length * at
        self._elapsed = 0.0
        self._acted = False

    @override
    def step(self, dt: float) -> None:
        if self.done:
            return
        if self._elapsed == 0.0:
            self.failure = self._hindrance()
        self._elapsed += dt
        if not self.failure and not self._acted and self._elapsed >= self._at:
            self.failure = self._hindrance()
            self._acted = True
            if not self.failure:
                self._act()
        self.progress = min(self._elapsed / self._length, 1.0) if self._length > 0.0 else 1.0
        self.done = bool(self.failure) or (self._acted and self.progress >= 1.0)


class NativeSkills:
    """Starts the native skills of a body with these joints; ``starts`` is for the motion runner."""

    def __init__(self, world: World, joints: tuple[Joint, ...]) -> None:
        self._world = world
        self._joints = {joint.name: joint for joint in joints}
        self.starts: dict[str, Start] = {
            "grab": self._grab,
            "drop": self._drop,
            "kick": self._kick,
            "say": self._say,
            "look_at": self._look_at,
        }

    def _grab(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        self._check_ball(skill, values)
        return self._timed_action(skill, slot, self._grab_hindrance, self._world.ball.take, 0.5)

    def _drop(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        return self._timed_action(skill, slot, self._drop_hindrance, self._world.release_ball, 0.5)

    def _kick(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        self._check_ball(skill, values)
        if "speed" in values and "distance" in values:
            raise CommandError(f"skill {skill.name!r}: give either a speed or a distance")
        speed = float(values.get("speed", KICK_SPEED))
        if "distance" in values:
            speed = sqrt(2.0 * ball.SLOWING * float(values["distance"]))
        direction = self._kick_direction(skill, values)
        return self._timed_action(
            skill, slot, self._kick_hindrance, partial(self._world.kick_ball, speed, direction), 0.6
        )

    def _kick_direction(self, skill: Skill, values: Mapping[str, float | str]) -> float:
        """The direction from the heading, rad, + left: as given, or from the ball to a thing or a place."""
        name, place = str(values.get("towards", "")), [axis for axis in "xy" if axis in values]
        if len(place) == 1 or bool(name) + bool(place) + ("direction" in values) > 1:
            raise CommandError(f"skill {skill.name!r}: give a direction, or towards, or x and y")
        if not name and not place:
            return float(values.get("direction", 0.0))
        x, y = (float(values[axis]) for axis in "xy") if place else self._place_of(name)
        lies, base = self._world.ball, self._world.base
        direction = wrap_angle(atan2(y - lies.y, x - lies.x) - base.yaw)
        if abs(direction) > KICK_TURN:
            raise CommandError(
                f"skill {skill.name!r}: that is {degrees(direction):.0f} degrees to the left of the heading; "
                f"the foot kicks up to {degrees(KICK_TURN):.0f} degrees to each side"
            )
        return direction

    def _place_of(self, name: str) -> tuple[float, float]:
        known = things(self._world)
        if name not in known:
            raise CommandError(unknown("thing", name, known))
        x, y, _ = known[name].position
        return x, y

    def _check_ball(self, skill: Skill, values: Mapping[str, float | str]) -> None:
        name = values.get("entity", values.get("thing", "ball"))
        if name != "ball":
            raise CommandError(f"skill {skill.name!r}: {unknown('thing for it', str(name), ('ball',))}")

    def _say(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        text = str(values.get("text", ""))
        if not text.strip():
            raise CommandError(f"skill {skill.name!r}: there is no text to say")
        length = max(slot, SHORTEST_S, LETTER_S * len(text))
        return TimedAction(length, (), _possible, partial(self._world.say, text), 1.0)

    def _look_at(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        x, y, z = self._target(skill, values)
        left = wrap_angle(self._world.bearing(x, y) - self._world.angle(WAIST))
        down = atan2(BASE_HEIGHT + EYES_HEIGHT - z, self._world.distance(x, y))
        position = dict(zip(HEAD, (left, down), strict=True))
        for name, angle in position.items():
            joint = self._joints.get(name)
            if joint is None:
                raise CommandError(f"skill {skill.name!r}: the body has no joint {name!r}")
            if not joint.lower <= angle <= joint.upper:
                raise CommandError(
                    f"skill {skill.name!r}: {name} would have to be at {degrees(angle):.0f} degrees; "
                    f"it goes from {degrees(joint.lower):.0f} to {degrees(joint.upper):.0f}"
                )
        return TimedAction(slot or skill.nominal_s, (Keyframe(1.0, position),), _possible, _nothing, 1.0)

    def _timed_action(
        self, skill: Skill, slot: float, hindrance: Callable[[], str], act: Callable[[], None], at: float
    ) -> Native:
        return TimedAction(slot or skill.nominal_s, skill.keyframes, hindrance, act, at)

    def _target(self, skill: Skill, values: Mapping[str, float | str]) -> Vector:
        place = [values[axis] for axis in "xyz" if axis in values]
        name = str(values.get("entity", ""))
        beside = "pitch" in values and "yaw" not in values
        if beside or len(place) in (1, 2) or bool(place) + bool(name) + ("yaw" in values) > 1:
            raise CommandError(
                f"skill {skill.name!r}: give either an entity, or all of x, y and z, or yaw and perhaps pitch"
            )
        if "yaw" in values:
            base = self._world.base
            heading = base.yaw + float(values["yaw"])
            down = tan(float(values.get("pitch", 0.0)))
            return base.x + cos(heading), base.y + sin(heading), BASE_HEIGHT + EYES_HEIGHT - down
        if place:
            x, y, z = (float(value) for value in place)
            return x, y, z
        known = {thing.id: thing.position for thing in sightings(self._world, "")}
        if (name or "ball") not in known:
            raise CommandError(unknown("entity", name, known))
        return known[name or "ball"]

    def _grab_hindrance(self) -> str:
        if self._world.ball.held:
            return "the ball is in the hand already"
        return self._out_of_reach("hand", GRAB_SIDE)

    def _drop_hindrance(self) -> str:
        return "" if self._world.ball.held else "there is nothing in the hand"

    def _kick_hindrance(self) -> str:
        if self._world.ball.held:
            return "the ball is in the hand, not on the floor"
        return self._out_of_reach("foot", KICK_SIDE)

    def _out_of_reach(self, limb: str, side: float) -> str:
        lies = self._world.ball
        away, bearing = self._world.distance(lies.x, lies.y), self._world.bearing(lies.x, lies.y)
        if away > REACH:
            return f"the ball is {away:.2f} m away; the {limb} reaches {REACH:g} m"
        if abs(bearing) > side:
            where = "left" if bearing > 0.0 else "right"
            return (
                f"the ball is {abs(degrees(bearing)):.0f} degrees to the {where}; "
                f"the {limb} reaches {degrees(side):.0f} degrees to each side"
            )
        return ""


def _possible() -> str:
    return ""


def _nothing() -> None:
    pass
