# SPDX-License-Identifier: Apache-2.0
"""Where links are, against a slow reference with matrices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import chain, fixed_transforms, link_pose, link_transforms, read_urdf, seen_from

LIMIT = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'
ORIGIN = '<origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/>'

#  base -turn-> a -slide-> b -spin-> c -weld-> d ; base -follow-> e ; d -drift-> f
ROBOT = read_urdf(
    '<robot name="r">'
    + "".join(f'<link name="{name}"/>' for name in ("base", *"abcdef"))
    + "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'
        for name, kind, parent, child, inside in (
            ("turn", "revolute", "base", "a", f'{ORIGIN}<axis xyz="1 2 -2"/>{LIMIT}'),
            ("slide", "prismatic", "a", "b", f'{ORIGIN}<axis xyz="0 3 4"/>{LIMIT}'),
            ("spin", "continuous", "b", "c", f'{ORIGIN}<axis xyz="0 0 -1"/>'),
            ("weld", "fixed", "c", "d", ORIGIN),
            ("follow", "revolute", "base", "e", f'{LIMIT}<mimic joint="turn" multiplier="-2" offset="0.5"/>'),
            ("drift", "floating", "d", "f", ""),
        )
    )
    + "</robot>"
)
ANGLE = st.floats(allow_nan=False, allow_infinity=False)
MODERATE = st.floats(-10, 10)


def rotation(axis, angle):
    """Rodrigues' formula, written out."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def placed(rotation_matrix, xyz):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation_matrix, xyz
    return matrix


def reference(turn, slide, spin):
    """The pose of d in base as a 4x4 matrix."""
    rpy = rotation((0, 0, 1), 0.6) @ rotation((0, 1, 0), -0.5) @ rotation((1, 0, 0), 0.4)
    origin = placed(rpy, (0.1, -0.2, 0.3))
    return (
        origin
        @ placed(rotation((1 / 3, 2 / 3, -2 / 3), turn), (0, 0, 0))
        @ origin
        @ placed(np.eye(3), (0, 0.6 * slide, 0.8 * slide))
        @ origin
        @ placed(rotation((0, 0, -1), spin), (0, 0, 0))
        @ origin
    )


def matrix(transform):
    x, y, z, w = transform.quaternion
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return placed(np.array(rows), transform.xyz)


@given(MODERATE, MODERATE, MODERATE)
def test_forward_kinematics_agrees_with_matrices(turn, slide, spin):
    positions = {"turn": turn, "slide": slide, "spin": spin}
    pose = link_pose(ROBOT, positions, "d")
    assert (pose.parent, pose.child) == ("base", "d")
    assert matrix(pose) == pytest.approx(reference(turn, slide, spin), abs=1e-9)


@given(MODERATE, MODERATE, MODERATE)
def test_transforms_chained_give_the_same_pose(turn, slide, spin):
    positions = {"turn": turn, "slide": slide, "spin": spin}
    steps = {t.child: matrix(t) for t in link_transforms(ROBOT, positions) + fixed_transforms(ROBOT)}
    assert steps["a"] @ steps["b"] @ steps["c"] @ steps["d"] == pytest.approx(
        reference(turn, slide, spin), abs=1e-9
    )


@given(MODERATE, MODERATE, MODERATE)
def test_the_same_tree_hangs_on_a_link_inside_it(turn, slide, spin):
    positions = {"turn": turn, "slide": slide, "spin": spin}
    above = {joint.child for joint in chain(ROBOT, "base", "d")}
    steps = seen_from(link_transforms(ROBOT, positions) + fixed_transforms(ROBOT), above)
    parents = {step.child: step for step in steps}
    assert len(parents) == len(steps)
    assert "d" not in parents
    pose, frame = np.eye(4), "base"
    while frame != "d":
        pose = matrix(parents[frame]) @ pose
        frame = parents[frame].parent
    assert np.linalg.inv(pose) == pytest.approx(reference(turn, slide, spin), abs=1e-9)


@given(ANGLE, ANGLE, ANGLE)
def test_quaternions_are_of_unit_length(turn, slide, spin):
    for transform in link_transforms(ROBOT, {"turn": turn, "slide": slide, "spin": spin}):
        assert math.hypot(*transform.quaternion) == pytest.approx(1, abs=1e-12)


def test_which_transforms_there_are():
    moved = link_transforms(ROBOT, {"turn": 0.1, "slide": 0.2, "spin": 0.3, "stranger": 1.0})
    assert [(t.parent, t.child) for t in moved] == [("base", "a"), ("a", "b"), ("b", "c"), ("base", "e")]
    assert [(t.parent, t.child) for t in fixed_transforms(ROBOT)] == [("c", "d")]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf])
def test_a_joint_without_a_finite_position_has_no_transform(value):
    positions = {"turn": 0.1, "slide": value, "spin": 0.3}
    if value is None:
        del positions["slide"]
    assert [t.child for t in link_transforms(ROBOT, positions)] == ["a", "c", "e"]
    assert link_pose(ROBOT, positions, "b") is None
    assert link_pose(ROBOT, positions, "d") is None
    assert link_pose(ROBOT, positions, "a") is not None
    assert link_pose(ROBOT, positions, "c", root="b") is not None


def test_mimics_follow_unless_their_own_position_is_known():
    def angle(positions):
        x, y, z, w = link_pose(ROBOT, positions, "e").quaternion
        assert y == z == 0
        return 2 * math.atan2(x, w)

    assert angle({"turn": 0.1}) == pytest.approx(-2 * 0.1 + 0.5)
    assert angle({"turn": 0.1, "follow": 0.7}) == pytest.approx(0.7)
    assert link_pose(ROBOT, {}, "e") is None
    assert link_pose(ROBOT, {"turn": 1e308}, "e") is None  # overflows


def test_a_floating_joint_gives_no_pose():
    assert link_pose(ROBOT, {"turn": 0, "slide": 0, "spin": 0, "drift": 0}, "f") is None


def test_chains():
    assert [joint.name for joint in chain(ROBOT, "base", "d")] == ["turn", "slide", "spin", "weld"]
    assert [joint.name for joint in chain(ROBOT, "a", "c")] == ["slide", "spin"]
    assert chain(ROBOT, "d", "d") == ()
    assert link_pose(ROBOT, {}, "base") == ("base", "base", (0, 0, 0), (0, 0, 0, 1))


@pytest.mark.parametrize(
    ("root", "tip", "message"),
    [
        ("base", "x", "robot description: unknown link 'x'"),
        ("x", "a", "robot description: unknown link 'x'"),
        ("a", "e", "link 'e' does not hang on link 'a'"),
        ("b", "a", "link 'a' does not hang on link 'b'"),
    ],
)
def test_chains_that_are_not_there(root, tip, message):
    with pytest.raises(ConfigError, match=message):
        chain(ROBOT, root, tip)
    with pytest.raises(ConfigError, match=message):
        link_pose(ROBOT, {}, tip, root)
