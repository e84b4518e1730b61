# SPDX-License-Identifier: Apache-2.0
"""A body made from the servos alone, for a robot without a body file: its joints and one skill, reset."""

from math import isfinite

from embodiment_bridge.body import plain_body as plain
from embodiment_bridge.body.description import BodyDescription, Joint
from embodiment_bridge.dynamixel.config.servo_config import ServoSetup

USUAL_SPEED, USUAL_EFFORT, WIDEST = 3.0, 1.0, 3.14  # rad/s, Nm, rad where the description has no limit


def plain_body(setup: ServoSetup) -> BodyDescription:
    """A body with the joints of the description and their limits, on the channels that their names suggest."""
    joints = [
        Joint(
            servo.joint,
            plain.channel_of(servo.joint),
            max(servo.lower, -WIDEST) if isfinite(servo.lower) else -WIDEST,
            min(servo.upper, WIDEST) if isfinite(servo.upper) else WIDEST,
            servo.velocity if isfinite(servo.velocity) else USUAL_SPEED,
            servo.effort if isfinite(servo.effort) else USUAL_EFFORT,
            0.0,
            0.0,
            rest=min(max(0.0, servo.lower), servo.upper),
            mirror=servo.joint,
        )
        for servo in setup.servos
    ]
    return plain.plain_body(setup.robot, joints)
