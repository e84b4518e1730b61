# SPDX-License-Identifier: Apache-2.0
"""Makes the walk program of a walking skill from its parameters."""

from collections.abc import Mapping
from math import copysign, cos, inf, sin

from embodiment_bridge.body.description import Carrier, Skill, WalkLimits
from embodiment_bridge.body.surroundings import Things, no_things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.walking.dribble import dribble
from embodiment_bridge.motion.walking.go_to import Find, go_to
from embodiment_bridge.motion.walking.kick import kick_ball
from embodiment_bridge.motion.walking.targets import BALL
from embodiment_bridge.motion.walking.walk_program import Program, Turn, Twist, Walk

STRAIGHT = 0.02  # share of the speed that may go to the side of a walk that counts as straight
CALM_DOWN_S = 0.3  # s from the last step until the body is calm: part of the slot


def program_of(
    skill: Skill,
    parameters: Mapping[str, float | str],
    slot: float,
    carrier: Carrier,
    things: Things = no_things,
) -> Program:
    """Return the program of a skill of kind ``walk``.

    Args:
        skill: its ``walk`` is line or side (distance), turn (angle), place or twist (as long as the slot), free, to
            (a thing or a place), find (a thing), kick or dribble (a ball).
        parameters: checked and with defaults.
        slot: s, 0 for the natural length.
        carrier: what moves the body.
        things: that the body knows.

    Raises:
        CommandError: the parameters contradict each other, or a thing is not known.
    """
    limits = carrier.walk
    if skill.walk == "to":
        return go_to(skill, parameters, limits, things)
    if skill.walk == "find":
        return Find(limits, str(parameters["thing"]), things, skill.nominal_s)
    if skill.walk == "kick":
        return kick_ball(skill, parameters, limits, carrier.kick, things)
    if skill.walk == "dribble":
        return dribble(skill, parameters, limits, things)
    values = numbers_of(parameters)
    length = max((slot or skill.nominal_s) - CALM_DOWN_S, 0.1)
    if skill.walk == "line":
        return Walk(limits, skill.direction, distance=values["distance"])
    if skill.walk == "side":
        return Walk(limits, 0.0, distance=values["distance"], left=skill.direction)
    if skill.walk == "turn":
        return Turn(limits, skill.direction * values["angle"])
    if skill.walk == "place":
        return Walk(limits, 0.0, duration=length)
    if skill.walk == "twist":
        return Twist(limits, length)
    return _free(skill, values, length, slot, carrier)


def needs_place(skill: Skill, parameters: Mapping[str, float | str]) -> bool:
    """Return whether only a body that knows where it is can do this: it goes by places of things.

    Parameters as above.
    """
    if skill.walk != "kick":
        return skill.walk in ("to", "dribble")
    aimed = any(parameters.get(name) for name in ("towards", "direction"))
    return aimed or "x" in parameters or "y" in parameters or parameters.get("thing", BALL) != BALL


def _free(skill: Skill, values: Mapping[str, float], length: float, slot: float, carrier: Carrier) -> Program:
    limits = carrier.walk
    distance, speed, turn = values.get("distance"), values.get("speed"), values.get("turn", 0.0)
    if speed is None:
        speed = copysign(full_speed(limits, distance or 1.0), distance or 1.0)
    if distance is not None and distance * speed <= 0.0:
        raise CommandError(
            f"skill {skill.name!r}: distance {distance:g} m cannot be walked at speed {speed:g} m/s"
        )
    forward, left = _parts(skill, limits, speed, values.get("direction", 0.0))
    times = [length] if slot else []
    if "duration" in values:
        times.append(values["duration"])
    if "steps" in values:
        times.append(values["steps"] * carrier.step_at(forward) + 0.5 / limits.amplitude_rate)
    if not times:
        times = [length if distance is None else inf]
    way = inf if distance is None else abs(distance)
    return Walk(limits, forward, share(turn, limits.turn), way, min(times), left)


def _parts(skill: Skill, limits: WalkLimits, speed: float, direction: float) -> tuple[float, float]:
    """Return the shares of full speed forward and left for ``speed`` m/s towards ``direction`` rad."""
    ahead, aside = speed * cos(direction), speed * sin(direction)
    if abs(aside) <= STRAIGHT * abs(speed):
        return share(ahead, full_speed(limits, ahead)), 0.0
    if not limits.left:
        raise CommandError(
            f"skill {skill.name!r}: direction {direction:g} rad, but this body cannot go sideways"
        )
    parts = ahead / full_speed(limits, ahead), aside / limits.left
    most = max(abs(parts[0]), abs(parts[1]), 1.0)
    return parts[0] / most, parts[1] / most


def share(wanted: float, full: float) -> float:
    """Return ``wanted`` as a share of ``full`` (> 0), limited to -1..1."""
    return min(max(wanted / full, -1.0), 1.0)


def full_speed(limits: WalkLimits, direction: float) -> float:
    """Return the speed of the gait at full command, m/s (> 0); forward or backward by the sign of ``direction``."""
    return limits.forward if direction >= 0.0 else limits.backward


def numbers_of(parameters: Mapping[str, float | str]) -> dict[str, float]:
    """Return the parameters that are numbers."""
    return {name: value for name, value in parameters.items() if not isinstance(value, str)}
