# SPDX-License-Identifier: Apache-2.0
"""Joint angles of a two-legged gait from gait time, command and sensed balance, by inverse kinematics.

The feet move on a fixed path under the hips: up and forward (swing, half of the period), then straight back
(stance); the other leg half a period later. Both hips roll with a sine (sway) that brings the weight to the
standing foot; the standing hip gets an extra roll against its droop under the weight. The faster the robot goes
forward, the fewer may be its steps per second and the higher, with less sway and more droop. For a step to the side
the hips roll with the path of the feet. Both hip yaws turn against each other (twist) to turn the body, the arms
swing. A foot lands further ahead or aside when the body is too fast. The torso leans, and gains on
tilt and tilt rates, at ankles and hips, keep it upright, also when standing; while walking, speed over ground moves
the feet to where it goes.

A swinging leg is placed by the ground and not by the torso: its hip undoes most of the torso's unwanted pitch
(swing_level) and a part of its roll (swing_roll), and its ankle leaves balance to the other. Without swing_level, the
toes of a robot that tips forward strike the ground and a stall of 80 ms makes the T1 fall; with it, 200 ms do not.
Without swing_roll, a robot that is pushed to a side drags the foot of that side, towards which it rolls.
"""

from collections.abc import Mapping
from math import acos, atan2, cos, hypot, pi, sin, sqrt, tan
from typing import NamedTuple

from embodiment_bridge.body.carriers.gait import Gait, Leg
from embodiment_bridge.body.stance import UPRIGHT, Stance
from embodiment_bridge.motion.gait.steps import CaptureStep, Swing
from embodiment_bridge.motion.joints.sensing import Balance

# Inverse kinematics of a leg in the sagittal plane: hip pitch, knee pitch, ankle pitch.

SHORTEST = 0.2  # m, hip to ankle: at a shorter distance the leg would fold past the knee's range
SHORTEST_SHARE = 0.5  # least share for a leg that is shorter than those of a T1 or K1
STRAIGHT_MARGIN = 1e-4  # m kept from the fully stretched leg, where the knee's speed has no bound


class LegIk:
    """Solves a leg of two links whose knee may lie behind the line of the thigh.

    Args:
        knee_back: m, how far the knee axis lies behind the hip pitch axis when all joints are zero.
        thigh: m, vertical distance from hip pitch axis to knee axis when all joints are zero.
        shank: m, knee axis to ankle pitch axis.
    """

    __slots__ = ("_longest", "_shank", "_shortest", "_thigh", "_tilt")

    def __init__(self, knee_back: float, thigh: float, shank: float) -> None:
        self._thigh = hypot(knee_back, thigh)
        self._tilt = atan2(knee_back, thigh)
        self._shank = shank
        self._longest = self._thigh + shank - STRAIGHT_MARGIN
        folded = abs(self._thigh - shank) + STRAIGHT_MARGIN
        self._shortest = max(min(SHORTEST, SHORTEST_SHARE * self._longest), folded)

    def solve(self, x: float, z: float) -> tuple[float, float, float]:
        """Return (hip pitch, knee pitch, ankle pitch) in rad that put the ankle at (x, z) m from the hip, foot level.

        x is forward, z is up (so z < 0). A point out of reach gives the nearest leg length in its direction.
        """
        a, b = self._thigh, self._shank
        squared = min(max(x * x + z * z, self._shortest**2), self._longest**2)
        distance = sqrt(squared)
        toward = atan2(-x, -z)
        at_hip = acos((a * a + squared - b * b) / (2 * a * distance))
        at_ankle = acos((b * b + squared - a * a) / (2 * b * distance))
        shank = toward + at_ankle
        hip = toward - at_hip - self._tilt
        return hip, shank - hip, -shank


TRANSFER = 0.3  # share of a swing or stance in which a leg hands its part in the balance to the other


class Step(NamedTuple):
    """Commands one gait cycle.

    phase: 0..1 in the period; at 0 the left foot leaves the ground. amplitude: 0 stands, 1 walks.
    forward, turn, left: -1..1, shares of full speed, + forward and left.
    too_fast: m/s forward and left by which the hips are faster than they should be.
    stance: beside the usual one. kick: what a kick adds.
    """

    phase: float
    amplitude: float
    forward: float
    turn: float
    left: float
    too_fast: tuple[float, float]
    stance: Stance = UPRIGHT
    kick: Swing | None = None


class Shared(NamedTuple):
    """Holds the values that both legs share in one cycle: m, rad."""

    amplitude: float
    height: float
    lift: float
    droop: float
    half_stride: float
    half_side: float
    ahead: float
    lean: float
    off: float
    aside: float
    rolled: float
    ankle_pitch: float
    hip_pitch: float
    hip_roll: float
    ankle_roll: float
    kick: Swing | None


class GaitPattern:
    """Computes the gait of one body; writes joint angles into a list in the order of the body's joints."""

    def __init__(self, gait: Gait, index: Mapping[str, int]) -> None:
        self._p = gait.parameters
        self._ik = LegIk(gait.lengths.knee_back, gait.lengths.thigh, gait.lengths.shank)
        self._left = _indices(gait.left, index)
        self._right = _indices(gait.right, index)
        self._capture = CaptureStep(gait.parameters)

    def reset(self) -> None:
        """Put both feet under the body."""
        self._capture.reset()

    def write(self, out: list[float], step: Step, balance: Balance) -> tuple[float, float]:
        """Put the angles (rad) of both legs into ``out``; return the swing (rad) of left and right shoulder.

        Args:
            out: one value per joint of the body.
            step: what is commanded now.
            balance: of the hips, for the feedback.
        """
        p = self._p
        phase, amplitude, turn = step.phase, step.amplitude, step.turn
        if amplitude > 0.0:
            self._capture.step(phase, *step.too_fast)
        else:
            self._capture.reset()
        wave = amplitude * sin(2 * pi * (phase + p.sway_phase))
        shared = self._shared(step, wave, balance)
        stride = amplitude * cos(2 * pi * phase)
        twist = turn * p.twist * stride
        steady = p.yaw_rate_gain * balance.rates[2] * (1 - abs(turn))
        self._write_leg(out, self._left, 1.0, phase, shared, -twist - steady)
        other = phase + 0.5 if phase < 0.5 else phase - 0.5
        self._write_leg(out, self._right, -1.0, other, shared, twist - steady)
        swing = p.arm_swing * wave + p.arm_stride * step.forward * stride
        return -swing, swing

    def _shared(self, step: Step, wave: float, balance: Balance) -> Shared:
        p, amplitude = self._p, step.amplitude
        stance = step.stance
        forward = step.forward * (p.backward_share if step.forward < 0.0 else 1.0)
        onward = max(forward, 0.0)
        sway = (p.sway + onward * p.sway_v) * wave
        if step.kick is not None:
            sway += amplitude * (step.kick.sway if step.kick.left else -step.kick.sway)
        lean = p.lean + forward * p.lean_v + stance.lean + (step.kick.lean if step.kick else 0.0)
        off = balance.pitch - lean
        upright = 0.5 * p.roll_gain * balance.roll
        return Shared(
            amplitude,
            height=p.height - stance.lower,
            lift=p.lift + onward * p.lift_v,
            droop=p.droop + onward * p.droop_v,
            half_stride=0.5 * (p.stride + forward * p.stride_v),
            half_side=0.5 * step.left * p.side,
            ahead=p.ahead + forward * p.ahead_v + amplitude * p.place_gain * balance.ahead + stance.ahead,
            lean=lean,
            off=off,
            aside=amplitude * p.side_gain * balance.left,
            rolled=balance.roll,
            ankle_pitch=p.pitch_gain * off + p.pitch_rate_gain * balance.rates[1],
            hip_pitch=p.hip_gain * off + p.hip_rate_gain * balance.rates[1],
            hip_roll=sway - stance.sway - upright - p.roll_rate_gain * balance.rates[0],
            ankle_roll=upright - sway * p.ankle_sway + stance.sway,
            kick=step.kick,
        )

    def _write_leg(
        self, out: list[float], leg: tuple[int, ...], side: float, phase: float, shared: Shared, yaw: float
    ) -> None:
        p, amplitude = self._p, shared.amplitude
        if phase < 0.5:  # swing: the speed of the ground at both ends
            u = 2 * phase
            along, z = u * (u * (12 - 8 * u) - 2) - 1, shared.lift * sin(pi * u)
            droop = 0.0
            load = max(1.0 - u / TRANSFER, 0.0)
        else:
            along, z = 3 - 4 * phase, 0.0
            load = min((2 * phase - 1) / TRANSFER, 1.0)
            droop = -shared.droop * sin(2 * pi * phase)
        kicked = shared.kick if shared.kick is not None and shared.kick.left == (side > 0.0) else None
        if kicked is not None:
            z += kicked.lift
        caught_x, caught_y = self._capture.offset(side)
        x = (
            amplitude * (shared.half_stride * along + caught_x)
            + shared.ahead
            + (kicked.ahead if kicked else 0.0)
        )
        y = amplitude * (shared.half_side * along + caught_y)
        hip, knee, ankle = self._ik.solve(x, amplitude * z - shared.height)
        outward = shared.aside + y / p.height - amplitude * side * p.inward
        hip_pitch, hip_roll, hip_yaw, knee_pitch, ankle_pitch, ankle_roll = leg
        swings = amplitude * (1.0 - load)
        free = p.swing_level * swings
        held = 1.0 - swings
        out[hip_pitch] = hip - shared.lean - free * shared.off + held * shared.hip_pitch
        out[knee_pitch] = knee
        out[ankle_pitch] = ankle + (1.0 - free) * shared.ankle_pitch - (kicked.toe if kicked else 0.0)
        roll = shared.hip_roll + outward + amplitude * side * droop - p.swing_roll * swings * shared.rolled
        # Both axes are pitched with the thigh: a roll alone would yaw the foot too, and a yaw move it aside.
        out[hip_roll] = roll - sin(hip) * yaw
        out[hip_yaw] = cos(hip) * yaw + tan(hip) * roll
        out[ankle_roll] = shared.ankle_roll - outward


def _indices(leg: Leg, index: Mapping[str, int]) -> tuple[int, ...]:
    names = (leg.hip_pitch, leg.hip_roll, leg.hip_yaw, leg.knee, leg.ankle_pitch, leg.ankle_roll)
    return tuple(index[name] for name in names)
