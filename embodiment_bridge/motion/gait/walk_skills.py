# SPDX-License-Identifier: Apache-2.0
"""Makes the walk program of a walking skill from its parameters."""

from collections.abc import Mapping
from math import copysign, inf

from embodiment_bridge.body.description import Base, Gait, Skill, WalkLimits
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.gait.walk_program import Program, Turn, Twist, Walk

CALM_DOWN_S = 0.3  # s from the last step until the body is calm: part of the slot


def program_of(skill: Skill, values: Mapping[str, float], slot: float, carrier: Gait | Base) -> Program:
    """The program of a skill of kind ``walk``.

    Args:
        skill: its ``walk`` is line (distance), turn (angle), place or twist (as long as the slot), or free.
        values: parameters, checked and with defaults.
        slot: s, 0 for the natural length.
        carrier: the gait or base of the body.

    Raises:
        CommandError: the parameters contradict each other.
    """
    limits = carrier.walk
    length = max((slot or skill.nominal_s) - CALM_DOWN_S, 0.1)
    if skill.walk == "line":
        return Walk(limits, skill.direction, distance=values["distance"])
    if skill.walk == "turn":
        return Turn(limits, skill.direction * values["angle"])
    if skill.walk == "place":
        return Walk(limits, 0.0, duration=length)
    if skill.walk == "twist":
        return Twist(limits, length)
    return _free(skill, values, length, slot, carrier)


def _free(
    skill: Skill, values: Mapping[str, float], length: float, slot: float, carrier: Gait | Base
) -> Program:
    limits = carrier.walk
    distance, speed, turn = values.get("distance"), values.get("speed"), values.get("turn", 0.0)
    if speed is None:
        speed = copysign(full_speed(limits, distance or 1.0), distance or 1.0)
    if distance is not None and distance * speed <= 0.0:
        raise CommandError(
            f"skill {skill.name!r}: distance {distance:g} m cannot be walked at speed {speed:g} m/s"
        )
    times = [length] if slot else []
    if "duration" in values:
        times.append(values["duration"])
    if "steps" in values:
        times.append(values["steps"] * carrier.step_s + 0.5 / limits.amplitude_rate)
    if not times:
        times = [length if distance is None else inf]
    way = inf if distance is None else abs(distance)
    return Walk(limits, share(speed, full_speed(limits, speed)), share(turn, limits.turn), way, min(times))


def share(wanted: float, full: float) -> float:
    """``wanted`` as a share of ``full`` (> 0), limited to -1..1."""
    return min(max(wanted / full, -1.0), 1.0)


def full_speed(limits: WalkLimits, direction: float) -> float:
    """The speed of the gait at full command, m/s (> 0); forward or backward by the sign of ``direction``."""
    return limits.forward if direction >= 0.0 else limits.backward
