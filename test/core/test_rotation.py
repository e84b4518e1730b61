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


@given(ANGLE, st.floats(-1.57, 1.57), ANGLE)
def test_rpy_and_back(roll, pitch, yaw):
    back = rpy_from_quaternion(quaternion_from_rpy(roll, pitch, yaw))
    assert matrix_from_rpy(*back) == pytest.approx(matrix_from_rpy(roll, pitch, yaw), abs=1e-9)
    assert back[1] == pytest.approx(pitch, abs=1e-6)


@pytest.mark.parametrize("pitch", [QUARTER, -QUARTER])
def test_rpy_of_a_quaternion_a_little_too_long(pitch):
    longer = tuple(1.001 * part for part in quaternion_from_rpy(0, pitch, 0))
    assert rpy_from_quaternion(longer)[1] == pytest.approx(pitch)
