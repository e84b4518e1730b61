# SPDX-License-Identifier: Apache-2.0
"""How the reader names what is wrong with a description, and that nothing else comes out of bad input.

What urdfdom takes though it makes no sense, and what is wrong with looks, gets a warning.
"""

import re
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.urdf.source import MAX_BYTES, MAX_DEPTH

A_B = '<link name="a"/><link name="b"/>'
LIMIT = '<limit lower="0" upper="1" effort="1" velocity="1"/>'


def joint(inside=LIMIT, name="j", kind="revolute", parent="a", child="b"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def drawn(shape, material=""):
    return f'<link name="a"><visual><geometry>{shape}</geometry>{material}</visual></link>'


def colored(rgba):
    return drawn('<sphere radius="1"/>', f'<material><color rgba="{rgba}"/></material>')


DOCUMENTS = [
    ("", "not a file"),
    ("<robot", "robot description:1: not well-formed XML"),
    ("<robot name='r'><link name='a'></robot>", "robot description:1: not well-formed XML: .*mismatch"),
    ("<sdf/>", "robot description:1: <sdf>: is not <robot>"),
    ("<robot><link name='a'/></robot>", "<robot>: has no name"),
    ("<robot name='r'/>", "<robot name='r'>: has no link"),
    ("<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='&a;'/>", "<!DOCTYPE"),
    ("<robot name='\ud800'/>", "not Unicode text: surrogates not allowed at character 13"),
    ("<robot name='r'><x:macro xmlns:x='http://www.ros.org/wiki/xacro'/></robot>", "is a xacro macro"),
    ("<robot name='r'>" + " " * MAX_BYTES + "</robot>", f"more than {MAX_BYTES} bytes"),
    ("<robot>" + "<x>" * MAX_DEPTH + "</x>" * MAX_DEPTH + "</robot>", "nested more than 32 deep"),
    ("<robot>" + "<x>" * 5000 + "</x>" * 5000 + "</robot>", "depth|deep"),
]

NAMES = [
    ("<link/>", "<link> of robot 'r': has no name"),
    ('<link name=" "/>', "<link name=' '>: has no name"),
    (f'<link name="{"a" * 1025}"/>', r"<link name='a{60}\.\.\.'>: name 'a{60}\.\.\.' is longer than 1024"),
    ('<link name="a"/>\n<link name="a"/>', ":2: <link name='a'>: .* link of this name already, in line 1"),
    (A_B + '<link name="c"/>' + joint() + joint(child="c"), "a joint of this name already, in line 1"),
]

TREES = [
    (A_B, "<robot name='r'>: links 'a' and 'b' are both roots"),
    (A_B + joint(child="c"), r"<joint name='j'>: unknown link 'c' \(known: a, b\)"),
    (A_B + joint(parent="A"), "<joint name='j'>: unknown link 'A'"),
    ('<link name="a"/>' + joint(child="a"), "<joint name='j'>: link 'a' is in a loop"),
    (A_B + joint() + joint(name="k", parent="b", child="a"), "is in a loop"),
    (
        A_B + '<link name="c"/>' + joint(child="c", parent="b") + joint(name="k", parent="c"),
        "'b' is in a loop",
    ),
    (A_B + joint() + joint(name="k"), "<joint name='k'>: its child 'b' hangs on joint 'j' already"),
    (A_B + '<joint name="j" type="fixed"><child link="b"/></joint>', "<joint name='j'>: has no <parent>"),
    (A_B + '<joint name="j" type="fixed"><parent link="a"/></joint>', "<joint name='j'>: has no <child>"),
    (A_B + joint(parent=""), "<parent> of joint 'j': has no link"),
]

JOINTS = [
    (joint(kind="revolut"), "<joint name='j'>: unknown joint type 'revolut'; did you mean 'revolute'?"),
    (joint(kind=""), "<joint name='j'>: has no type"),
    (joint(""), "<joint name='j'>: has no <limit>"),
    (joint("", kind="prismatic"), "<joint name='j'>: has no <limit>"),
    (joint('<limit effort="1"/>'), "<limit> of joint 'j': has no velocity"),
    (joint('<limit velocity="1"/>'), "<limit> of joint 'j': has no effort"),
    (joint('<limit lower="2" upper="1" effort="1" velocity="1"/>'), "lower 2 is above upper 1"),
    (joint('<limit lower="nan" effort="1" velocity="1"/>'), "lower 'nan' is not a finite number"),
    (joint(LIMIT + '<axis xyz="0 0 0"/>'), "<axis> of joint 'j': xyz '0 0 0' gives no direction"),
    (joint(LIMIT + '<axis xyz="1e308 1e308 1e308"/>'), "gives no direction"),
    (joint(LIMIT + '<axis xyz="0 1"/>'), "xyz '0 1' has 2 numbers, not 3"),
    (joint(LIMIT + '<origin xyz="0 0 inf"/>'), "<origin> of joint 'j': xyz 'inf' is not a finite number"),
    (joint(LIMIT + '<origin rpy="0 1e999 0"/>'), "rpy '1e999' is not a finite number"),
    (joint(LIMIT + '<origin xyz="1,0,0"/>'), "xyz '1,0,0' has 1 numbers, not 3"),
    (joint(LIMIT + '<origin xyz="0 1_0 0"/>'), "xyz '1_0' is not a finite number"),
    (joint(LIMIT + '<origin xyz="0 \u0663 0"/>'), "xyz '\u0663' is not a finite number"),
    (joint(LIMIT + '<origin xyz="0 ${x} 0"/>'), r"xyz '\$\{x\}' is not a finite number"),
]

MIMICS = [
    (joint(LIMIT + "<mimic/>"), "<mimic> of joint 'j': has no joint"),
    (joint(LIMIT + '<mimic joint="j" multiplier="x"/>'), "multiplier 'x' is not a finite number"),
    (joint(LIMIT + '<mimic joint="j" offset="x"/>'), "offset 'x' is not a finite number"),
    (joint(LIMIT + '<origin quat_xyzw="0 0 0 0"/>'), "quat_xyzw '0 0 0 0' gives no rotation"),
    (joint(LIMIT + '<origin quat_xyzw="0 0 1"/>'), "quat_xyzw '0 0 1' has 3 numbers, not 4"),
]

ODDITIES = [
    (
        joint('<limit effort="1" velocity="-1"/>'),
        "<limit> of joint 'j': velocity or effort is below 0; taken",
    ),
    (
        joint('<limit effort="-1" velocity="1"/>'),
        "<limit> of joint 'j': velocity or effort is below 0; taken",
    ),
    (
        joint(LIMIT + '<mimic joint="k"/>'),
        r"<joint name='j'>: unknown joint to mimic 'k' \(known: j\); it moves by itself",
    ),
    (joint(LIMIT + '<mimic joint="j"/>'), "<joint name='j'>: mimics itself, .*; it moves by itself"),
    (
        '<link name="c"/>' + joint(LIMIT + '<mimic joint="k"/>') + joint("", "k", "fixed", child="c"),
        "<joint name='j'>: mimics joint 'k', which is fixed; it moves by itself",
    ),
    (
        '<link name="c"/>'
        + joint(LIMIT + '<mimic joint="k"/>')
        + joint(LIMIT + '<mimic joint="j"/>', "k", child="c"),
        "mimics itself, directly or through others",
    ),
    (
        '<link name="c"/>' + joint() + joint("", "k", "floating", parent="b", child="c"),
        "<joint name='k'>: is floating: no position moves it; links behind it are not on /tf",
    ),
    (
        joint() + "<xacro:sensors/>",
        "<xacro:sensors> .*: is a macro that xacro has not expanded; it has no effect",
    ),
]

VISUALS = [
    ('<link name="a"><visual/></link>', "<visual> of link 'a': has no <geometry>"),
    (drawn(""), "<geometry> of link 'a': has 0 shapes, not one"),
    (drawn('<sphere radius="1"/><sphere radius="1"/>'), "<geometry> of link 'a': has 2 shapes, not one"),
    (drawn('<sphre radius="1"/>'), "unknown shape 'sphre'; did you mean 'sphere'?"),
    (drawn("<box/>"), "<box> of link 'a': has no size"),
    (drawn('<box size="1 1"/>'), "<box> of link 'a': size '1 1' has 2 numbers, not 3"),
    (drawn('<box size="1 1 -1"/>'), "<box> of link 'a': size -1 is below 0"),
    (drawn("<sphere/>"), "<sphere> of link 'a': has no radius"),
    (drawn('<sphere radius="-1"/>'), "<sphere> of link 'a': radius -1 is below 0"),
    (drawn('<sphere radius="big"/>'), "radius 'big' is not a finite number"),
    (drawn('<cylinder radius="1"/>'), "<cylinder> of link 'a': has no length"),
    (drawn('<cylinder length="1"/>'), "<cylinder> of link 'a': has no radius"),
    (drawn("<mesh/>"), "<mesh> of link 'a': has no filename"),
    (drawn('<sphere radius="1"/>', '<material name="m"/>'), "unknown material 'm'"),
    (colored("255 128 0 1"), "<color> of link 'a': rgba '255 128 0 1' is above 1: taken as of 255"),
    (colored("1 1 1 -1"), "<color> of link 'a': rgba -1 is below 0"),
    (colored("1 1 1"), "<color> of link 'a': rgba '1 1 1' has 3 numbers, not 4"),
]


@pytest.mark.parametrize(("text", "message"), DOCUMENTS, ids=[message for _, message in DOCUMENTS])
def test_bad_documents_are_refused(text, message):
    with pytest.raises(ConfigError, match=message):
        read_urdf(text)


@pytest.mark.parametrize(
    ("inside", "message"),
    NAMES + TREES + [(A_B + inside, message) for inside, message in JOINTS + MIMICS],
)
def test_bad_robots_are_refused(inside, message):
    with pytest.raises(ConfigError, match=message) as caught:
        read_urdf(f'<robot name="r">{inside}</robot>')
    assert re.match(r"robot description:\d+: <", str(caught.value))


@pytest.mark.parametrize(
    ("inside", "message"), VISUALS + [(A_B + inside, message) for inside, message in ODDITIES]
)
def test_what_makes_no_sense_is_told_and_the_robot_is_read(inside, message):
    robot = read_urdf(f'<robot name="r">{inside}</robot>')
    (warning,) = robot.warnings
    assert re.match("robot description:1: <.*", warning)
    assert re.search(message, warning)
    assert robot.root == "a"
    assert [joint.mimic for joint in robot.joints.values()].count(None) >= min(len(robot.joints), 1)


@pytest.mark.parametrize("piece", ["<!--", "<?xml ", "<!-- -", "<a x:y='1' ", "<a x:y='1'/>", "-"])
def test_long_nonsense_is_refused_at_once(piece):
    text = '<robot name="r">' + piece * (MAX_BYTES // len(piece) - 9)
    begun = time.process_time()
    with pytest.raises(ConfigError):
        read_urdf(text)
    assert time.process_time() - begun < 20.0  # quadratic work would take hours


def test_many_warnings_are_counted():
    links = "".join(f'<link name="l{i}"/>' for i in range(31))
    bad = "".join(
        joint('<limit effort="-1" velocity="1"/>', f"j{i}", parent="l0", child=f"l{i + 1}") for i in range(30)
    )
    warnings = read_urdf(f'<robot name="r">{links}{bad}</robot>').warnings
    assert (len(warnings), warnings[-1]) == (21, "and 10 more")


def test_a_long_bad_value_is_quoted_in_part():
    (warning,) = read_urdf(
        f'<robot name="r">{drawn(f"<sphere radius={quoteattr(chr(120) * 9999)}/>")}</robot>'
    ).warnings
    assert len(warning) < 200


def test_unreadable_files_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none.urdf", Path("/dev/zero"), Path("nul\0")):
        with pytest.raises(ConfigError, match="cannot be read"):
            read_urdf(path)
    file = tmp_path / "bad.urdf"
    file.write_bytes(b'<robot name="r">\xff</robot>')
    with pytest.raises(ConfigError, match=r"bad\.urdf: not UTF-8, at byte 16 "):
        read_urdf(file)
    file.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(
        ConfigError, match=rf"bad\.urdf: its {MAX_BYTES + 1} bytes are more than the limit of {MAX_BYTES}"
    ):
        read_urdf(file)


def test_entities_that_name_files_are_refused(tmp_path):
    (tmp_path / "secret").write_text("secret")
    file = tmp_path / "robot.urdf"
    entity = f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{tmp_path}/secret">]>'
    file.write_text(f'{entity}<robot name="r"><link name="a">&x;</link></robot>')
    with pytest.raises(ConfigError, match="<!DOCTYPE"):
        read_urdf(file)


ODD = st.one_of(
    st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF), max_size=12),
    st.floats().map(str),
    st.sampled_from(["0 0 1", "revolute", "fixed", "a", "b", "j", "1e400", "-1", ""]),
)


@given(*[ODD] * 8)
def test_odd_values_give_a_robot_or_a_config_error(name, size, kind, child, axis, effort, velocity, leader):
    text = (
        f"<robot name='r'><link name={quoteattr(name)}>"
        f"<visual><geometry><box size={quoteattr(size)}/></geometry></visual></link><link name='b'/>"
        f"<joint name='j' type={quoteattr(kind)}><parent link='a'/><child link={quoteattr(child)}/>"
        f"<axis xyz={quoteattr(axis)}/><limit effort={quoteattr(effort)} velocity={quoteattr(velocity)}/>"
        f"<mimic joint={quoteattr(leader)}/></joint></robot>"
    )
    try:
        robot = read_urdf(text)
    except ConfigError:
        return
    assert set(robot.parent_joint) == set(robot.links) - {robot.root}


@given(st.text(max_size=60).map(lambda text: "<" + text))
def test_any_text_gives_a_config_error(text):
    with pytest.raises(ConfigError):
        read_urdf(text)
