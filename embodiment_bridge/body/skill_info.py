# SPDX-License-Identifier: Apache-2.0
"""The parameters of skills as a body file declares them, and descriptions of the usual ones."""

from dataclasses import dataclass
from math import inf

from embodiment_bridge.body.state import ParameterInfo

# s after its motion in which the joints of a skill have to arrive, and a body that stands has to come to rest.
SETTLE_S = 1.0
FALL_S = 3.0  # s after the end of a motion in which a fall is told with it

# Descriptions of the usual skills and parameters, in one sentence each; a body file may add its own.

SKILLS = {
    "reset": "Bring all joints to rest and show the neutral light.",
    "stand": "Stand upright and still.",
    "say": "Say a text aloud, or send it to the other players.",
    "talk": "Say a text to those near by.",
    "shout": "Say a text so that it is heard far away.",
    "beam": "Be placed somewhere by the server, before kick-off or after a goal.",
    "get_up": "Get up after a fall; done at once by a body that stands.",
    "kick": "Kick the ball, which must be at the feet.",
    "find": "Turn until a thing is seen.",
    "dribble": "Push the ball to a thing or a place.",
    "grab": "Take what is in reach into the hand.",
    "drop": "Let go of what is in the hand.",
    "use": "Use what is in the hand, or eat the food.",
    "attack": "Attack what is ahead.",
    "look": "Look around with the head.",
    "look_at": "Turn the head to a thing or a place.",
    "wait": "Wait for some cycles of the simulation.",
    "explore": "Walk around until something new is known.",
    "go_to": "Walk to a place or a thing.",
    "walk": "Walk, until the first of its limits is reached.",
    "step_forward": "Walk a short way forward.",
    "step_backward": "Walk a short way backward.",
    "step_left": "Walk a short way to the left without turning.",
    "step_right": "Walk a short way to the right without turning.",
    "turn_left": "Turn on the spot to the left.",
    "turn_right": "Turn on the spot to the right.",
    "head_shake": "Shake the head.",
    "waist_shake": "Turn the torso to and fro.",
    "hand_pitch": "Raise the left arm, then the right one.",
    "hand_roll": "Swing both arms.",
    "hand_grip": "Close both hands.",
    "hand_relax": "Open both hands.",
    "foot_yaw": "Turn the toes to the left and to the right.",
    "foot_pitch": "Lift the left foot, then the right one.",
    "eye_off": "Switch the light of the eyes off.",
    "eye_open": "Open the eyes.",
    "eye_close": "Close the eyes.",
    "eye_wink": "Wink.",
}
PARAMETERS = {
    "distance": "Length of the way.",
    "angle": "How far to turn.",
    "steps": "Number of steps.",
    "speed": "Speed; negative is backward where the range allows it.",
    "turn": "Rate of turning, positive to the left.",
    "direction": "Direction from the heading, positive to the left.",
    "duration": "How long.",
    "cycles": "Number of cycles.",
    "x": "Place in the frame map.",
    "y": "Place in the frame map.",
    "z": "Place in the frame map.",
    "yaw": "Heading in the frame map, 0 along x, positive to the left.",
    "text": "What to say.",
    "entity": "Id or kind of a thing in the world.",
    "thing": "Name of a thing.",
    "until": "Kind of thing to look for.",
}
EMOTIONS = ("happy", "sad", "angry", "surprised", "afraid", "disgusted", "sleepy", "curious", "neutral")


def describe_skill(name: str) -> str:
    """One sentence about a skill of a usual name; empty for another name."""
    if name in SKILLS:
        return SKILLS[name]
    if name in EMOTIONS:
        return describe_emotion(name)
    if name.startswith("eye_"):
        return f"Light the eyes {name.removeprefix('eye_').removesuffix('_1').replace('_', ' ')}."
    return ""


def describe_emotion(name: str) -> str:
    """One sentence about a skill that shows an emotion."""
    return f"Show the emotion {name}."


def describe_parameter(name: str) -> str:
    """One sentence about a parameter of a usual name; empty for another name."""
    return PARAMETERS.get(name, "")


ANYTHING = "1"  # the unit of a number without one


@dataclass(frozen=True, slots=True)
class Parameter:
    """A numeric parameter of a skill: its range and, if it has one, its default; ``required`` as for a text."""

    name: str
    lower: float
    upper: float
    unit: str = ""
    default: float | None = None
    description: str = ""
    required: bool = False

    def info(self, description: str = "") -> ParameterInfo:
        """Return what clients may know of it; ``description`` counts where it has none of its own."""
        default = "" if self.default is None else f"{self.default:g}"
        text = self.description or description
        return ParameterInfo(
            self.name, text, "number", self.unit or ANYTHING, self.lower, self.upper, self.required, default
        )


@dataclass(frozen=True, slots=True)
class TextParameter:
    """A text parameter of a skill: at most ``longest`` characters and, if it has one, its default.

    ``is_thing``: the text is the id or the kind of an entity. ``required``: the skill is refused without it.
    """

    name: str
    longest: int
    default: str | None = None
    description: str = ""
    is_thing: bool = False
    required: bool = False

    def info(self, description: str = "") -> ParameterInfo:
        """Return what clients may know of it; ``description`` counts where it has none of its own."""
        text = f"{self.description or description} At most {self.longest} characters.".strip()
        kind = "thing" if self.is_thing else "text"
        return ParameterInfo(self.name, text, kind, "", -inf, inf, self.required, self.default or "")
