# SPDX-License-Identifier: Apache-2.0
"""Quaternions against rotation matrices written out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.rotation import (
    IDENTITY,
    multiply,
    quaternion_from_rpy,
    rotate,
    rpy_from_quaternion,
)

QUARTER = math.pi / 2
ANGLE = st.floats(-10.0, 10.0)
POLES = [sign * QUARTER + off for sign in (1, -1) for off in (0.0, 1e-16, -1e-12, 1e-9, -1e-7, 1e-4)]
VECTOR = st.tuples(*[st.floats(-100.0, 100.0)] * 3)


def matrix_from_rpy(roll, pitch, yaw):
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


@pytest.mark.parametrize(
    ("rpy", "forward", "left"),
    [
        ((0, 0, 0), (1, 0, 0), (0, 1, 0)),
        ((QUARTER, 0, 0), (1, 0, 0), (0, 0, 1)),
        ((0, QUARTER, 0), (0, 0, -1), (0, 1, 0)),
        ((0, 0, QUARTER), (0, 1, 0), (-1, 0, 0)),
        ((-QUARTER, 0, -QUARTER), (0, -1, 0), (0, 0, -1)),  # a camera's optical frame
    ],
)
def test_quarter_turns(rpy, forward, left):
    q = quaternion_from_rpy(*rpy)
    assert rotate(q, (1, 0, 0)) == pytest.approx(forward, abs=1e-12)
    assert rotate(q, (0, 1, 0)) == pytest.approx(left, abs=1e-12)


@given(ANGLE, ANGLE, ANGLE, VECTOR)
def test_rotate_agrees_with_matrices(roll, pitch, yaw, vector):
    expected = matrix_from_rpy(roll, pitch, yaw) @ vector
    assert rotate(quaternion_from_rpy(roll, pitch, yaw), vector) == pytest.approx(expected, abs=1e-9)


@given(st.tuples(ANGLE, ANGLE, ANGLE), st.tuples(ANGLE, ANGLE, ANGLE), VECTOR)
def test_multiply_turns_by_the_second_first(a, b, vector):
    qa, qb = quaternion_from_rpy(*a), quaternion_from_rpy(*b)
    assert rotate(multiply(qa, qb), vector) == pytest.approx(rotate(qa, rotate(qb, vector)), abs=1e-9)
    assert multiply(qa, IDENTITY) == pytest.approx(qa) == multiply(IDENTITY, qa)


@given(ANGLE, st.one_of(ANGLE, st.sampled_from(POLES)), ANGLE)
def test_rpy_and_back(roll, pitch, yaw):
    quaternion = quaternion_from_rpy(roll, pitch, yaw)
    back = rpy_from_quaternion(quaternion)
    assert matrix_from_rpy(*back) == pytest.approx(matrix_from_rpy(roll, pitch, yaw), abs=1e-9)
    assert all(abs(angle) <= most for angle, most in zip(back, (math.pi, QUARTER, math.pi), strict=True))
    if abs(pitch) < QUARTER:
        assert back[1] == pytest.approx(pitch, abs=1e-9)
    assert rpy_from_quaternion(tuple(-1.001 * part for part in quaternion))[1] == pytest.approx(
        back[1], abs=1e-9
    )


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: math.hypot(*q) > 1e-3))
def test_any_quaternion_and_back(parts):
    q = tuple(part / math.hypot(*parts) for part in parts)
    back = quaternion_from_rpy(*rpy_from_quaternion(parts))
    for vector in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        assert rotate(back, vector) == pytest.approx(rotate(q, vector), abs=1e-9)
