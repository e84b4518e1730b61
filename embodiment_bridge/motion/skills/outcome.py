# SPDX-License-Identifier: Apache-2.0
"""Judges what a skill achieved, as far as the body senses it: joints at their goals, a ball moved, a thing held."""

from collections.abc import Iterable
from math import atan2, degrees, hypot, isfinite, isinf, pi
from typing import Final, NamedTuple

from embodiment_bridge.body.description import Joint, Skill
from embodiment_bridge.body.skill_info import SETTLE_S
from embodiment_bridge.body.surroundings import Thing, Things
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.motion.walking.targets import BALL, Spot, Target, Values, named, visible
from embodiment_bridge.motion.walking.walk_program import Pose

# names of the skills that are judged; any of walk ``kick`` is a kick
KICK, GRAB, DROP = ("kick", "grab", "drop")
MOVED: Final = 0.1  # m; a thing at rest seems to move by less while the camera does
RAISED: Final = 0.05  # m, by a hand that does not tell what it holds
# rad beside the asked direction: others in the way are kicked past by up to 0.75 rad
ASKED_WAY: Final = pi / 3
WITHIN_S: Final = 2.0  # s after the motion in which the change has to be seen
UNSEEN: Final = "done as commanded; this body cannot see the result"
# rad that a joint may be off its goal: the arms of T1 and K1 sag by 0.05 and 0.15 in the server's own simulation.
JOINT_TOLERANCE: Final = 0.2
HAND: Final = "hand_"  # channels of fingers, which a thing between them stops


class Verdict(NamedTuple):
    """Says whether the skill achieved its purpose, and a text for people: where the thing is, or that it is unseen."""

    achieved: bool
    text: str = ""


Reached = tuple[Joint, float, float]  # a joint, its sensed angle (nan: not sensed) and its goal, rad


def arrival(joints: Iterable[Reached], waited_s: float) -> Verdict | None:
    """Judge whether joints are where a motion was to bring them, ``waited_s`` s after it; None while they may arrive.

    Fingers may be stopped by what they hold, which is told. A joint without limits is a wheel, and has no goal.
    """
    limited = [one for one in joints if not isinf(one[0].upper)]
    unseen = any(not isfinite(sensed) for _, sensed, _ in limited)
    off = [one for one in limited if abs(one[1] - one[2]) > JOINT_TOLERANCE]
    if (off or unseen) and waited_s < SETTLE_S:
        return None
    failed = [one for one in off if not one[0].channel.startswith(HAND)]
    text = ", ".join(
        f"{joint.name} is at {sensed:.2f} rad, not at {goal:.2f}" for joint, sensed, goal in failed or off
    )
    return Verdict(not failed, "; ".join(filter(None, (text, UNSEEN if unseen else ""))))


class Outcome:
    """Compares a thing before and after a skill; ``watch`` before the skill changes it, ``verdict`` after the motion.

    Args:
        kind: KICK, GRAB or DROP.
        thing: None where the body knows of none: the result cannot be seen.
        body: its name, which is the ``owner`` of what is in its hand.
        towards: where a kick is to go, or the direction beside the heading, rad; None: anywhere.
    """

    def __init__(
        self, kind: str, thing: Target | None, body: str, towards: Target | Spot | float | None = None
    ) -> None:
        self._kind, self._thing, self._body, self._towards = kind, thing, body, towards
        self._before: Thing | None = None
        self._after: Thing | None = None
        self._way: float | None = None

    def watch(self, pose: Pose) -> None:
        """Note where the thing is now; ``pose`` of the body."""
        now = self._thing.now(pose) if self._thing is not None else None
        if now is None:
            return
        self._before = now
        if isinstance(self._towards, float):
            self._way = pose.yaw + self._towards if self._way is None and not pose.reckoned else self._way
        elif self._towards is not None:
            x, y = self._towards.last(pose)
            self._way = atan2(y - now.position[1], x - now.position[0])

    def verdict(self, pose: Pose, waited_s: float) -> Verdict | None:
        """Return what the skill achieved, ``waited_s`` s after its motion; None while it may still be seen."""
        if self._thing is None or self._before is None:
            return Verdict(True, UNSEEN)
        now = self._thing.now(pose)
        if now is not None and visible(now):
            self._after = now
            if not self._fault(self._before, now):
                return Verdict(True)
        if waited_s < WITHIN_S:
            return None
        if self._after is None:
            return Verdict(True, UNSEEN)
        return Verdict(False, f"{self._thing.name!r} {self._fault(self._before, self._after)}")

    def _fault(self, before: Thing, now: Thing) -> str:
        """Return what is wrong with the thing; empty if it is as it should be."""
        x, y, z = now.position
        if self._kind == GRAB:
            held = _owner(now) == self._body or z - before.position[2] >= RAISED
            return "" if held else f"is not in the hand: it is at {x:.2f} {y:.2f} {z:.2f} m"
        if self._kind == DROP:
            return "is still in the hand" if _owner(now) == self._body else ""
        dx, dy = x - before.position[0], y - before.position[1]
        gone = hypot(dx, dy)
        if gone < MOVED:
            return f"has not moved: it is at {x:.2f} {y:.2f} m"
        off = 0.0 if self._way is None else wrap_angle(atan2(dy, dx) - self._way)
        if abs(off) <= ASKED_WAY:
            return ""
        side = "left" if off > 0.0 else "right"
        beside = f"{degrees(abs(off)):.0f} degrees to the {side} of the asked way"
        return f"went {gone:.2f} m, {beside}, to {x:.2f} {y:.2f} m"


def _owner(thing: Thing) -> str:
    return dict(thing.properties).get("owner", "")


def outcome_of(skill: Skill, values: Values, things: Things, body: str) -> Outcome | None:
    """Return the judge of a skill of the body of this name; None for a skill whose own end says all."""
    kind = KICK if skill.walk == KICK else skill.name
    if kind not in (KICK, GRAB, DROP):
        return None
    known = things()
    name = str(values.get("thing") or values.get("entity") or BALL)
    if kind == DROP:
        name = next((id_ for id_, thing in known.items() if _owner(thing) == body), "")
    thing = Target(name, things) if named(name, known) else None
    return Outcome(kind, thing, body, _towards(values, things) if kind == KICK else None)


def _towards(values: Values, things: Things) -> Target | Spot | float | None:
    """Return where a kick is to go; its parameters have been checked by the skill."""
    name, direction = str(values.get("towards", "")), values.get("direction")
    if name and named(name, things()):
        return Target(name, things)
    if "x" in values and "y" in values:
        return Spot(float(values["x"]), float(values["y"]))
    return direction if isinstance(direction, float) else None
