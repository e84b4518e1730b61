# SPDX-License-Identifier: Apache-2.0
"""`new-body`: from a URDF to a body file and a document that fit each other."""

import json
import shlex
from pathlib import Path

import pytest

from embodiment_bridge import bml
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.urdf.meshes import find_mesh

ROOT = Path(__file__).parents[3]
JOINT = """<joint name="{0}" type="{1}"><parent link="base_link"/><child link="{0}"/><axis xyz="0 0 1"/>{2}</joint>
<link name="{0}"/>"""
LIMIT = '<limit lower="{0}" upper="{1}" velocity="{2}" effort="3"/>'


def urdf(folder: Path, *joints: tuple[str, str, str]) -> str:
    path = folder / "mine.urdf"
    parts = "".join(JOINT.format(*joint) for joint in joints)
    path.write_text(f'<robot name="My Arm"><link name="base_link"/>{parts}</robot>')
    return str(path)


@pytest.mark.parametrize("robot", ["desk_humanoid", "t1", "ant", "nao"])
def test_files_of_a_real_robot_fit_each_other(robot, tmp_path, capsys) -> None:
    assert (
        main(["new-body", str(ROOT / f"urdf/{robot}.urdf"), "--name", "mine", "--folder", str(tmp_path)]) == 0
    )
    body = read_body(tmp_path / "mine.yaml")
    assert str(tmp_path / "mine.yaml") in capsys.readouterr().out
    read = bml.read((tmp_path / "mine_joints.json").read_text(), strict=True)
    assert not read.problems
    assert not bml.check(read.document, {info.name: info for info in body.skill_infos()})
    moved = {name for skill in body.skills.values() for frame in skill.keyframes for name in frame.position}
    assert moved == {joint.name for joint in body.joints}


def test_ranges_rest_and_speeds_come_from_the_description(tmp_path) -> None:
    path = urdf(
        tmp_path,
        ("Left-Shoulder", "revolute", LIMIT.format(-1.5, 1.5, 2)),
        ("head_pan", "revolute", LIMIT.format(0.2, 1.5, 0.3)),
        ("roller", "continuous", '<limit velocity="4" effort="1"/>'),
    )
    assert main(["new-body", path, "--folder", str(tmp_path)]) == 0
    body = read_body(tmp_path / "my_arm.yaml")
    joints = {joint.name: joint for joint in body.joints}
    assert joints["Left-Shoulder"].channel == "arm_l"
    assert joints["head_pan"].rest == pytest.approx(0.2, abs=1e-3)
    assert (joints["head_pan"].velocity, joints["roller"].velocity) == (0.3, 4.0)
    assert joints["roller"].upper == pytest.approx(3.14, abs=0.01)
    assert list(body.skills)[:3] == ["reset", "wave", "try_left_shoulder"]
    actions = [
        one["action"] for one in json.loads((tmp_path / "my_arm_joints.json").read_text())["behaviors"]
    ]
    assert actions == ["RESET", "TRY_LEFT_SHOULDER", "TRY_HEAD_PAN", "TRY_ROLLER", "WAVE", "RESET"]


def test_nothing_is_overwritten(tmp_path, capsys) -> None:
    path = urdf(tmp_path, ("pan", "revolute", LIMIT.format(-1, 1, 1)))
    (tmp_path / "my_arm.yaml").write_text("mine")
    assert main(["new-body", path, "--folder", str(tmp_path)]) == 2
    assert "not overwritten" in capsys.readouterr().err
    assert (tmp_path / "my_arm.yaml").read_text() == "mine"
    assert not (tmp_path / "my_arm_joints.json").exists()


@pytest.mark.parametrize("joints", [[("fixed", "fixed", "")], [("pan", "revolute", LIMIT.format(0, 0, 1))]])
def test_a_robot_that_does_not_move_has_no_body_file(joints, tmp_path, capsys) -> None:
    assert main(["new-body", urdf(tmp_path, *joints), "--folder", str(tmp_path)]) == 2
    assert "has no joint that moves" in capsys.readouterr().err


def test_numbers_that_no_joint_has_are_told_and_replaced(tmp_path, capsys) -> None:
    path = urdf(
        tmp_path,
        ("fast", "revolute", LIMIT.format(-1, 1, 1e8)),
        ("still", "revolute", LIMIT.format(0, 0, 1)),
        ("wide", "prismatic", LIMIT.format(-1e16, 1e16, 1)),
        ("far", "prismatic", LIMIT.format(20, 30, 1)),
        ("strong", "revolute", LIMIT.format(-1, 1, 1).replace('"3"', '"18000"')),
        ("a-b", "continuous", ""),
        ("a_b", "continuous", ""),
    )
    assert main(["new-body", path, "--folder", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "note: joint 'still' has no range and stays as it is" in told
    assert all(
        text in told for text in ("'fast': 1e+08 rad/s", "'strong': 18000 Nm", "-1e+16..1e+16 is kept to 10")
    )
    joints = {joint.name: joint for joint in read_body(tmp_path / "my_arm.yaml").joints}
    assert list(joints) == ["fast", "wide", "strong", "a-b", "a_b"]
    assert (joints["fast"].velocity, joints["strong"].effort, joints["wide"].upper) == (1.0, 1.0, 10.0)
    setup = read_servo_setup(read_urdf(tmp_path / "my_arm_servos.urdf"))
    assert [servo.joint for servo in setup.servos] == list(joints)


ROS_1 = """<transmission name="t_{0}"><type>transmission_interface/SimpleTransmission</type><joint name="{0}"/>
<actuator name="m"><mechanicalReduction>{1}</mechanicalReduction></actuator></transmission>"""
SIMULATED = """<ros2_control name="servos" type="system">
<hardware><plugin>gz_ros2_control/GazeboSimSystem</plugin></hardware>
<joint name="pan"><command_interface name="position"/></joint></ros2_control>"""


def test_the_copy_has_servos_beside_gears_of_ros_1_and_a_simulated_ros2_control(tmp_path, capsys) -> None:
    names = ("pan", "grip", "odd", "zero")
    path = Path(urdf(tmp_path, *((name, "prismatic", LIMIT.format(-1, 1, 1)) for name in names)))
    gears = zip(names, (-2, 50, "one", 0), strict=True)
    more = "".join(ROS_1.format(*gear) for gear in gears) + SIMULATED
    path.write_text(f"{path.read_text().replace('</robot>', more)}</robot >\n<!-- the -- end -->\n")
    assert main(["new-body", str(path), "--folder", str(tmp_path)]) == 0
    setup = read_servo_setup(read_urdf(tmp_path / "my_arm_servos.urdf"))
    assert {servo.joint: servo.reduction for servo in setup.servos} == {
        "pan": -2,
        "grip": 50,
        "odd": 1,
        "zero": 1,
    }
    told = capsys.readouterr().out
    assert "joint 'odd': reduction 'one' of its transmission 't_odd' is not taken: 1 in its place" in told


def test_the_line_that_shows_the_robot(tmp_path, capsys) -> None:
    path = urdf(tmp_path, ("pan", "revolute", LIMIT.format(-1, 1, 1)))
    assert main(["new-body", path, "--folder", str(tmp_path / "my robot")]) == 0
    program, command, *arguments = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert (program, command, arguments[0]) == ("embodiment_bridge", "up", "bringup.launch.xml")
    values = dict(argument.split(":=") for argument in arguments[1:])
    assert (values.pop("body"), values.pop("viewer")) == ("virtual_servos", "true")
    assert len(read_servo_setup(read_urdf(Path(values["urdf"]))).servos) == 1
    assert read_body(Path(values["body_file"])).name == "my_arm"


def test_robots_by_name(tmp_path, monkeypatch, capsys) -> None:
    assert main(["new-body", "arm9"]) == 2
    assert "pip install robot_descriptions" in capsys.readouterr().err
    package = tmp_path / "robot_descriptions"
    package.mkdir()
    (package / "__init__.py").write_text("")
    known = dict.fromkeys(("arm9_description", "arm8_mj_description", "leg_description"))
    (package / "_descriptions.py").write_text(f"DESCRIPTIONS = {known}")
    path = urdf(tmp_path, ("pan", "revolute", LIMIT.format(-1, 1, 1)))
    (package / "arm9_description.py").write_text(f"URDF_PATH = {path!r}")
    (package / "leg_description.py").write_text("raise OSError('no\\nnetwork')")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["new-body", "arm9", "--folder", str(tmp_path)]) == 0
    assert read_body(tmp_path / "my_arm.yaml").joints[0].name == "pan"
    assert main(["new-body", "arm8"]) == 2
    assert "did you mean 'arm9'?" in capsys.readouterr().err
    assert main(["new-body", "leg"]) == 2
    assert "robot_descriptions cannot fetch it: OSError: no network" in capsys.readouterr().err


def test_a_description_without_servos_gets_them(tmp_path, capsys) -> None:
    path = urdf(
        tmp_path,
        ("pan", "revolute", LIMIT.format(-1, 1, 1)),
        ("fixed", "fixed", ""),
        ("grip", "prismatic", LIMIT.format(0, 0.02, 0.1)),
    )
    assert main(["new-body", path, "--folder", str(tmp_path)]) == 0
    assert str(tmp_path / "my_arm_servos.urdf") in capsys.readouterr().out
    setup = read_servo_setup(read_urdf(tmp_path / "my_arm_servos.urdf"))
    (bus,) = setup.buses
    assert [(servo.joint, servo.id, servo.reduction) for servo in bus.servos] == [
        ("pan", 1, 1.0),
        ("grip", 2, 100.0),
    ]
    assert not setup.warnings


@pytest.mark.parametrize("folder", ["robot", "elsewhere"])
def test_the_copy_with_servos_finds_its_meshes(folder, tmp_path) -> None:
    (tmp_path / "robot/meshes").mkdir(parents=True)
    mesh = tmp_path / "robot/meshes/arm.stl"
    mesh.write_bytes(b"")
    path = Path(urdf(tmp_path / "robot", ("pan", "revolute", LIMIT.format(-1, 1, 1))))
    visual = '<visual><geometry><mesh filename="meshes/arm.stl"/></geometry></visual>'
    text = path.read_text().replace('<link name="pan"/>', f'<link name="pan">{visual}</link>')
    path.write_text(f"<!-- of whom it is -->\n{text}")
    assert main(["new-body", str(path), "--folder", str(tmp_path / folder)]) == 0
    copy = tmp_path / folder / "my_arm_servos.urdf"
    assert copy.read_text().startswith("<!-- of whom it is -->")
    (visual,) = read_urdf(copy).links["pan"].visuals
    assert (visual.shape.filename == "meshes/arm.stl") == (folder == "robot")
    assert find_mesh(visual.shape.filename, copy) == mesh
    assert len(read_servo_setup(read_urdf(copy)).buses) == 1


def test_a_description_with_servos_keeps_them(tmp_path) -> None:
    assert main(["new-body", str(ROOT / "urdf/desk_humanoid.urdf"), "--folder", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "desk_humanoid.yaml",
        "desk_humanoid_joints.json",
    ]


def test_a_description_to_which_nothing_can_be_added(tmp_path, capsys) -> None:
    path = Path(urdf(tmp_path, ("pan", "revolute", LIMIT.format(-1, 1, 1))))
    path.write_text(path.read_text().replace("</robot>", "</robot><?the end?>"))
    assert main(["new-body", str(path), "--folder", str(tmp_path)]) == 2
    assert "does not end with </robot>" in capsys.readouterr().err
