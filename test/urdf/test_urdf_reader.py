# SPDX-License-Identifier: Apache-2.0
"""What the reader takes from a description."""

import math
from dataclasses import replace

import pytest
from lxml import etree

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import (
    Box,
    Capsule,
    Cylinder,
    JointType,
    Limit,
    Mesh,
    Mimic,
    Origin,
    Sphere,
    read_urdf,
)
from embodiment_bridge.urdf.source import parse, read_description

ARM = """<?xml version="1.0" encoding="latin-1"?>
<robot name="arm" version="1.0">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <material name="wood"><texture filename="wood.png"/></material>
  <link name="base">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual name="plate"><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual>
      <origin xyz="0.1 -2e-1 +.3" rpy="0 0 1.5"/>
      <geometry><cylinder radius="0.5" length="2"/></geometry>
      <material name="blue"><color rgba="0 0 1 1"/></material>
    </visual>
    <collision><geometry><capsule radius="1" length="2"/></geometry></collision>
  </link>
  <link name="upper">
    <visual><geometry><sphere radius="0"/></geometry><material name="blue"/></visual>
    <visual>
      <geometry><mesh filename="package://a/b.stl" scale="1 1 -1"/></geometry>
      <material name="wood"/>
    </visual>
    <visual><geometry><mesh filename="c.dae"/></geometry></visual>
  </link>
  <link name="lower"/> <link name="slider"/> <link name="wheel"/> <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 3 4"/><limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="1"/><safety_controller k_velocity="10"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><limit effort="0" velocity="0"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="lower"/><child link="slider"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.4" effort="20" velocity="0.2"/><mimic joint="elbow" multiplier="0.1"/>
  </joint>
  <joint name="drive" type="continuous">
    <parent link="slider"/><child link="wheel"/><limit effort="1" velocity="9"/>
  </joint>
  <joint name="end" type="fixed"><parent link="wheel"/><child link="tip"/><axis xyz="0 0 0"/></joint>
  <transmission name="t"><type>SimpleTransmission</type></transmission>
  <ros2_control name="bus" type="system">
    <joint name="shoulder"><param name="id">7</param></joint>
  </ros2_control>
</robot>
"""


def line_of(sign):
    """The line of ARM in which ``sign`` comes first."""
    return ARM[: ARM.index(sign)].count("\n") + 1


def test_links_and_their_visuals():
    robot = read_urdf(ARM)
    assert (robot.name, robot.root) == ("arm", "base")
    assert list(robot.links) == ["base", "upper", "lower", "slider", "wheel", "tip"]
    plate, pole = robot.links["base"].visuals
    assert (plate.shape, plate.origin, plate.rgba) == (Box((1, 2, 3)), Origin(), (1, 0, 0, 0.5))
    assert (pole.shape, pole.rgba) == (Cylinder(0.5, 2), (0, 0, 1, 1))
    assert (pole.origin.xyz, pole.origin.rpy) == ((0.1, -0.2, 0.3), (0, 0, 1.5))
    ball, mesh, plain = robot.links["upper"].visuals
    assert (ball.shape, ball.rgba) == (Sphere(0), (0, 0, 1, 1))  # blue is known from another link's visual
    assert mesh.shape == Mesh("package://a/b.stl", (1, 1, -1))
    assert plain.shape == Mesh("c.dae")
    assert mesh.rgba == plain.rgba == (0.7, 0.7, 0.7, 1)
    assert robot.links["tip"].visuals == ()


def test_joints():
    robot = read_urdf(ARM)
    assert list(robot.joints) == ["shoulder", "elbow", "rail", "drive", "end"]
    shoulder = robot.joints["shoulder"]
    assert (shoulder.type, shoulder.parent, shoulder.child) == (JointType.REVOLUTE, "base", "upper")
    assert shoulder.origin == Origin((1, 2, 3), (0.1, 0.2, 0.3))
    assert shoulder.axis == pytest.approx((0, 0.6, 0.8))
    assert shoulder.limit == Limit(lower=-1, upper=2, velocity=3, effort=10)
    assert robot.joints["elbow"].axis == (1, 0, 0)
    assert robot.joints["elbow"].limit == Limit(0, 0, 0, 0)
    assert robot.joints["drive"].limit == Limit(-math.inf, math.inf, 9, 1)
    assert robot.joints["end"].limit is None
    assert [j.name for j in robot.movable] == ["shoulder", "elbow", "rail", "drive"]
    assert robot.parent_joint["upper"] is shoulder
    assert set(robot.links) - set(robot.parent_joint) == {"base"}


def test_mimics_are_followed_to_the_joint_that_mimics_nothing():
    joints = read_urdf(ARM).joints
    assert joints["shoulder"].mimic is None
    assert joints["elbow"].mimic == Mimic("shoulder", -2, 0.5)
    assert joints["rail"].mimic == Mimic("shoulder", -0.2, 0.05)


def test_other_elements_are_kept():
    robot = read_urdf(ARM)
    assert [element.tag for element in robot.extras] == ["transmission", "ros2_control"]
    control = robot.extras[1]
    assert control.findtext("joint[@name='shoulder']/param[@name='id']") == "7"
    assert control.sourceline == line_of("<ros2_control")


def test_the_result_cannot_be_changed():
    robot = read_urdf(ARM)
    with pytest.raises(TypeError):
        robot.links["new"] = robot.links["base"]
    with pytest.raises(AttributeError):
        robot.name = "other"


def test_from_a_file(tmp_path):
    file = tmp_path / "my arm é.urdf"
    file.write_text(ARM, encoding="utf-8")
    assert read_urdf(file) == read_urdf(str(file))
    assert read_urdf(file).source == str(file)
    assert read_urdf(file).joints == read_urdf(ARM).joints
    file.write_text(ARM.replace('"0 3 4"', '"0 0 0"'), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_urdf(file)
    place = f"{file}:{line_of('<axis')}: <axis> of joint 'shoulder'"
    assert str(caught.value) == f"{place}: xyz '0 0 0' gives no direction"


def test_a_byte_order_mark_and_blanks_before_the_document_do_no_harm():
    assert read_urdf('\ufeff<robot name="r"><link name="a"/></robot>').root == "a"
    assert read_urdf('\n <robot name="r"><link name="a"/></robot>').root == "a"


PLAIN = '<robot name="r"><link name="a"/><link name="b"/>{}</robot>'
TURN = (
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{}'
    '<limit lower="-1" upper="1" effort="1" velocity="2"{}/></joint>'
)
AS_TINYXML = {
    "prefixes that are not declared": PLAIN.format(TURN.format("<x:y/>", ' drake:acceleration="1"')),
    "hyphens in a comment": PLAIN.format(f"<!-- 1 -- 2 ---{TURN.format('', '')} --->{TURN.format('', '')}"),
    "a default namespace": PLAIN.format(TURN.format("", "")).replace("<robot", '<robot xmlns="http://x.org"'),
    "declarations": '<!-- whose -->\n<?xml version="0.0" ?>' + PLAIN.format(TURN.format("", "")),
    "another encoding": '<?xml version="1.0" encoding="ISO-8859-1"?>'
    + PLAIN.format(TURN.format("<!-- é -->", "")),
}


@pytest.mark.parametrize("text", AS_TINYXML.values(), ids=AS_TINYXML)
def test_xml_that_urdfdom_takes(text, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(text.encode("latin-1"))
    robot = read_urdf(file)
    assert robot.joints["j"].limit == Limit(-1, 1, 2, 1)
    assert not robot.warnings
    copy = tmp_path / "copy.urdf"
    copy.write_bytes(etree.tostring(parse(read_description(file)), encoding="utf-8"))
    assert read_urdf(copy) == replace(robot, source=str(copy))


@pytest.mark.parametrize("encoding", ["utf-7", "punycode", "no-such", "ISO-8859-99", "big5"])
def test_bytes_that_are_not_in_the_declared_encoding(encoding, tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>{PLAIN}'.encode() + b"<!-- \xff -->")
    with pytest.raises(ConfigError, match=r"robot\.urdf: not UTF-8, at byte"):
        read_urdf(file)


def test_quaternions_and_capsules_of_urdf_1_1():
    capsule = '<visual><geometry><capsule radius="0.1" length="2"/></geometry></visual>'
    turned = TURN.format('<origin xyz="1 2 3" quat_xyzw="0 -2 0 2"/>', "")
    robot = read_urdf(PLAIN.format(turned).replace('<link name="b"/>', f'<link name="b">{capsule}</link>'))
    assert robot.joints["j"].origin.xyz == (1, 2, 3)
    assert robot.joints["j"].origin.quaternion == pytest.approx((0, -math.sqrt(0.5), 0, math.sqrt(0.5)))
    assert robot.links["b"].visuals[0].shape == Capsule(0.1, 2)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_that_no_position_moves(kind):
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/></joint>'
    robot = read_urdf(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>')
    assert robot.joints["j"].type is JointType(kind)
    assert robot.movable == ()


def test_long_chains_are_read_without_recursion():
    count = 10_000
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<mimic joint="j{i + 1}"/></joint>'
        for i in range(count - 1)
    )
    last = (
        f'<joint name="j{count - 1}" type="continuous"><parent link="l{count - 1}"/><child link="l{count}"/>'
    )
    robot = read_urdf(f'<robot name="snake">{links}{joints}{last}</joint></robot>')
    assert robot.joints["j0"].mimic == Mimic(f"j{count - 1}", 1.0, 0.0)
