# SPDX-License-Identifier: Apache-2.0
"""The motor behind the registers, with its gear and load, and the control loops of the firmware around it.

The motor has the values of the data sheet at the output shaft: R = V / I_stall, k_t = torque_stall / I_stall,
k_e = V / speed_no_load. All values are SI; the angle is that of the output, 0 in the middle of the encoder's range.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from typing_extensions import override

from embodiment_bridge.dynamixel.tables.control_table import Motor

STEP: Final = 0.001  # s; period of the firmware's control loop
INERTIA_PER_TORQUE: Final = 0.0015  # kg m2 per Nm of stall torque: a usual load for such a servo
FRICTION_SHARE: Final = 0.02  # of the stall torque
AT_REST: Final = 1e-4  # rad/s
CHUNK: Final = 200  # steps

OFF, POSITION, VELOCITY, CURRENT, PWM = range(5)  # the controlled quantity
SOUND, STUCK, STRIPPED, FREE, REVERSED = "sound", "stuck", "stripped", "free", "reversed"
AXES: Final = (SOUND, STUCK, STRIPPED, FREE, REVERSED)


@dataclass(slots=True)
class Control:
    """Holds the settings of the control loops.

    kind: OFF POSITION VELOCITY CURRENT PWM. goal: rad, rad/s, A or share of the supply. pwm_limit: share.
    current_limit: A. p, i, d: share per rad, per rad s and per rad/s; speed_p, speed_i: share per rad/s and per rad.
    speed: that of the profile, rad/s, infinite for none; acceleration: rad/s2, infinite for none.
    """

    kind: int = OFF
    goal: float = 0.0
    pwm_limit: float = 1.0
    current_limit: float = math.inf
    p: float = 0.0
    i: float = 0.0
    d: float = 0.0
    speed_p: float = 0.0
    speed_i: float = 0.0
    speed: float = math.inf
    acceleration: float = math.inf


class Drive(Protocol):
    """Moves the axis of a servo: a motor here, or a simulator's joint (``physics/servos/servo_world.py``)."""

    position: float
    velocity: float
    current: float
    pwm: float
    wanted: float
    wanted_speed: float
    settled: bool

    def control(self, control: Control) -> None:
        """Set the control from now on."""

    def run(self, steps: int, supply: float) -> None:
        """Let ``steps`` ms pass at ``supply`` V."""


class MotorDrive(Drive):
    """Simulates a motor. ``load(position, velocity)`` is the outside torque on the axis, Nm; ``axis`` is one of AXES.

    position: rad; velocity: rad/s; current: A; pwm: share of the supply voltage at the motor; wanted, wanted_speed:
    position and speed of the profile, rad and rad/s. settled: nothing changes until the control or the load changes.
    """

    def __init__(self, motor: Motor) -> None:
        self.position = self.wanted = self.velocity = self.current = self.pwm = self.wanted_speed = 0.0
        self.settled = True
        self.axis = SOUND
        self.load: Callable[[float, float], float] | None = None
        self._resistance = motor.rated_voltage_v / motor.stall_current_a
        self._per_amp = motor.stall_torque_nm / motor.stall_current_a
        self._back_emf = motor.rated_voltage_v / motor.no_load_speed_rad_s
        self._inertia = motor.stall_torque_nm * INERTIA_PER_TORQUE
        self._friction = motor.stall_torque_nm * FRICTION_SHARE
        self._sum = 0.0  # integral part of the controller, share
        self._control = Control()

    @override
    def control(self, control: Control) -> None:
        """Set the control; a new kind of control begins at the present position."""
        if control.kind != self._control.kind:
            self.wanted, self._sum = self.position, 0.0
            self.wanted_speed = self.velocity if control.kind == VELOCITY else 0.0
        self._control = control
        self.settled = False

    def disturb(self) -> None:
        """Simulate again, because something outside has changed, such as the load."""
        self.settled = False

    @override
    def run(self, steps: int, supply: float) -> None:
        if self.load is not None:
            self.settled = False
        while steps > 0 and not self.settled:
            before, some = self.velocity, min(steps, CHUNK)
            for _ in range(some):
                self._step(supply)
            steps -= some
            if some == CHUNK and abs(self.velocity - before) < AT_REST and self._may_coast():
                # A constant speed is extrapolated, so that an hour is not simulated step by step.
                self.position += self.velocity * steps * STEP
                return

    def _may_coast(self) -> bool:
        return self.load is None and self._control.kind in (VELOCITY, CURRENT, PWM)

    def _step(self, supply: float) -> None:
        kind = self._control.kind
        if kind == OFF:
            share, limit = 0.0, 0.0
        elif kind == POSITION:
            share, limit = self._to_position(), self._control.current_limit
        elif kind == VELOCITY:
            share, limit = self._to_speed(), self._control.current_limit
        elif kind == PWM:
            share, limit = self._control.goal, self._control.current_limit
        else:
            share, limit = math.copysign(self._control.pwm_limit, self._control.goal), abs(self._control.goal)
        top = self._control.pwm_limit
        self._turn(min(max(share, -top), top) * supply, limit, supply)

    def _to_position(self) -> float:
        control = self._control
        if self.wanted != control.goal:
            self._follow_profile()
        error = self.wanted - self.position
        if control.i:
            top = control.pwm_limit
            self._sum = min(max(self._sum + control.i * error * STEP, -top), top)
        return control.p * error + self._sum + control.d * (self.wanted_speed - self.velocity)

    def _follow_profile(self) -> None:
        """Move ``wanted`` one step along a trapezoidal profile to the goal."""
        control = self._control
        way = control.goal - self.wanted
        braking = (
            math.sqrt(2 * control.acceleration * abs(way)) if control.acceleration < math.inf else math.inf
        )
        speed = math.copysign(min(control.speed, braking), way)
        if control.acceleration < math.inf:
            change = control.acceleration * STEP
            speed = min(max(speed, self.wanted_speed - change), self.wanted_speed + change)
        if abs(speed) * STEP >= abs(way) and speed * way >= 0:
            self.wanted, self.wanted_speed = control.goal, 0.0
        else:
            self.wanted += speed * STEP
            self.wanted_speed = speed

    def _to_speed(self) -> float:
        control = self._control
        change = control.acceleration * STEP
        goal = min(max(control.goal, self.wanted_speed - change), self.wanted_speed + change)
        self.wanted_speed = goal
        error = goal - self.velocity
        top = control.pwm_limit
        self._sum = min(max(self._sum + control.speed_i * error * STEP, -top), top)
        return control.speed_p * error + self._sum

    def _turn(self, volts: float, limit: float, supply: float) -> None:
        """Do one step of the motor; implicit in the speed, so that it is stable for any inertia."""
        velocity = self.velocity
        per_inertia = STEP / self._inertia
        outside = self.load(self.position, velocity) if self.load is not None else 0.0
        sign = -1.0 if self.axis == REVERSED else 1.0
        torque_gain = 0.0 if self.axis in (STRIPPED, FREE) else self._per_amp * sign
        emf = self._back_emf * sign * velocity
        current = 0.0 if self.axis == FREE else (volts - emf) / self._resistance
        if abs(current) > limit:
            current = math.copysign(limit, current)
            after = velocity + per_inertia * (torque_gain * current + outside)
        else:
            brake = torque_gain * sign * self._back_emf / self._resistance
            after = velocity + per_inertia * (torque_gain * volts / self._resistance + outside)
            after /= 1.0 + per_inertia * brake
        friction = per_inertia * self._friction
        after = (
            0.0 if abs(after) <= friction or self.axis == STUCK else after - math.copysign(friction, after)
        )
        self.settled = (
            abs(after) < AT_REST
            and abs(velocity) < AT_REST
            and self._is_steady(volts, supply)
            and self.load is None
        )
        self.velocity, self.current = after, current
        self.pwm = (current * self._resistance + emf) / supply if limit and supply > 0.0 else 0.0
        self.position += after * STEP

    def _is_steady(self, volts: float, supply: float) -> bool:
        """Return whether the control loops would give the same output again."""
        control = self._control
        if control.kind == POSITION:
            saturated = abs(self._sum) >= control.pwm_limit
            return self.wanted == control.goal and (
                not control.i or self.wanted == self.position or saturated
            )
        if control.kind == VELOCITY:
            return (control.goal == 0.0 and self.wanted_speed == 0.0) or abs(
                volts
            ) >= supply * control.pwm_limit
        return True
