# SPDX-License-Identifier: Apache-2.0
"""Files of robots: what is read, found, left out, and refused in one line."""

import pytest
from physics_stage import ARM, DESK

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.physics.assembly import assemble
from embodiment_bridge.physics.model_file import find_model, read_model

LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="3" velocity="2"/>'
JOINT = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>{3}' + LIMIT + "</joint>"


def urdf(*parts: str) -> str:
    return '<robot name="r">' + "\n".join(parts) + "</robot>"


def link(name: str, shape: str = "") -> str:
    return f'<link name="{name}">{LINK}{shape}</link>'


def write(path, text: str):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<sdf/>", ["neither <robot> (URDF) nor <mujoco> (MJCF)"]),
        ("<mujoco><worldbdy/></mujoco>", ["unrecognized element", "worldbdy", "line 1"]),
        (
            "<mujoco><worldbody><body><joint/><geom/></body></worldbody></mujoco>",
            ["size 0 must be positive in geom"],
        ),
        (urdf('<link name="a"/>', JOINT.format("j", "a", "b", "")), [":2: ", "unknown link 'b'"]),
        (urdf(link("a")), ["no joint that can be driven"]),
    ],
)
def test_model_that_cannot_be_used_gives_one_line_with_file_and_element(tmp_path, text, parts) -> None:
    path = write(tmp_path / "bad.xml", text)
    with pytest.raises(ConfigError) as caught:
        assemble(path)
    told = str(caught.value)
    assert "\n" not in told
    assert "bad.xml" in told
    assert [part for part in parts if part not in told] == []


def test_names_of_models() -> None:
    assert find_model(str(DESK)) == DESK
    assert find_model("python://rcsssmj/resources/robots/T1/robot.xml").is_file()
    for name, why in (
        ("/nowhere/robot.urdf", "there is no file"),
        ("python://no_such_package/robot.xml", "'no_such_package' is not installed"),
        ("python://../../robot.xml", "is not installed"),
        ("python://rcsssmj/none.xml", "there is no file"),
    ):
        with pytest.raises(ConfigError, match=why):
            find_model(name)


def test_links_of_a_urdf_keep_their_names_and_frames() -> None:
    model = assemble(DESK, world="none").model
    names = {model.body(number).name for number in range(model.nbody)}
    assert {"base_link", "pelvis", "imu_link", "camera_link", "l_gripper"} <= names


def test_mimic_follows_its_joint(tmp_path) -> None:
    mimic = '<mimic joint="j" multiplier="-0.5" offset="0.1"/>'
    path = write(
        tmp_path / "m.urdf",
        urdf(
            link("a"),
            link("b"),
            link("c"),
            JOINT.format("j", "a", "b", ""),
            JOINT.format("k", "b", "c", mimic),
        ),
    )
    made = assemble(path, base="fixed", world="none")
    assert [joint.name for joint in made.joints] == ["j"]
    assert list(made.model.eq_data[0][:2]) == [0.1, -0.5]


def test_meshes_are_found_and_others_are_left_out_by_name(tmp_path) -> None:
    package = tmp_path / "my_robot"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    corners = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "v 0 0 1"]
    write(
        package / "meshes/box.obj", "\n".join([*corners, "f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]) + "\n"
    )
    write(package / "meshes/shell.dae", "<COLLADA/>")
    shape = '<{0}><geometry><mesh filename="package://my_robot/meshes/{1}"/></geometry></{0}>'
    good, dae, gone = shape.format("collision", "box.obj"), shape.format("visual", "shell.dae"), "<x/>"
    path = write(
        package / "urdf/r.urdf", urdf(link("a", good), link("b", dae), JOINT.format("j", "a", "b", ""))
    )
    file = read_model(path)
    assert [mesh.file for mesh in file.spec.meshes] == [str(package / "meshes/box.obj")]
    assert len(file.warnings) == 1
    assert "shell.dae" in file.warnings[0]
    gone = shape.format("collision", "gone.stl")
    write(path, urdf(link("a", gone), link("b"), JOINT.format("j", "a", "b", "")))
    with pytest.raises(
        ConfigError, match=r"line 1: mesh 'package://my_robot/meshes/gone.stl' of a collision"
    ):
        read_model(path)


def test_parts_that_are_not_understood_are_named(tmp_path) -> None:
    site = ARM.replace('<geom name="rod"', '<site name="tip" pos="0.5 0 0"/><geom name="rod"').replace(
        "</actuator>", '<general name="suction" site="tip" gear="0 0 1 0 0 0"/></actuator>'
    )
    made = assemble(write(tmp_path / "arm.xml", site))
    assert made.warnings == ("actuator suction is left alone",)
    assert made.model.actuator("suction").id >= 0


def test_gains_and_efforts_of_the_model_are_kept(tmp_path) -> None:
    (joint,) = assemble(write(tmp_path / "arm.xml", ARM)).joints
    assert (joint.lower, joint.upper, joint.effort, joint.kp, joint.kd) == (-1.5, 1.5, 20.0, 40.0, 4.0)
    geared = ARM.replace('<position name="pull" joint="shoulder" kp="40" kv="4" forcerange="-20 20"/>', "")
    motor = geared.replace(
        "<actuator>", '<actuator><motor joint="shoulder" gear="30" ctrllimited="true" ctrlrange="-0.5 0.5"/>'
    )
    (joint,) = assemble(write(tmp_path / "motor.xml", motor)).joints
    assert joint.effort == 15.0
    assert joint.kp > 0.0


@pytest.mark.parametrize(
    ("world", "why"), [("moon", "unknown world 'moon'"), ("bad.xml", "world .*bad.xml: .*worldbdy")]
)
def test_world_that_is_not_there(tmp_path, monkeypatch, world, why) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "bad.xml", "<mujoco><worldbdy/></mujoco>")
    with pytest.raises(ConfigError, match=why):
        assemble(DESK, world=world)


def test_world_of_the_model_stays_alone(tmp_path) -> None:
    path = write(tmp_path / "arm.xml", ARM)
    assert assemble(path).model.nbody == 3
    assert assemble(path, world="soccer").model.nbody > 3
    with pytest.raises(ConfigError, match="base is 'swimming'"):
        assemble(path, base="swimming")


BOX = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'


@pytest.mark.parametrize(
    ("base", "shape", "warned"), [("floating", "", True), ("floating", BOX, False), ("fixed", "", False)]
)
def test_robot_that_the_ground_does_not_carry_is_named(tmp_path, base, shape, warned) -> None:
    path = write(tmp_path / "r.urdf", urdf(link("a", shape), link("b"), JOINT.format("j", "a", "b", "")))
    falls = "no link has a collision shape: the robot falls through the ground"
    assert (falls in assemble(path, base=base).warnings) is warned


@pytest.mark.parametrize(
    ("text", "changed", "why"),
    [
        ('name="shoulder"', 'name="shoulder" range="nan nan"', "joint 'shoulder': range nan nan"),
        ('<geom name="rod"', '<site name="sensed imu"/><geom name="rod"', "repeated name 'sensed imu'"),
        ("<option gravity", '<include file="gone.xml"/><option gravity', "gone.xml"),
    ],
)
def test_model_that_cannot_be_used_is_one_line(tmp_path, text, changed, why) -> None:
    arm = ARM.replace(' range="-1.5 1.5"', "") if "range" in changed else ARM
    path = write(tmp_path / "arm.xml", arm.replace(text, changed))
    with pytest.raises(ConfigError, match=why) as raised:
        assemble(path)
    assert str(raised.value).startswith(f"model {path}: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("timestep", [0.0, -0.001, float("nan"), 1.0])
def test_timestep_that_is_none(timestep) -> None:
    with pytest.raises(ConfigError, match="timestep is"):
        assemble(DESK, timestep=timestep)


def test_links_of_a_model_that_would_fuse_them_stay(tmp_path) -> None:
    fused = ARM.replace('angle="radian"', 'angle="radian" fusestatic="true" discardvisual="true"')
    made = assemble(write(tmp_path / "arm.xml", fused))
    assert [made.model.body(b).name for b in range(3)] == ["world", "column", "arm"]


def test_comment_does_not_tell_the_kind_of_a_file(tmp_path) -> None:
    text = "<!-- as <mujoco> has it -->" + urdf(link("a"), link("b"), JOINT.format("j", "a", "b", ""))
    assert read_model(write(tmp_path / "r.urdf", text)).robot is not None
