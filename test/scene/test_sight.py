# SPDX-License-Identifier: Apache-2.0
"""What a camera sees of the world: its place on the robot, its field of view, and the things in its pictures."""

import math
from math import pi, radians
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import IDENTITY, quaternion_from_rpy
from embodiment_bridge.scene.sight import SOCCER, Camera, FieldOfView, Pose, point
from embodiment_bridge.urdf import read_urdf

QUARTER = math.pi / 2


@pytest.mark.parametrize(
    ("polar", "position"),
    [
        ((2.0, 0.0, 0.0), (2.0, 0.0, 0.0)),
        ((2.0, QUARTER, 0.0), (0.0, 2.0, 0.0)),  # azimuth is positive to the left
        ((2.0, -QUARTER, 0.0), (0.0, -2.0, 0.0)),
        ((2.0, 0.3, QUARTER), (0.0, 0.0, 2.0)),  # elevation is positive up
        ((2.0, 0.0, math.radians(30)), (math.sqrt(3.0), 0.0, 1.0)),
        ((2.0, QUARTER, math.radians(-30)), (0.0, math.sqrt(3.0), -1.0)),
        ((0.0, 1.0, 1.0), (0.0, 0.0, 0.0)),
    ],
)
def test_polar_becomes_a_point_ahead_left_and_up(polar, position):
    seen = point("x", *polar)
    assert seen[:4] == ("x", *polar)
    assert seen.position == pytest.approx(position, abs=1e-12)


@given(st.floats(0.01, 200.0), st.floats(-math.pi, math.pi), st.floats(-1.5, 1.5))
def test_point_leads_back_to_the_polar_coordinates(distance, azimuth, elevation):
    x, y, z = point("x", distance, azimuth, elevation).position
    assert math.hypot(x, y, z) == pytest.approx(distance)
    assert math.remainder(math.atan2(y, x) - azimuth, math.tau) == pytest.approx(0.0, abs=1e-9)
    assert math.atan2(z, math.hypot(x, y)) == pytest.approx(elevation)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(3))
def test_what_is_nowhere_is_not_seen(place, bad):
    polar = [1.0, 0.1, 0.2]
    polar[place] = bad
    assert point("x", *polar) is None


URDF = Path(__file__).parents[2] / "urdf"
T1 = read_urdf(URDF / "t1.urdf")
HEAD = ("AAHead_yaw", "Head_pitch")
AT_ORIGIN = Pose((0.0, 0.0, 0.0), IDENTITY)
# The head pitches at 0.3048 m over the base, 62.5 mm before it; the camera is 120 mm over and 50 mm before that.
NECK = (0.0625, 0.0, 0.3048)


def approx(*values):
    return pytest.approx(values, abs=1e-4)


def test_place_turns_then_moves():
    pose = Pose((1.0, 2.0, 3.0), quaternion_from_rpy(0.0, 0.0, math.pi / 2))
    assert pose.place((1.0, 0.0, 0.5)) == approx(1.0, 3.0, 3.5)


def test_camera_of_a_robot_that_looks_ahead():
    pose = Camera(T1, HEAD).pose(AT_ORIGIN, (0.0, 0.0))
    assert pose.position == approx(NECK[0] + 0.05, 0.0, NECK[2] + 0.12)
    assert pose.quaternion == approx(0.0, 0.0, 0.0, 1.0)


def test_camera_turns_left_and_down_with_the_head():
    yaw, pitch = math.radians(90), math.radians(30)
    pose = Camera(T1, HEAD).pose(AT_ORIGIN, (yaw, pitch))
    ahead = 0.05 * math.cos(pitch) + 0.12 * math.sin(pitch)
    up = 0.12 * math.cos(pitch) - 0.05 * math.sin(pitch)
    assert pose.position == approx(NECK[0], ahead, NECK[2] + up)
    # one metre before the lens is to the left of the robot, and lower
    x, y, z = pose.place((1.0, 0.0, 0.0))
    assert (x, y, z) == approx(NECK[0], ahead + math.cos(pitch), NECK[2] + up - math.sin(pitch))


def test_camera_goes_with_the_base():
    base = Pose((5.0, -3.0, 0.67), quaternion_from_rpy(0.0, 0.0, math.pi))
    pose = Camera(T1, HEAD).pose(base, (0.0, 0.0))
    assert pose.position == approx(5.0 - NECK[0] - 0.05, -3.0, 0.67 + NECK[2] + 0.12)
    assert pose.place((1.0, 0.0, 0.0)) == approx(4.0 - NECK[0] - 0.05, -3.0, 0.67 + NECK[2] + 0.12)


@pytest.mark.parametrize("angles", [(math.nan, 0.0), (0.0, math.inf)])
def test_no_camera_behind_a_joint_that_is_not_sensed(angles):
    assert Camera(T1, HEAD).pose(AT_ORIGIN, angles) is None


def test_camera_does_not_depend_on_other_joints():
    camera = Camera(T1, ("Waist", *HEAD))
    assert camera.pose(AT_ORIGIN, (math.nan, 0.1, 0.2)) == Camera(T1, HEAD).pose(AT_ORIGIN, (0.1, 0.2))


@pytest.mark.parametrize("missing", ["base_link", "camera_link"])
def test_robot_without_a_link_is_refused(missing):
    text = (URDF / "t1.urdf").read_text().replace(f'"{missing}"', '"other_link"')
    with pytest.raises(ConfigError, match=missing):
        Camera(read_urdf(text), HEAD)


AT_ONE = Pose((1.0, 0.0, 0.5), quaternion_from_rpy(0.0, 0.0, 0.5 * pi))  # it looks along y


@pytest.mark.parametrize(
    ("place", "shown", "surely"),
    [
        ((1.0, 3.0, 0.5), True, True),  # ahead
        ((1.0, -3.0, 0.5), False, False),  # behind
        ((1.0 + 3.0, 2.0, 0.5), True, False),  # 56 degrees to the right: in the picture, but at its rim
        ((1.0 - 3.0, 1.0, 0.5), False, False),  # 72 degrees to the left
        ((1.0, 1.0, 1.7), True, False),  # 50 degrees up
        ((1.0, 0.2, 0.5), True, False),  # too near to be sure
    ],
)
def test_soccer_camera(place, shown, surely):
    assert (SOCCER.shows(AT_ONE, place), SOCCER.surely_shows(AT_ONE, place)) == (shown, surely)


def test_reach():
    short = FieldOfView(radians(90.0), radians(90.0), reach=2.0)
    assert short.shows(AT_ONE, (1.0, 1.9, 0.5))
    assert not short.shows(AT_ONE, (1.0, 2.1, 0.5))
    assert not short.surely_shows(AT_ONE, (1.0, 2.1, 0.5))
