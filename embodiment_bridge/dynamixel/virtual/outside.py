# SPDX-License-Identifier: Apache-2.0
"""A servo whose axis is a simulator's joint: registers are simulated here, and the motion by the simulator.

    drive = OutsideDrive("left_knee", read=simulator.joint, command=simulator.drive)
    bus = VirtualBus([(1, "xm430_w350")], drives={1: drive})

A simulator can so be used with the same port and the same driver as the real robot.
"""

from collections.abc import Callable
from dataclasses import replace

from typing_extensions import override

from embodiment_bridge.dynamixel.virtual.drive import CURRENT, OFF, POSITION, PWM, VELOCITY, Control, Drive

NAMES = {OFF: "off", POSITION: "position", VELOCITY: "velocity", CURRENT: "effort", PWM: "pwm"}
Read = Callable[[str], tuple[float, float, float]]
Command = Callable[[str, str, float], None]


class OutsideDrive(Drive):
    """The ``Drive`` of a joint in a simulator.

    read(name) gives position, velocity and effort of the joint: rad, rad/s, Nm. command(name, mode, value) is called
    when the goal changes: ``off``, ``position`` (rad), ``velocity`` (rad/s), ``effort`` (Nm), ``pwm`` (share of
    supply).
    Both are called with the bus locked and must return at once. torque_per_amp: Nm/A of the servo that is simulated.
    """

    settled = False  # the simulator may move the joint at any time

    def __init__(self, name: str, *, read: Read, command: Command, torque_per_amp: float = 1.0) -> None:
        self._name, self._read, self._command = name, read, command
        self._per_amp = torque_per_amp
        self.pwm = self.wanted_speed = 0.0
        self._commanded = (OFF, 0.0)
        self.position, self.velocity, effort = read(name)
        self.current = effort / torque_per_amp
        self.wanted = self.position

    @override
    def control(self, control: Control) -> None:
        wanted = replace(control)
        if wanted.kind == CURRENT:
            wanted.goal *= self._per_amp
        self.wanted = wanted.goal if wanted.kind == POSITION else self.position
        if (wanted.kind, wanted.goal) != self._commanded:
            self._commanded = wanted.kind, wanted.goal
            self._command(self._name, NAMES[wanted.kind], wanted.goal)

    @override
    def run(self, steps: int, supply: float) -> None:
        """Read the joint; the simulator has its own time, so that the arguments are not used."""
        self.position, self.velocity, effort = self._read(self._name)
        self.current = effort / self._per_amp
