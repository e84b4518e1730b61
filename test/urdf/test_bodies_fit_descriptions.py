# SPDX-License-Identifier: Apache-2.0
"""A body file keeps within the joints of the robot description of the same name, which is where ranges come from."""

import math
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[2]
NAMES = sorted(
    path.stem
    for path in (ROOT / "config/bodies").glob("*.yaml")
    if (ROOT / f"urdf/{path.stem}.urdf").is_file()
)
ROUNDED = 1e-9
NARROWER = math.radians(3.0)  # a body may keep away from the stops


def test_all_robots_are_there():
    assert NAMES == [
        "ant", "desk_arm", "desk_humanoid", "k1", "mock", "nao", "nao_toe", "open_manipulator_x", "t1",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_joints_ranges_and_torques(name):
    movable = read_urdf(ROOT / f"urdf/{name}.urdf").movable
    joints = {joint.name: joint.limit for joint in movable if joint.mimic is None}
    body = read_body(ROOT / f"config/bodies/{name}.yaml")
    assert {joint.name for joint in body.joints} == set(joints)
    for joint in body.joints:
        limit = joints[joint.name]
        assert limit.lower - ROUNDED <= joint.lower < limit.lower + NARROWER, joint.name
        assert limit.upper - NARROWER < joint.upper <= limit.upper + ROUNDED, joint.name
        assert joint.effort == limit.effort, joint.name
