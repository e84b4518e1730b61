# SPDX-License-Identifier: Apache-2.0
"""Judges by what a watcher saw whether the world shows that an action was done."""

import math
import re
from dataclasses import dataclass

from world_watcher import WorldWatcher

MOVED_JOINT = 0.1  # rad
MOVED_BASE = 0.03  # m
TURNED = 0.1  # rad
MOVED_THING = 0.1  # m
HERE = 0.6  # m from a place where a walk should end: half a cell of a grid and a bit
AT_A_THING = 1.2  # m
COLORS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0)}
COLORS |= {"happy_eyes": (0, 1, 0), "sad_eyes": (0, 0, 1), "angry_eyes": (1, 0, 0)}
LIMBS = (  # the limb that an action moves, by its name
    ("head", "shake_head|head_shake|look_"),
    ("waist", "waist_shake|wag|dance1|lean_rock_dance"),
    ("hand", "hand_grip|hand_relax"),
    ("arm", "hand_pitch|hand_roll|stretch"),
    ("leg", "foot_|tap_dance"),
)


@dataclass(frozen=True)
class Scene:
    """Where an action was done: the thing that it was about, the place to walk to (m in map), what the body has.

    stays: the body cannot leave its place, and shows steps and turns by its legs.
    """

    thing: str
    place: tuple[float, float]
    stays: bool
    has_joints: bool


def shown(action: str, scene: Scene, seen: WorldWatcher, since: float, until: float) -> bool:
    """Whether the world showed the action, by its name in snake_case; of some, such as speech, it shows nothing."""
    steps = re.match("step_|turn|rotate|run_in_circle", action)
    if scene.stays and steps:
        return seen.travel("leg", since, until) > MOVED_JOINT
    backward, forward = seen.ahead(since, until)
    right, left = seen.turned(since, until)
    match action:
        case "step_forward":
            return forward > MOVED_BASE
        case "step_backward":
            return backward < -MOVED_BASE
        case "turn_left" | "rotate_left":
            return left > TURNED
        case "turn_right" | "rotate_right" | "rotate":
            return right < -TURNED
        case "run_in_circle":
            return left > TURNED and seen.away(since, until) > MOVED_BASE
        case "walk" | "go_to" | "beam":
            return seen.distance(*scene.place, since, until) < HERE
        case "dribble":
            places = seen.where(scene.thing, since, until)
            return any(math.dist(scene.place, place) < HERE for place in places)
        case "kick":
            places = seen.where(scene.thing, since, until)
            return any(math.dist(places[0], place) > MOVED_THING for place in places)
        case "move_to_obj" | "sniff_at" | "follow":
            places = seen.where(scene.thing, since, until)
            return any(seen.distance(*place, since, until) < AT_A_THING for place in places)
        case "grab":
            return any(scene.thing in kinds for kinds in seen.held(since, until))
        case "drop" | "hand_relax" if not scene.has_joints:
            return seen.held(since, until)[-1:] == [frozenset()]
        case "hand_grip" if not scene.has_joints:
            return any(seen.held(since, until))
    color = COLORS.get(action.removeprefix("eye_"))
    if color is not None:
        return seen.showed(color, since, until)
    limb = next((limb for limb, names in LIMBS if re.match(names, action)), "")
    return not limb or not scene.has_joints or seen.travel(limb, since, until) > MOVED_JOINT
