# SPDX-License-Identifier: Apache-2.0
"""The URDF that is made of an MJCF: forward kinematics with it gives the places of MuJoCo's bodies."""

import random

import pytest
from physics_stage import ARM

from embodiment_bridge.core.rotation import rotate
from embodiment_bridge.physics.assembly import assemble
from embodiment_bridge.physics.description import describe
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.model_file import find_model
from embodiment_bridge.urdf import Box, Cylinder, Sphere, link_pose, read_urdf

# Two joints in one body, beside its frame and turned; a joint whose zero is not where the model is drawn; a slide.
KNOTTY = """<mujoco model="knotty"><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="1 2 3" euler="0.3 -0.2 1"><freejoint/>
    <geom type="sphere" size="0.1"/>
    <body name="arm" pos="0.1 0.2 0.3" euler="0.5 0.4 -0.3">
      <joint name="a" axis="1 0 0" pos="0.05 -0.02 0.1"/><joint name="b" axis="0 0.6 0.8" pos="0 0.1 0"/>
      <geom type="capsule" fromto="0 0 0 0.1 0.1 0.1" size="0.02"/>
      <body name="hand" pos="0 0 0.4" euler="1 0 0">
        <joint name="c" type="slide" axis="0 0 1" ref="0.2"/><joint name="d" axis="0 1 0" ref="0.7"/>
        <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/><geom type="ellipsoid" size="0.1 0.2 0.3"/>
        <body name="tip" pos="0.1 0 0"><geom type="cylinder" size="0.01 0.02"/></body>
      </body>
    </body>
  </body></worldbody></mujoco>"""


def check(path, base="auto") -> None:
    made = assemble(path, base=base, world="none")
    model, data = made.model, mujoco.MjData(made.model)
    root = int(model.body(made.root).id)
    robot = read_urdf(describe(model, root, made.name))
    chance = random.Random(1)
    angles = {joint.name: chance.uniform(-0.7, 0.7) for joint in robot.movable}
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    axes = data.xmat[root].reshape(3, 3)
    for body in range(root, model.nbody):
        if body == root or int(model.body_rootid[body]) != root:
            continue
        pose = link_pose(robot, angles, model.body(body).name)
        assert pose.xyz == pytest.approx(list(axes.T @ (data.xpos[body] - data.xpos[root])), abs=1e-6)
        forward = axes.T @ data.xmat[body].reshape(3, 3)[:, 0]
        assert rotate(pose.quaternion, (1.0, 0.0, 0.0)) == pytest.approx(list(forward), abs=1e-6)


def test_places_of_a_knotty_robot(tmp_path) -> None:
    path = tmp_path / "knotty.xml"
    path.write_text(KNOTTY, encoding="utf-8")
    check(path)


@pytest.mark.parametrize("name", ["T1", "ant"])
def test_places_of_robots_of_the_simulator(name) -> None:
    check(find_model(f"python://rcsssmj/resources/robots/{name}/robot.xml"), "floating")


def test_shapes_and_ranges(tmp_path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    made = assemble(path)
    robot = read_urdf(describe(made.model, int(made.model.body(made.root).id), made.name))
    assert (robot.root, robot.joints["shoulder"].limit.upper) == ("base_link", 1.5)
    (rod,) = robot.links["arm"].visuals
    assert rod.shape == Cylinder(0.02, 0.4)
    path.write_text(KNOTTY, encoding="utf-8")
    knotty = assemble(path, world="none")
    links = read_urdf(describe(knotty.model, int(knotty.model.body("trunk").id), "k")).links
    assert isinstance(links["base_link"].visuals[0].shape, Sphere)
    box, egg = links["hand"].visuals
    assert box.shape == egg.shape == Box((0.2, 0.4, 0.6))
    assert box.origin.xyz == (0.1, 0.0, 0.0)


def test_range_without_an_end(tmp_path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace("-1.5 1.5", "-inf 2"), encoding="utf-8")
    made = assemble(path)
    limit = read_urdf(describe(made.model, int(made.model.body(made.root).id), "a")).joints["shoulder"].limit
    assert (limit.lower, limit.upper) == (-1e4, 2.0)
