# SPDX-License-Identifier: Apache-2.0
"""What a launch file cannot say, one case for each way to be wrong, and how large it may be."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.document import MAX_BYTES, MAX_NESTING
from embodiment_bridge.launching.read import read_arguments
from embodiment_bridge.launching.scope import MAX_ELEMENTS, MAX_FILES, MAX_REPEATS, MAX_STARTED, RESERVED

NODE = '<node pkg="p" exec="e"/>'

# What is on line 3 of a file, and what is said about it.
ERRORS = [
    ("<nodes/>", "in <launch>: unknown tag 'nodes'; did you mean 'node'?"),
    ('<timer period="1"/>', "known: arg, executable, group, include, let, log, log_debug"),
    ('<node pkg="p" exec="e" nam="n"/>', "<node>: unknown attribute 'nam'; did you mean 'name'?"),
    ('<node pkg="p" exec="e" respawn="true"/>', "unknown attribute 'respawn'"),
    ('<node pkg="p"/>', "<node>: attribute 'exec' is missing"),
    (
        '<node pkg="p" exec="e"><arg name="x"/></node>',
        "in <node>: unknown tag 'arg' (known: env, param, remap)",
    ),
    ('<node pkg="p" exec="e" if="1" unless="0"/>', "<node>: 'if' and 'unless' cannot both be given"),
    ('<node pkg="p" exec="e" name="1st"/>', "<node>: node name '1st'"),
    ('<node pkg="p" exec="e" name=""/>', "<node>: node name ''"),
    ('<node pkg="p" exec="e" namespace="a//b"/>', "<node>: namespace '/a//b' (from '' and 'a//b')"),
    ('<node pkg="p" exec="e" output="print"/>', "<node>: output 'print' is not one of screen, log"),
    ('<node pkg="p" exec="e" on_exit="respawn"/>', "<node>: on_exit 'respawn' is not shutdown"),
    ('<executable cmd="e" on_exit=""/>', "<executable>: on_exit '' is not shutdown"),
    ('<node pkg="p" exec="e" args="it\'s"/>', '<node>: "it\'s" cannot be split into words'),
    ('<node pkg="p" exec="e"><param/></node>', "<param>: a param has 'name', or 'from'"),
    ('<node pkg="p" exec="e"><param name="n"/></node>', "<param>: a param has either 'value'"),
    ('<node pkg="p" exec="e"><param name="" value="1"/></node>', "<param>: 'name' cannot be empty"),
    (
        '<node pkg="p" exec="e"><param name="n" value="x" type="int"/></node>',
        "<param>: 'x' is not a valid int",
    ),
    (
        '<node pkg="p" exec="e"><param name="n" value="1" type="i"/></node>',
        "<param>: unknown parameter type 'i'",
    ),
    ('<node pkg="p" exec="e"><param name="n" from="f"/></node>', "<param>: 'from' stands alone"),
    (
        '<node pkg="p" exec="e"><param from="/no/f.yaml"/></node>',
        "<param>: parameter file '/no/f.yaml' does not exist",
    ),
    ('<node pkg="p" exec="e"><param from="/"/></node>', "<param>: parameter file '/' does not exist"),
    (
        '<node pkg="p" exec="e"><param name="n" value="1"><param name="m" value="1"/></param></node>',
        "<param>: a param has either 'value'",
    ),
    ('<node pkg="p" exec="e"><remap from="a" to=""/></node>', "<remap>: 'from' and 'to' cannot be empty"),
    ('<node pkg="p" exec="e"><remap from="a"/></node>', "<remap>: attribute 'to' is missing"),
    ('<node pkg="p" exec="e"><env name="A=B" value=""/></node>', "<env>: 'A=B' cannot be the name"),
    ('<node pkg="p" exec="e" if="maybe"/>', "<node>: 'maybe' is not a truth value"),
    ('<node pkg="p" exec="$(var x)"/>', "<node>: unknown variable 'x' (known: none)"),
    ('<log message="$(command ls)" if="false"/>', "<log>: unknown substitution '$(command)'"),
    ('<log message="$(find-pkg-share unknown)"/>', "<log>: package 'unknown' is not installed"),
    ('<log message="$(env NOWHERE)"/>', "<log>: environment variable 'NOWHERE' is not set"),
    ('<log message="a" level="loud"/>', "<log>: unknown level 'loud' (known: critical, debug, error, info"),
    ('<log_info message="a" level="info"/>', "<log_info>: unknown attribute 'level'"),
    ('<log_info message="$(string-join .)"/>', "<log_info>: $(string-join) takes 2 to"),
    ('<log message="a">text</log>', "text 'text' has no meaning here"),
    ('<log message="a"/>text', "text 'text' has no meaning here"),
    ('<arg name="a"/>', "argument 'a' has no default and was not given"),
    ('<arg name="a" if="true"/>', "<arg>: argument 'a' has no default and was not given"),
    (
        '<arg name="a" default="x"><choice value="b"/><choice value="c"/></arg>',
        "<arg>: argument 'a' is 'x', which is not one of its choices: b, c",
    ),
    ('<arg name="a" default="x" value="y"/>', "<arg>: unknown attribute 'value'"),
    ('<let name="launch-prefix" value="x"/>', "<let>: 'launch-prefix' cannot be a variable"),
    ('<let name="a"/>', "<let>: attribute 'value' is missing"),
    ('<group scoped="maybe"/>', "<group>: 'maybe' is not a truth value"),
    ('<group forwarding="false"/>', "<group>: unknown attribute 'forwarding'"),
    ('<push-ros-namespace namespace="1a"/>', "<push-ros-namespace>: namespace '/1a'"),
    ('<push-ros-namespace namespace="' + "a" * 300 + '"/>', "<push-ros-namespace>: namespace"),
    (
        '<include file="/no/a.launch.xml"/>',
        "<include>: launch file /no/a.launch.xml: cannot be read: No such file",
    ),
    ('<include file="/no/a.launch.py"/>', "<include>: '/no/a.launch.py' is not an .xml launch file"),
    ('<include file="' + "a" * 5000 + '.xml"/>', "<include>: launch file"),
    ('<include file="$(dirname)/main.launch.xml"/>', "main.launch.xml includes itself"),
    ('<set_env name="" value=""/>', "<set_env>: '' cannot be the name of an environment variable"),
    ('<set_parameter name="p" value="[1, 2]"/>', "<set_parameter>: value '[1, 2]' would not reach the nodes"),
    (
        '<set_parameter name="p" value="1"/><group><set_parameter name="q" value="1"/></group>',
        "<set_parameter>: a second set_parameter inside a group would also hold outside it",
    ),
    ('<executable cmd=""/>', "<executable>: cmd '' does not name a program"),
    ('<executable cmd="x" cwd=""/>', "<executable>: 'cwd' and 'name' cannot be empty"),
    ('<executable cmd="x" shell="true"/>', "<executable>: unknown attribute 'shell'"),
    ('<x:node xmlns:x="urn:x"/>', "unknown tag '{urn:x}node'"),
]


@pytest.mark.parametrize(("line", "reason"), ERRORS)
def test_error_names_file_line_and_reason(read, tmp_path, line, reason):
    with pytest.raises(ConfigError) as error:
        read("\n" + line)
    assert str(error.value).startswith(f"{tmp_path}/main.launch.xml:3: ")
    assert reason in str(error.value)


def test_error_in_an_included_file_names_that_file(read, tmp_path):
    with pytest.raises(ConfigError) as error:
        read('<include file="$(dirname)/other.launch.xml"/>', other='\n\n<log message="$(var x)"/>')
    assert str(error.value).startswith(f"{tmp_path}/other.launch.xml:4: <log>: ")


def test_include_must_give_what_is_needed(read, tmp_path):
    include = '<let name="a" value="1"/><include file="$(dirname)/other.launch.xml"/>'
    with pytest.raises(ConfigError) as error:
        read(include, other='<group><arg name="a"/></group>')
    assert str(error.value) == f"{tmp_path}/other.launch.xml:2: argument 'a' has no default and was not given"


def test_unknown_argument(read):
    with pytest.raises(ConfigError, match="unknown argument 'bdy'; did you mean 'body'"):
        read('<arg name="body" default="a"/><arg name="brain" default="b"/>', {"bdy": "x"})


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_names(read, name):
    with pytest.raises(ConfigError, match="cannot be a variable"):
        read(f'<arg name="{name}"/>', {name: "x"})


FILES = [
    (b"", "not well-formed XML"),
    (b"<launch>", "a.xml:1: not well-formed XML"),
    (b"<launch>\n<log></launch>", "a.xml:2: not well-formed XML"),
    (b'<launch>\n<log message="a" message="b"/></launch>', "a.xml:2: not well-formed XML"),
    (b"<robot/>", "a.xml:1: the root tag is <robot>, not <launch>"),
    (b'<launch version="1"/>', "a.xml:1: <launch>: unknown attribute 'version'"),
    (b"<launch/>\xff", "not UTF-8, at byte"),
    ("<launch/>".encode("utf-16"), "not UTF-8, at byte"),
    (
        b'\n<!DOCTYPE launch [<!ENTITY a "b">]><launch/>',
        "a.xml:2: a document type (<!DOCTYPE>) is not supported",
    ),
    (b"<launch>&a;</launch>", "a.xml:1: not well-formed XML"),
    (b"<launch>" + b" " * MAX_BYTES + b"</launch>", f"bytes are more than the limit of {MAX_BYTES}"),
    (b"<launch>" + b"<group>" * 300 + b"</group>" * 300 + b"</launch>", "well-formed XML"),
    (
        b"<launch>" + b"<group>" * (MAX_NESTING + 1) + b"</group>" * (MAX_NESTING + 1) + b"</launch>",
        "is nested deeper than",
    ),
]


@pytest.mark.parametrize(("content", "reason"), FILES)
def test_bad_file(tmp_path, content, reason):
    path = tmp_path / "a.xml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_arguments(path)
    assert reason in str(error.value)


def test_file_that_is_a_folder_or_nothing(tmp_path):
    for path in (tmp_path, tmp_path / "none.xml", Path("/dev/null")):
        with pytest.raises(ConfigError, match="cannot be read"):
            read_arguments(path)


def test_nesting_up_to_the_limit(read):
    deep = MAX_NESTING - 1
    assert len(read("<group>" * deep + NODE + "</group>" * deep).nodes) == 1


def test_links_in_a_circle(read, tmp_path):
    (tmp_path / "a.xml").symlink_to(tmp_path / "b.xml")
    (tmp_path / "b.xml").symlink_to(tmp_path / "a.xml")
    with pytest.raises(ConfigError):
        read('<include file="$(dirname)/a.xml"/>')


def chain(number, content):
    """Files f0 to f(number - 1), each with the content for the next one."""
    files = {f"f{i}": content.replace("NEXT", f"$(dirname)/f{i + 1}.launch.xml") for i in range(number)}
    return {**files, f"f{number}": ""}


def test_cycle_of_two(read):
    other = '<include file="$(dirname)/main.launch.xml"/>'
    with pytest.raises(
        ConfigError, match=r"other.launch.xml:2: <include>: .*main.launch.xml includes itself"
    ):
        read('<include file="$(dirname)/other.launch.xml"/>', other=other)


def test_a_file_may_include_itself_as_often_as_its_condition_says(read):
    line = (
        '<arg name="n" default="1"/><log message="$(var n)"/>'
        '<include file="$(dirname)/main.launch.xml" if="$(eval \'$(var n) &lt; LAST\')">'
        '<arg name="n" value="$(eval \'$(var n) + 1\')"/></include>'
    )
    plan = read(line.replace("LAST", str(MAX_REPEATS)))
    assert plan.log == tuple(map(str, range(1, MAX_REPEATS + 1)))
    with pytest.raises(ConfigError, match=f"main.launch.xml includes itself more than {MAX_REPEATS} times"):
        read(line.replace("LAST", str(MAX_REPEATS + 1)))


def test_includes_are_limited_in_depth(read):
    with pytest.raises(ConfigError, match=f"nested deeper than {MAX_NESTING}"):
        read('<include file="$(dirname)/f0.launch.xml"/>', **chain(MAX_NESTING + 1, '<include file="NEXT"/>'))


def test_includes_are_limited_in_number(read):
    files = {f"f{i}": "" for i in range(MAX_FILES)}
    with pytest.raises(ConfigError, match=f"more than {MAX_FILES} launch files"):
        read("".join(f'<include file="$(dirname)/{name}.launch.xml"/>' for name in files), **files)


def test_elements_are_limited_in_number(read):
    double = '<include file="NEXT"/>' * 2  # 2 to the 20th elements, were there no limit
    with pytest.raises(ConfigError, match=f"more than {MAX_ELEMENTS} elements"):
        read('<include file="$(dirname)/f0.launch.xml"/>', **chain(20, double))


def test_nodes_are_limited_in_number(read):
    assert len(read(NODE * MAX_STARTED).nodes) == MAX_STARTED
    with pytest.raises(ConfigError, match=f"more than {MAX_STARTED} nodes"):
        read(NODE * (MAX_STARTED + 1) + '<log message=""/>')


def test_variable_that_doubles_is_limited(read):
    with pytest.raises(ConfigError, match="longer than"):
        read('<let name="a" value="xxxxxxxx"/>' + '<let name="a" value="$(var a)$(var a)"/>' * 40)


def test_comments_and_instructions_do_nothing(read):
    assert read(f"<!-- {NODE} --><?other thing?>{NODE}<!-- <!-x-> -->").nodes[0].package == "p"
