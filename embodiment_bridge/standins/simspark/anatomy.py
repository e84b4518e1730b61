# SPDX-License-Identifier: Apache-2.0
"""Poses of the parts of a Nao: forward kinematics in the torso's frame (x right, y forward, z up; m).

Places and order of the parts are those that the monitor stream of rcssserver3d 0.7.3 shows for a Nao with all joints
at zero, arms forward; the axes are those of its model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]  # rows

IDENTITY: Final[Matrix] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SOLE_M: Final = 0.01  # m, from the centre of a foot down to its sole


@dataclass(frozen=True, slots=True)
class Part:
    """One body: it turns with ``joint`` about ``axis`` through ``hinge``, and its middle is at ``place``.

    ``hinge`` and ``place`` are in the torso's frame with all joints at zero.
    """

    name: str
    parent: str
    place: Vector
    joint: str = ""
    axis: Vector = (0.0, 0.0, 0.0)
    hinge: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Pose:
    """Pose of a part: its centre, and its axes as the columns of ``turn``."""

    place: Vector
    turn: Matrix


@dataclass(frozen=True, slots=True)
class Limbs:
    """Lengths by which the types differ, m: of upper arm, thigh and shank, and from the middle to a hip."""

    arm: float = 0.09
    thigh: float = 0.12
    shank: float = 0.1
    hip: float = 0.055


TYPES: Final[Mapping[int, Limbs]] = {
    1: Limbs(0.12664, 0.13832, 0.11832),
    3: Limbs(0.145736848, 0.147868424, 0.127868424, 0.072954143),
}
"""Types with other limbs than the usual ones, by ``naorobottypes.rb`` of the server."""


def _arm(side: str, x: float, length: float) -> tuple[Part, ...]:
    shoulder, elbow = (x, 0.0, 0.075), (x, length, 0.084)
    outer = (x + (0.01 if x > 0 else -0.01), 0.02, 0.075)
    return (
        Part(f"{side}shoulder", "torso", shoulder, f"{side}aj1", (1.0, 0.0, 0.0), shoulder),
        Part(f"{side}upperarm", f"{side}shoulder", outer, f"{side}aj2", (0.0, 0.0, 1.0), shoulder),
        Part(f"{side}elbow", f"{side}upperarm", elbow, f"{side}aj3", (0.0, 1.0, 0.0), elbow),
        Part(
            f"{side}lowerarm", f"{side}elbow", (x, length + 0.05, 0.084), f"{side}aj4", (0.0, 0.0, 1.0), elbow
        ),
    )


def _leg(side: str, x: float, thigh: float, shank: float) -> tuple[Part, ...]:
    knee = -0.115 - thigh
    hip, ankle = (x, -0.01, -0.115), (x, -0.005, knee - shank)
    aslant = (-(0.5**0.5), 0.0, 0.5**0.5 if x > 0 else -(0.5**0.5))
    right = (1.0, 0.0, 0.0)
    return (
        Part(f"{side}hip1", "torso", hip, f"{side}lj1", aslant, hip),
        Part(f"{side}hip2", f"{side}hip1", hip, f"{side}lj2", (0.0, 1.0, 0.0), hip),
        Part(f"{side}thigh", f"{side}hip2", (x, 0.0, knee + 0.08), f"{side}lj3", right, hip),
        Part(
            f"{side}shank", f"{side}thigh", (x, 0.005, knee - 0.045), f"{side}lj4", right, (x, -0.005, knee)
        ),
        Part(f"{side}ankle", f"{side}shank", ankle, f"{side}lj5", right, ankle),
        Part(
            f"{side}foot",
            f"{side}ankle",
            (x, 0.025, knee - shank - 0.04),
            f"{side}lj6",
            (0.0, 1.0, 0.0),
            ankle,
        ),
    )


def _parts(limbs: Limbs) -> dict[str, Part]:
    parts = (
        Part("torso", "", (0.0, 0.0, 0.0)),
        Part("neck", "torso", (0.0, 0.0, 0.09), "hj1", (0.0, 0.0, 1.0)),
        Part("head", "neck", (0.0, 0.0, 0.155), "hj2", (1.0, 0.0, 0.0), (0.0, 0.0, 0.15)),
        *_arm("r", 0.098, limbs.arm),
        *_arm("l", -0.098, limbs.arm),
        *_leg("r", limbs.hip, limbs.thigh, limbs.shank),
        *_leg("l", -limbs.hip, limbs.thigh, limbs.shank),
    )
    return {part.name: part for part in parts}


USUAL: Final[Mapping[str, Part]] = _parts(Limbs())
_OF_TYPE: Final = {kind: _parts(limbs) for kind, limbs in TYPES.items()}


def anatomy_of(kind: int) -> Mapping[str, Part]:
    """The parts of a robot type, by name."""
    return _OF_TYPE.get(kind, USUAL)


def poses(
    angles_deg: Mapping[str, float], wanted: tuple[str, ...] = (), parts: Mapping[str, Part] = USUAL
) -> dict[str, Pose]:
    """All ``parts`` in the torso's frame, or those ``wanted`` and the ones that carry them; toes are left out."""
    # A frame maps a point of the torso at zero angles to its present place: turn * point + shift.
    frames: dict[str, tuple[Matrix, Vector]] = {}

    def frame(part: Part) -> tuple[Matrix, Vector]:
        known = frames.get(part.name)
        if known is not None:
            return known
        if not part.parent:
            made: tuple[Matrix, Vector] = (IDENTITY, (0.0, 0.0, 0.0))
        else:
            turn, shift = frame(parts[part.parent])
            own = rotation(part.axis, radians(angles_deg.get(part.joint, 0.0)))
            back = subtract(part.hinge, apply(own, part.hinge))
            made = multiply(turn, own), add(apply(turn, back), shift)
        frames[part.name] = made
        return made

    for part in [parts[name] for name in wanted] or parts.values():
        frame(part)
    return {
        name: Pose(add(apply(turn, parts[name].place), shift), turn) for name, (turn, shift) in frames.items()
    }


def rotation(axis: Vector, angle: float) -> Matrix:
    """The matrix that turns by ``angle`` rad about a unit axis."""
    (x, y, z), c, s = axis, cos(angle), sin(angle)
    t = 1.0 - c
    return (
        (t * x * x + c, t * x * y - s * z, t * x * z + s * y),
        (t * x * y + s * z, t * y * y + c, t * y * z - s * x),
        (t * x * z - s * y, t * y * z + s * x, t * z * z + c),
    )


def apply(m: Matrix, v: Vector) -> Vector:
    """``m`` times ``v``."""
    x, y, z = v
    (a, b, c), (d, e, f), (g, h, i) = m
    return (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


def multiply(m: Matrix, n: Matrix) -> Matrix:
    """``m`` times ``n``."""
    (a, b, c), (d, e, f), (g, h, i) = n
    return tuple(  # type: ignore[return-value]
        (x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i) for x, y, z in m
    )


def transposed(m: Matrix) -> Matrix:
    """The inverse of a rotation."""
    (a, b, c), (d, e, f), (g, h, i) = m
    return (a, d, g), (b, e, h), (c, f, i)


def add(v: Vector, w: Vector) -> Vector:
    """``v`` plus ``w``."""
    return v[0] + w[0], v[1] + w[1], v[2] + w[2]


def subtract(v: Vector, w: Vector) -> Vector:
    """``v`` minus ``w``."""
    return v[0] - w[0], v[1] - w[1], v[2] - w[2]
