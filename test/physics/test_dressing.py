# SPDX-License-Identifier: Apache-2.0
"""Meshes of an MJCF in a description: the files, drawn as the description says, are where MuJoCo has the geoms."""

import random
from pathlib import Path

import numpy as np
import pytest
import trimesh
from physics_stage import ARM, ROOT

from embodiment_bridge.core.rotation import rotate
from embodiment_bridge.physics.assembly import assemble
from embodiment_bridge.physics.description import describe, dress
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.model_file import find_model
from embodiment_bridge.urdf import Box, Mesh, link_pose, read_urdf
from embodiment_bridge.urdf.meshes import find_mesh, with_found_meshes

T1 = "python://rcsssmj/resources/robots/T1/robot.xml"
WEDGE = """<mujoco model="wedge"><compiler meshdir="parts"/>
  <asset><mesh file="cone.stl" scale="1 -2 1.5"/><mesh name="gone" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <mesh name="moved" file="cone.stl" refpos="0.1 0.2 0.3"/></asset>
  <worldbody><body name="b" pos="0 0 1"><freejoint/>
    <geom type="mesh" mesh="cone" pos="1 2 3" euler="30 20 10"/>
    <body name="c" pos="0 0 1" euler="0 90 0"><joint name="j" axis="0 0 1" range="-90 90"/>
      <geom type="mesh" mesh="gone"/><geom type="mesh" mesh="moved"/></body></body></worldbody></mujoco>"""


def boxes_of_description(robot, angles):
    """The boxes around all meshes, in the frame of the base: rows of lowest and highest corners."""
    found = []
    for link in robot.links.values():
        for visual in link.visuals:
            if not isinstance(visual.shape, Mesh):
                continue
            loaded = trimesh.load_mesh(find_mesh(visual.shape.filename), process=False)
            pose = link_pose(robot, angles, link.name, "base_link")
            points = (
                loaded.vertices * visual.shape.scale @ _axes(visual.origin.quaternion) + visual.origin.xyz
            )
            points = points @ _axes(pose.quaternion) + pose.xyz
            found.append([*points.min(axis=0), *points.max(axis=0)])
    return np.array(sorted(found, key=lambda row: np.round(row, 3).tolist()))


def boxes_of_model(made, angles):
    """The same of MuJoCo."""
    model, data = made.model, mujoco.MjData(made.model)
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    root = int(model.body(made.root).id)
    found = []
    for geom in np.flatnonzero(model.geom_dataid >= 0):
        mesh = int(model.geom_dataid[geom])
        if model.mesh(mesh).name not in made.meshes:
            continue
        first = int(model.mesh_vertadr[mesh])
        points = model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])]
        points = points @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
        points = (points - data.xpos[root]) @ data.xmat[root].reshape(3, 3)
        found.append([*points.min(axis=0), *points.max(axis=0)])
    return np.array(sorted(found, key=lambda row: np.round(row, 3).tolist()))


def _axes(quaternion):
    return np.array(
        [rotate(quaternion, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    )


@pytest.fixture(scope="module")
def t1():
    return assemble(find_model(T1), base="floating", world="none")


@pytest.mark.parametrize("kind", ["made", "dressed"])
def test_meshes_of_a_humanoid_are_where_the_model_has_them(t1, kind) -> None:
    root = int(t1.model.body(t1.root).id)
    if kind == "made":
        robot = read_urdf(describe(t1.model, root, t1.name, t1.meshes))
    else:
        robot = read_urdf(dress(ROOT / "urdf/t1.urdf", t1.model, root, t1.meshes))
        assert {"camera_link", "l_sole"} <= set(robot.links)  # frames stay as they are
        assert all(isinstance(v.shape, Mesh) for link in robot.links.values() for v in link.visuals)
    chance = random.Random(1)
    angles = {joint.name: chance.uniform(-0.3, 0.3) for joint in t1.joints}
    ours, theirs = boxes_of_description(robot, angles), boxes_of_model(t1, angles)
    assert len(ours) == 24
    assert np.abs(ours - theirs).max() < 0.002  # lengths of our description are rounded


def test_mesh_that_is_moved_mirrored_or_without_a_file(tmp_path) -> None:
    (tmp_path / "parts").mkdir()
    cone = trimesh.creation.cone(radius=0.1, height=0.3)
    cone.apply_translation([0.2, 0.1, 0.0])
    cone.export(tmp_path / "parts/cone.stl")
    (tmp_path / "wedge.xml").write_text(WEDGE, encoding="utf-8")
    made = assemble(tmp_path / "wedge.xml", world="none")
    robot = read_urdf(describe(made.model, int(made.model.body("b").id), "w", made.meshes))
    ours, theirs = boxes_of_description(robot, {"j": 0.5}), boxes_of_model(made, {"j": 0.5})
    assert len(ours) == 1
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert [type(visual.shape) for visual in robot.links["c"].visuals] == [Box, Box]


def test_description_of_a_model_without_meshes_keeps_its_shapes(tmp_path) -> None:
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    made = assemble(tmp_path / "arm.xml")
    path = tmp_path / "arm.urdf"
    path.write_text(describe(made.model, int(made.model.body(made.root).id), "a"), encoding="utf-8")
    assert read_urdf(dress(path, made.model, 1, {})).links == read_urdf(path).links


def test_names_of_meshes_become_absolute(tmp_path) -> None:
    (tmp_path / "my_robot/meshes").mkdir(parents=True)
    file = tmp_path / "my_robot/meshes/a.stl"
    file.write_bytes(b"")
    text = (
        '<robot><!-- kept --><mesh filename="package://my_robot/meshes/a.stl"/><mesh filename="{}"/></robot>'
    )
    made = with_found_meshes(text.format("no.stl"), tmp_path / "my_robot/robot.urdf")
    assert made == text.format("no.stl").replace("package://my_robot/meshes/a.stl", f"file://{file}")
    assert find_mesh(f"file://{file}") == file
    plain = '<robot a="1"   b="2"></robot>'
    assert with_found_meshes(plain, Path("x.urdf")) is plain
