# SPDX-License-Identifier: Apache-2.0
"""Where a body is, from gyro, accelerometer and landmarks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.rotation import quaternion_from_rpy, rotate
from embodiment_bridge.scene.locator import FORGET, Locator
from embodiment_bridge.scene.sight import Pose

FLAGS = {"a": (15.0, 10.0, 0.0), "b": (15.0, -10.0, 0.0), "c": (15.0, 1.0, 0.8), "d": (-15.0, 5.0, 0.0)}
DOWN = (0.0, 0.0, 9.81)
STILL = (0.0, 0.0, 0.0)


def seen(place, rpy, names="abcd"):
    """What a body at ``place`` sees of the landmarks, in its frame."""
    x, y, z, w = quaternion_from_rpy(*rpy)
    back = (-x, -y, -z, w)
    return [
        (name, rotate(back, tuple(f - p for f, p in zip(FLAGS[name], place, strict=True)))) for name in names
    ]


def turned(vector, roll, pitch=0.0):
    """A level vector in the frame of a tilted body."""
    x, y, z, w = quaternion_from_rpy(roll, pitch, 0.0)
    return rotate((-x, -y, -z, w), vector)


def pull(roll, pitch):
    """The acceleration of a body that stands tilted."""
    return turned(DOWN, roll, pitch)


@given(st.floats(-10, 10), st.floats(-8, 8), st.floats(-3, 3), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_two_landmarks_tell_place_and_heading_of_a_tilted_body(x, y, yaw, roll, pitch):
    locator = Locator(FLAGS)
    locator.feel(STILL, pull(roll, pitch), 0.02)
    locator.look(seen((x, y, 0.4), (roll, pitch, yaw), "ab"))
    assert locator.known
    assert (locator.roll, locator.pitch) == pytest.approx((roll, pitch), abs=1e-6)
    assert locator.place == pytest.approx((x, y, 0.4), abs=1e-6)
    assert math.sin((locator.yaw - yaw) / 2) == pytest.approx(0.0, abs=1e-6)


def test_one_landmark_is_enough_once_the_heading_is_known():
    locator = Locator(FLAGS)
    locator.look(seen((0.0, 0.0, 0.4), (0, 0, 0.5), "c"))
    assert not locator.known
    locator.know((0.0, 0.0, 0.4), 0.5)
    for _ in range(50):
        locator.look(seen((0.3, 0.0, 0.4), (0, 0, 0.5), "c"))
    assert locator.place == pytest.approx((0.3, 0.0, 0.4), abs=0.01)


def test_one_landmark_of_a_body_that_was_put_elsewhere_is_not_believed():
    locator = Locator(FLAGS)
    locator.know((0.0, 0.0, 0.4), 0.0)
    for _ in range(15):
        locator.look(seen((2.0, 3.0, 0.4), (0, 0, 1.5), "c"))
        locator.feel((0.0, 0.0, 0.0), DOWN, 0.06)
    assert locator.place == (0.0, 0.0, 0.4)
    for _ in range(5):
        locator.look(seen((2.0, 3.0, 0.4), (0, 0, 1.5), "c"))
        locator.feel((0.0, 0.0, 0.0), DOWN, 0.06)
    assert not locator.known
    locator.look(seen((2.0, 3.0, 0.4), (0, 0, 1.5)))
    assert locator.place == pytest.approx((2.0, 3.0, 0.4), abs=0.01)


def test_between_pictures_the_gyro_turns_the_heading():
    locator = Locator(FLAGS)
    locator.know((1.0, 2.0, 0.4), 0.0)
    for _ in range(25):
        locator.feel((0.0, 0.0, 1.0), DOWN, 0.02)
    assert locator.yaw == pytest.approx(0.5)
    assert locator.place == (1.0, 2.0, 0.4)


def test_place_is_forgotten_when_nothing_is_seen():
    locator = Locator(FLAGS)
    locator.know((1.0, 2.0, 0.4), 0.0)
    for _ in range(int(FORGET / 0.05) + 2):
        locator.feel(STILL, DOWN, 0.05)
    assert not locator.known


def test_noise_is_smoothed_and_a_jump_is_believed_at_once():
    locator = Locator(FLAGS)
    locator.know((0.0, 0.0, 0.4), 0.0)
    locator.look(seen((0.1, 0.0, 0.4), (0, 0, 0)))
    assert 0.0 < locator.place[0] < 0.05
    locator.look(seen((-8.0, 3.0, 0.4), (0, 0, 2.0)))
    assert locator.place == pytest.approx((-8.0, 3.0, 0.4), abs=1e-6)
    assert locator.yaw == pytest.approx(2.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_not_believed(bad):
    locator = Locator(FLAGS)
    locator.know((1.0, 2.0, 0.4), 0.3)
    locator.feel((bad, bad, bad), (bad, bad, bad), 0.02)
    locator.look([("a", (bad, 1.0, 1.0)), ("b", (bad, bad, bad))])
    locator.know((bad, 0.0, 0.0), 0.0)
    assert locator.place == (1.0, 2.0, 0.4)
    assert locator.yaw == pytest.approx(0.3)


@pytest.mark.parametrize("rates", [(10.0, 0.0, 0.0), (-10.0, 0.0, 0.0), (0.0, 10.0, 0.0), (0.0, -10.0, 0.0)])
def test_body_that_rolled_right_round_is_level_again(rates):
    locator = Locator(FLAGS)
    locator.feel(STILL, DOWN, 0.02)
    for _ in range(30):
        locator.feel(rates, STILL, 0.02)  # in the air nothing is down
    for _ in range(200):
        locator.feel(STILL, DOWN, 0.02)
    assert (locator.roll, locator.pitch) == pytest.approx((0.0, 0.0), abs=0.01)


def test_fall_through_the_air_says_nothing_of_what_is_down():
    locator = Locator(FLAGS)
    locator.feel(STILL, (0.5, 0.0, 0.1), 0.02)
    assert (locator.roll, locator.pitch) == (0.0, 0.0)
    assert not locator.known


def test_landmark_far_away_counts_less():
    locator = Locator({"near": (3.0, 0.0, 0.0), "far": (-27.0, 0.0, 0.0)})
    locator.look([("near", (3.0, 0.0, -0.4)), ("far", (-27.0, 0.0, -3.4))])  # as after a tilt of 0.1 rad
    assert locator.place[2] == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize("roll", [0.0, 0.3])
def test_height_is_from_the_feet_while_they_carry_and_else_from_landmarks(roll):
    locator = Locator(FLAGS)
    locator.feel(STILL, pull(roll, 0.0), 0.02)
    sole, push = turned((0.0, 0.0, -0.36), roll), turned((0.0, 0.0, 40.0), roll)
    pulled = ((0.0, 0.0, -0.1), turned((0.0, 0.0, -40.0), roll))  # holds nothing up
    for _ in range(5):
        locator.feel(STILL, pull(roll, 0.0), 0.02)
        locator.stand([(sole, push), pulled])
        locator.look(seen((1.0, 2.0, 0.9), (roll, 0.0, 0.0)))
    assert locator.place == pytest.approx((1.0, 2.0, 0.36), abs=1e-6)
    for _ in range(60):
        locator.feel(STILL, pull(roll, 0.0), 0.02)
        locator.look(seen((1.0, 2.0, 0.9), (roll, 0.0, 0.0)))
    assert locator.place[2] == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_foot_without_finite_numbers_carries_nothing(bad):
    locator = Locator(FLAGS)
    locator.stand([((0.0, 0.0, bad), (0.0, 0.0, 40.0)), ((0.0, 0.0, -0.3), (0.0, 0.0, bad))])
    assert locator.place == (0.0, 0.0, 0.0)


def test_height_that_is_told_wins_over_the_feet():
    locator = Locator(FLAGS)
    locator.know((1.0, 2.0, 0.5), 0.0)
    locator.stand([((0.0, 0.0, -0.36), (0.0, 0.0, 40.0))])
    assert locator.place == (1.0, 2.0, 0.5)


@pytest.mark.parametrize(("roll", "pitch"), [(0.0, 0.0), (0.2, -0.3)])
def test_camera_that_is_told_tells_where_its_body_is(roll, pitch):
    locator = Locator(FLAGS)
    locator.feel(STILL, pull(roll, pitch), 0.02)
    carried = Pose((0.05, 0.0, 0.155), quaternion_from_rpy(0.0, -0.2, 1.1))
    body = Pose((1.0, 2.0, 0.4), quaternion_from_rpy(roll, pitch, 0.7))
    ahead = rotate(body.quaternion, rotate(carried.quaternion, (1.0, 0.0, 0.0)))
    locator.know(body.place(carried.position), math.atan2(ahead[1], ahead[0]), carried)
    assert locator.place == pytest.approx(body.position, abs=1e-6)
    assert locator.yaw == pytest.approx(0.7, abs=1e-6)


def test_camera_that_looks_up_tells_no_heading_once_it_is_known():
    locator = Locator(FLAGS)
    locator.know((0.0, 0.0, 0.4), 0.7)
    up = Pose((0.0, 0.0, 0.155), quaternion_from_rpy(0.0, -1.5, 0.0))
    locator.know((0.0, 0.0, 0.555), -2.0, up)
    assert locator.yaw == pytest.approx(0.7)
    assert locator.place == pytest.approx((0.0, 0.0, 0.4), abs=1e-6)


def test_everything_is_forgotten_a_while_after_it_was_asked_for():
    locator = Locator(FLAGS)
    locator.know((1.0, 2.0, 0.5), 0.0)
    locator.forget_soon(0.1)
    for _ in range(4):
        locator.feel(STILL, DOWN, 0.02)
    assert locator.known
    locator.feel(STILL, DOWN, 0.03)
    assert not locator.known


def test_unknown_names_are_passed_over():
    locator = Locator(FLAGS)
    locator.look([("x", (1.0, 2.0, 3.0)), ("y", (4.0, 5.0, 6.0))])
    assert not locator.known
