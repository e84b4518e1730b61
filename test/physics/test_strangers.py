# SPDX-License-Identifier: Apache-2.0
"""Models as strangers bring them: taken as the field's tools take them, and what is done otherwise is said."""

import numpy as np
import pytest
import trimesh
from physics_stage import ARM, CYCLE, dance, targets

from embodiment_bridge.physics.assembly import assemble
from embodiment_bridge.physics.description import describe
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.urdf import Box, Mesh, link_pose, read_urdf

MASS = '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
BLOCK = MASS + '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'


def link(name, inside=MASS) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    name, parent, child, *, kind="revolute", limit='lower="-1" upper="1"', origin="0.1 0 0", more=""
) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{origin}" rpy="0.3 0 0.2"/><axis xyz="0 1 0"/>'
        f'<limit {limit} velocity="2" effort="30"/>{more}</joint>'
    )


def urdf(tmp_path, *parts):
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{"".join(parts)}</robot>', encoding="utf-8")
    return path


def mjcf(tmp_path, text):
    path = tmp_path / "robot.xml"
    path.write_text(text, encoding="utf-8")
    return path


def settle(simulation, seconds=2.0, **angles):
    """Drive the joints somewhere, let time pass, and return the state."""
    state = simulation.state
    while state.time < seconds:
        state = simulation.step(targets(simulation, **angles), CYCLE)
    return state


def contacts_with_world(simulation):
    """How deep the robot and the world are in each other, m, for each contact."""
    model, data = simulation.model, simulation.data
    own = np.asarray(model.body_rootid)[model.geom_bodyid] == simulation.root
    return [-float(c.dist) for c in data.contact if own[c.geom[0]] != own[c.geom[1]]]


@pytest.mark.parametrize("at", [0.0, 0.4])
def test_joint_whose_range_has_no_width_is_locked_and_on_tf(tmp_path, at) -> None:
    range_ = f'lower="{at}" upper="{at}"'
    path = urdf(
        tmp_path, link("world", ""), link("a"), link("b"), link("c"), link("d"),
        joint("base", "world", "a", kind="fixed", origin="0 0 1"),
        joint("free", "a", "b"), joint("locked", "b", "c", limit=range_),
        joint("follower", "c", "d", more='<mimic joint="locked" multiplier="-2" offset="0.1"/>'),
    )  # fmt: skip
    simulation = Simulation(path)
    assert [one.name for one in simulation.body.joints] == ["free"]
    assert {
        f"joint {name!r} is held still: its range has no width" for name in ("locked", "follower")
    } <= set(simulation.assembly.warnings)
    angle = settle(simulation, free=0.7).position[0]
    assert angle == pytest.approx(0.7, abs=0.05)
    robot = read_urdf(path)
    for name in ("c", "d"):
        pose = link_pose(robot, {"free": angle}, name)
        assert pose.xyz == pytest.approx(simulation.data.body(name).xpos.tolist(), abs=1e-6)


def test_joint_that_is_planar_or_floating_inside_the_robot_is_held_and_told(tmp_path) -> None:
    for kind in ("planar", "floating"):
        path = urdf(
            tmp_path,
            link("a", BLOCK),
            link("b"),
            link("c"),
            joint("j", "a", "b", kind=kind),
            joint("k", "b", "c"),
        )
        made = assemble(path)
        assert [one.name for one in made.joints] == ["k"]
        assert f"joint 'j' is held still: it is {kind}, and not the base of the robot" in made.warnings


def test_base_that_floats_under_the_world_floats(tmp_path) -> None:
    path = urdf(
        tmp_path, link("world", ""), link("a", BLOCK), link("b"),
        joint("base", "world", "a", kind="floating", origin="0 0 3"), joint("j", "a", "b"),
    )  # fmt: skip
    simulation = Simulation(path)
    assert simulation.assembly.floating
    simulation.beam(0.0, 0.0, 0.0)
    simulation.data.qpos[2] = 1.0
    assert settle(simulation).base_position[2] < 0.2  # it fell
    assert not assemble(path, base="fixed").floating


def test_blanks_around_a_name_are_no_part_of_it(tmp_path) -> None:
    (only,) = assemble(urdf(tmp_path, link("a", BLOCK), link("b "), joint(" j ", "a", "b"))).joints
    assert (only.name, only.velocity) == ("j", 2.0)


def test_moving_frames_without_mass_get_a_tiny_one(tmp_path) -> None:
    path = urdf(
        tmp_path, link("a", BLOCK), link("frame", ""), link("b"), link("tip", ""),
        joint("j", "a", "frame"), joint("k", "frame", "b"), joint("m", "b", "tip"),
    )  # fmt: skip
    simulation = Simulation(path, base="fixed")
    said = [text for text in simulation.assembly.warnings if "no mass" in text]
    assert said == [f"link {name!r} moves and has no mass: it gets a tiny one" for name in ("frame", "tip")]
    assert settle(simulation, j=0.5, k=-0.4, m=0.3).position == pytest.approx((0.5, -0.4, 0.3), abs=0.05)
    assert dance(simulation, 5.0)[0] < 100.0


def test_inertia_that_no_body_has_is_made_one(tmp_path) -> None:
    wrong = BLOCK.replace('ixx="0.01" ixy="0"', 'ixx="0.01" ixy="0.02"')
    frame = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    path = urdf(
        tmp_path, link("base", frame), link("a", wrong), link("b"),
        joint("mount", "base", "a", kind="fixed"), joint("j", "a", "b"),
    )  # fmt: skip
    simulation = Simulation(path)
    said = "link 'a': its inertia is that of no body: it gets 1e-09 kg m2 where it has none"
    assert said in simulation.assembly.warnings
    assert simulation.model.body("a").inertia.min() > 0.0
    assert settle(simulation, j=0.5).position == pytest.approx((0.5,), abs=0.05)


def test_mesh_as_text_carries_the_robot_as_its_box_would(tmp_path) -> None:
    text = trimesh.creation.box((0.1, 0.1, 0.1)).export(file_type="stl_ascii")
    (tmp_path / "block.stl").write_text(text, encoding="utf-8")
    mesh = '<{0}><geometry><mesh filename="block.stl"/></geometry></{0}>'
    inside = MASS + mesh.format("visual") + mesh.format("collision")
    simulation = Simulation(urdf(tmp_path, link("a", inside), link("b"), joint("j", "a", "b")))
    assert simulation.state.base_position[2] == pytest.approx(0.051, abs=1e-4)
    assert 0.03 < settle(simulation).base_position[2] < 0.07
    assert not [text for text in simulation.assembly.warnings if "left out" in text]


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ('<mesh filename="broken.stl"/>', "mesh 'broken.stl' is no STL file of 1 to 200000 faces"),
        ('<box size="0.1 0 0.1"/>', "box has a size of 0"),
        ('<cylinder radius="0" length="1"/>', "cylinder has a size of 0"),
    ],
)
def test_shape_that_mujoco_refuses_is_left_out_and_told(tmp_path, shape, said) -> None:
    (tmp_path / "broken.stl").write_text("solid nothing\nendsolid nothing\n")
    for kind in ("visual", "collision"):
        inside = f"{BLOCK}<{kind}><geometry>{shape}</geometry></{kind}>"
        made = assemble(urdf(tmp_path, link("a", inside), link("b"), joint("j", "a", "b")))
        assert made.warnings == (f"line 1: {said}: this {kind} is left out",)


def test_flat_mesh_is_a_thin_shell(tmp_path) -> None:
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0.1 0.1 0\nf 1 2 3\nf 2 4 3\n")
    inside = f'{BLOCK}<visual><geometry><mesh filename="flat.obj"/></geometry></visual>'
    made = assemble(urdf(tmp_path, link("a", inside), link("b"), joint("j", "a", "b")))
    assert made.model.body("a").mass[0] == 1.0


def test_massless_base_that_floats(tmp_path) -> None:
    path = urdf(tmp_path, link("base_link", ""), link("b", BLOCK), joint("j", "base_link", "b"))
    assert settle(Simulation(path), j=0.5).position == pytest.approx((0.5,), abs=0.05)


@pytest.mark.parametrize("name", ["ball", "table"])
def test_link_with_the_name_of_a_thing_of_the_world(tmp_path, name) -> None:
    simulation = Simulation(urdf(tmp_path, link("a", BLOCK), link(name), joint("j", "a", name)))
    expected = f"robot and world have a body {name!r}: names of the world begin with 'world_'"
    assert expected in simulation.assembly.warnings
    simulation.place("world_ball", (0.0, 2.0, 1.0), None, (0.0, 0.0, 0.0))
    assert simulation.data.body("world_ball").xpos[1] == pytest.approx(2.0)
    assert settle(simulation, j=0.5).position == pytest.approx((0.5,), abs=0.05)


LEG = """<mujoco><compiler angle="radian"/><worldbody><body name="base">
  <geom type="cylinder" size="0.05 0.05" euler="0.7 0 0" mass="1"/>
  <body name="leg"><joint name="j" axis="0 1 0" range="-0.5 0.5"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
  </body></body></worldbody></mujoco>"""


def test_floor_does_not_go_through_a_robot_that_is_bolted_to_the_world(tmp_path) -> None:
    simulation = Simulation(mjcf(tmp_path, LEG))
    said = "the origin of the world is at the lowest point of the robot, z = -0.43 m"
    assert said in simulation.assembly.warnings
    assert max(contacts_with_world(simulation), default=0.0) < 1e-6
    for angle in (0.0, 0.4, -0.4):
        simulation.reset()
        state = settle(simulation, j=angle)
        assert state.position[0] == pytest.approx(angle, abs=0.05)
        assert abs(state.velocity[0]) < 0.05
    assert state.base_position == pytest.approx((0.0, 0.0, 0.0))


def test_robot_that_is_bolted_to_the_world_stays_where_it_is(tmp_path) -> None:
    drum = '<geometry><cylinder radius="0.05" length="0.1"/></geometry>'
    tilted = f'<collision><origin rpy="0.5 0.5 0" xyz="0 0 0.072"/>{drum}</collision>'
    path = urdf(
        tmp_path, link("world", ""), link("a", MASS + tilted), link("b"),
        joint("base", "world", "a", kind="fixed", origin="0 0 0"), joint("j", "a", "b"),
    )  # fmt: skip
    for base in ("auto", "fixed"):
        assert Simulation(path, base=base).state.base_position == pytest.approx((0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("shape", "low"),
    [
        (
            'type="cylinder" size="0.1 0.2" euler="0.6 0.5 0"',
            0.2 * np.cos(0.6) * np.cos(0.5) + 0.1 * np.hypot(np.cos(0.6) * np.sin(0.5), np.sin(0.6)),
        ),
        ('type="capsule" size="0.1 0.2" euler="0.6 0 0"', 0.2 * np.cos(0.6) + 0.1),
        ('type="box" size="0.1 0.2 0.3" euler="0.6 0 0"', 0.3 * np.cos(0.6) + 0.2 * np.sin(0.6)),
        ('type="ellipsoid" size="0.1 0.2 0.3" euler="0.6 0 0"', np.hypot(0.3 * np.cos(0.6), 0.2 * np.sin(0.6))),
        ('type="sphere" size="0.1"', 0.1),
    ],
)  # fmt: skip
def test_robot_stands_on_the_lowest_point_of_its_shape(tmp_path, shape, low) -> None:
    text = f"""<mujoco><compiler angle="radian"/><worldbody><body name="a"><freejoint/><geom {shape} mass="1"/>
      <body name="b"><joint name="j"/><geom type="sphere" size="0.01"/></body></body></worldbody></mujoco>"""
    assert Simulation(mjcf(tmp_path, text)).state.base_position[2] == pytest.approx(low + 0.001, abs=1e-4)


@pytest.mark.parametrize(
    ("actuator", "lower", "upper"),
    [
        ('<position joint="shoulder" kp="40" ctrlrange="-1 0.5"/>', -1.0, 0.5),
        ('<position joint="shoulder" kp="40" gear="-2" ctrlrange="-1 0.5"/>', -0.25, 0.5),
        ('<position joint="shoulder" kp="40" ctrlrange="3 4"/>', -1.5, 1.5),  # nowhere in the joint's range
        (
            '<general joint="shoulder" gainprm="0.4" biastype="affine" biasprm="-20 -40 0" ctrlrange="0 100"/>',
            -0.5,
            0.5,
        ),
        ('<motor joint="shoulder" ctrlrange="-1 1"/>', -1.5, 1.5),  # a torque is no angle
        ('<intvelocity joint="shoulder" kp="40" ctrlrange="-9 9" actrange="-1 0.5"/>', -1.0, 0.5),
    ],
)
def test_range_of_an_actuator_is_that_of_its_joint(tmp_path, actuator, lower, upper) -> None:
    text = ARM.replace(
        '<position name="pull" joint="shoulder" kp="40" kv="4" forcerange="-20 20"/>', actuator
    )
    (only,) = assemble(mjcf(tmp_path, text)).joints
    assert (only.lower, only.upper) == pytest.approx((lower, upper))


NECK = """<mujoco><compiler angle="radian"/><worldbody><body name="column"><geom type="box" size=".1 .1 .1"/>
  <body name="base_link"><joint name="base_link_joint" axis="0 1 0" pos="0 0 0.1"/><geom type="box" size=".1 .1 .1"/>
    <body name="head"><joint name="neck" type="ball"/><geom type="mesh" mesh="own"/></body></body>
  </body></worldbody>
  <asset><mesh name="own" file="own.msh"/></asset></mujoco>"""


def test_names_of_the_description_are_there_once_and_what_it_cannot_show_is_told(tmp_path) -> None:
    corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    with (tmp_path / "own.msh").open("wb") as file:
        np.array([4, 0, 0, 4], np.int32).tofile(file)
        np.array(corners, np.float32).tofile(file)
        np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], np.int32).tofile(file)
    made = assemble(mjcf(tmp_path, NECK), world="none")
    robot = read_urdf(describe(made.model, int(made.model.body(made.root).id), "r", made.meshes))
    assert set(robot.links) == {"base_link", "base_link_1", "base_link_1_at_base_link_joint", "head"}
    assert set(robot.joints) == {"base_link_joint", "base_link_1_joint", "head_joint"}
    assert "joint neck is a ball joint: links behind it stand still on /tf" in made.warnings
    assert isinstance(robot.links["head"].visuals[0].shape, Box)
    assert not any(isinstance(visual.shape, Mesh) for one in robot.links.values() for visual in one.visuals)


def test_actuator_of_another_robot_names_it(tmp_path) -> None:
    second = ARM[ARM.index('<body name="column"') : ARM.index("</worldbody>")]
    for name in ("column", "arm", "shoulder", "rod"):
        second = second.replace(f'name="{name}"', f'name="other_{name}"')
    text = ARM.replace("</worldbody>", second + "</worldbody>").replace(
        "</actuator>", '<motor name="m" joint="other_shoulder"/></actuator>'
    )
    said = "actuator m of 'other_column', another robot than 'column', is left alone"
    assert said in assemble(mjcf(tmp_path, text.replace('<key name="up" qpos="-0.5"/>', ""))).warnings


def test_inertia_of_a_joint_is_that_of_the_full_matrix(tmp_path) -> None:
    made = assemble(mjcf(tmp_path, ARM))
    data = mujoco.MjData(made.model)
    mujoco.mj_forward(made.model, data)
    column = np.zeros((1, made.model.nv))
    mujoco.mj_mulM(made.model, data, column[0], np.eye(made.model.nv)[0])
    rows = made.model.M_rowadr + made.model.M_rownnz - 1
    assert data.M[rows][0] == pytest.approx(column[0, 0])
