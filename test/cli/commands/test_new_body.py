# SPDX-License-Identifier: Apache-2.0
"""`new-body`: from a URDF to a body file and a document that fit each other."""

import json
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


@pytest.mark.parametrize(
    ("joints", "text"),
    [
        ([("fixed", "fixed", "")], "has no joint that moves"),
        ([("pan", "revolute", LIMIT.format(0, 0, 1))], "mine.urdf: the <limit> of 'pan' has no range"),
        (
            [
                ("a", "revolute", '<limit velocity="1" effort="1"/>'),
                ("b", "revolute", LIMIT.format(-1, 1, 1)),
                ("c", "prismatic", LIMIT.format(0.5, 0.5, 1)),
            ],
            "'a', 'c' has no range",
        ),
        ([("a-b", "continuous", ""), ("a_b", "continuous", "")], "give the same skill 'try_a_b'"),
    ],
)
def test_robots_without_a_body_file(joints, text, tmp_path, capsys) -> None:
    assert main(["new-body", urdf(tmp_path, *joints), "--folder", str(tmp_path)]) == 2
    assert text in capsys.readouterr().err


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
    path.write_text(path.read_text() + "<!-- the end -->")
    assert main(["new-body", str(path), "--folder", str(tmp_path)]) == 2
    assert "does not end with </robot>" in capsys.readouterr().err
