# SPDX-License-Identifier: Apache-2.0
"""A servo whose axis is a simulator's joint: the registers are ours, what moves is somebody else's.

    drive = OutsideDrive("left_knee", read=simulator.joint, command=simulator.drive)
    bus = VirtualBus([(1, "xm430_w350")], drives={1: drive})

So a simulator sits behind the same port, and the same driver, as the real robot.
"""

from collections.abc import Callable
from dataclasses import replace

from embodiment_bridge.dynamixel.virtual.drive import CURRENT, OFF, POSITION, PWM, VELOCITY, Control

NAMES = {OFF: "off", POSITION: "position", VELOCITY: "velocity", CURRENT: "effort", PWM: "pwm"}
Read = Callable[[str], tuple[float, float, float]]
Command = Callable[[str, str, float], None]


class OutsideDrive:
    """``Drive`` of a joint that is moved elsewhere.

    read(name) gives its position, velocity and effort: rad, rad/s, Nm. command(name, mode, value) is called when what
    is wanted changes: ``off``, ``position`` (rad), ``velocity`` (rad/s), ``effort`` (Nm), ``pwm`` (share of supply).
    Both are called with the bus locked, and must return at once. torque_per_amp: Nm/A of the servo that it stands for.
    """

    settled = False  # who knows

    def __init__(self, name: str, *, read: Read, command: Command, torque_per_amp: float = 1.0) -> None:
        self._name, self._read, self._command = name, read, command
        self._per_amp = torque_per_amp
        self.pwm = self.wanted_speed = 0.0
        self._told = (OFF, 0.0)
        self.position, self.velocity, effort = read(name)
        self.current = effort / torque_per_amp
        self.wanted = self.position

    def control(self, control: Control) -> None:
        """See ``Drive``."""
        wanted = replace(control)
        if wanted.kind == CURRENT:
            wanted.goal *= self._per_amp
        self.wanted = wanted.goal if wanted.kind == POSITION else self.position
        if (wanted.kind, wanted.goal) != self._told:
            self._told = wanted.kind, wanted.goal
            self._command(self._name, NAMES[wanted.kind], wanted.goal)

    def run(self, steps: int, supply: float) -> None:
        """See ``Drive``: time is the simulator's; look where it is."""
        self.position, self.velocity, effort = self._read(self._name)
        self.current = effort / self._per_amp
