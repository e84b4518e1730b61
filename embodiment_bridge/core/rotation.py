# SPDX-License-Identifier: Apache-2.0
"""Computes with angles and rotations: degrees and radians, quaternions (x, y, z, w) as in ROS, vectors (x, y, z)."""

import math

RAD_PER_DEG = math.pi / 180.0
DEG_PER_RAD = 180.0 / math.pi


def wrap_angle(angle: float) -> float:
    """The same angle in [-pi, pi) rad."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


def quaternion_from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """The unit quaternion that turns about fixed axes: x by roll, then y by pitch, then z by yaw."""
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    )


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation that turns by ``b`` first and then by ``a``."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def inverse(q: Quaternion) -> Quaternion:
    """The rotation back, of a unit quaternion."""
    x, y, z, w = q
    return -x, -y, -z, w


def rotate(q: Quaternion, v: Vector) -> Vector:
    """The vector ``v`` turned by the unit quaternion ``q``."""
    qx, qy, qz, qw = q
    vx, vy, vz = v
    tx = 2.0 * (qy * vz - qz * vy)
    ty = 2.0 * (qz * vx - qx * vz)
    tz = 2.0 * (qx * vy - qy * vx)
    return (
        vx + qw * tx + qy * tz - qz * ty,
        vy + qw * ty + qz * tx - qx * tz,
        vz + qw * tz + qx * ty - qy * tx,
    )


def rpy_from_quaternion(q: Quaternion) -> Vector:
    """Roll, pitch and yaw (rad) about fixed x, y, z of the quaternion ``q``; pitch in [-pi/2, pi/2].

    They turn as ``q`` does, also at a pitch of +-pi/2, where roll and yaw are not known apart. ``q`` may have any
    length but 0; they are nan where it is not finite.
    """
    x, y, z, w = q
    if not math.isfinite(x + y + z + w):
        return math.nan, math.nan, math.nan
    # Half the sum and half the difference of roll and yaw each have a length of their own: where one length is 0, its
    # angle does not matter, so that no pitch is special.
    total, apart = math.atan2(x + z, w - y), math.atan2(x - z, w + y)
    pitch = 2.0 * math.atan2(math.hypot(x - z, w + y), math.hypot(x + z, w - y)) - 0.5 * math.pi
    return math.remainder(total + apart, math.tau), pitch, math.remainder(total - apart, math.tau)
