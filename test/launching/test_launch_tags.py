# SPDX-License-Identifier: Apache-2.0
"""What each tag of a launch file does to the plan."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.read import parse_arguments, read_arguments

NODE = '<node pkg="p" exec="e"/>'


def test_empty(read):
    plan = read("")
    assert (plan.nodes, plan.executables, plan.log, plan.arguments) == ((), (), (), ())


def test_node(read, tmp_path):
    (tmp_path / "p.yaml").write_text("{}", encoding="utf-8")
    node = read(
        """<node pkg="package" exec="program" name="name" namespace="a/b" args="--x 'y z'" output="screen">
             <param name="number" value="1"/>
             <remap from="a" to="b"/>
             <param from="$(dirname)/p.yaml"/>
             <param name="outer"><param name="inner" value="text"/><param name="flag" value="true"/></param>
             <env name="COLOUR" value="blue"/>
           </node>"""
    ).nodes[0]
    assert (node.package, node.executable, node.name, node.namespace) == (
        "package",
        "program",
        "name",
        "/a/b",
    )
    assert node.full_name == "/a/b/name"
    assert node.arguments == ("--x", "y z")
    assert node.output == "screen"
    assert node.parameters == (
        {"number": 1},
        tmp_path / "p.yaml",
        {"outer.inner": "text", "outer.flag": True},
    )
    assert node.remappings == (("a", "b"),)
    assert node.env == {"COLOUR": "blue"}
    assert node.place == f"{tmp_path}/main.launch.xml:2"


def test_node_of_least_words(read):
    node = read(NODE).nodes[0]
    assert (node.name, node.namespace, node.full_name, node.output) == (None, None, None, "log")
    assert (node.parameters, node.remappings, node.arguments, node.env) == ((), (), (), {})


def test_executable(read):
    plan = read(
        """<executable cmd="/bin/prog --port $(env PORT) 'a b'"/>
           <executable cmd="prog" name="label" cwd="/tmp" output="screen">
             <env name="A" value="1"/>
           </executable>""",
        environment={"PORT": "5"},
    )
    first, second = plan.executables
    assert (first.cmd, first.name, first.cwd) == (("/bin/prog", "--port", "5", "a b"), "prog", None)
    assert (second.name, second.cwd, second.output, second.env) == (
        "label",
        Path("/tmp"),
        "screen",
        {"A": "1"},
    )


NAMESPACES = [
    # what is pushed, the node's own, what the node gets
    ([], None, None),
    ([], "", "/"),
    ([], "a", "/a"),
    ([], "/a/b/", "/a/b"),
    (["a"], None, "/a"),
    (["a", "b"], None, "/a/b"),
    (["a", "b"], "c", "/a/b/c"),
    (["a", "b"], "", "/a/b"),
    (["a", "/b"], "c", "/b/c"),
    (["a"], "/c", "/c"),
    (["/"], None, "/"),
    (["/"], "c", "/c"),
    ([""], None, "/"),
    (["a/"], "_c", "/a/_c"),
]


@pytest.mark.parametrize("tag", ["push-ros-namespace", "push_ros_namespace"])
@pytest.mark.parametrize(("pushed", "own", "result"), NAMESPACES)
def test_namespaces(read, tag, pushed, own, result):
    pushes = "".join(f'<{tag} namespace="{namespace}"/>' for namespace in pushed)
    attribute = "" if own is None else f'namespace="{own}"'
    assert read(f'{pushes}<node pkg="p" exec="e" {attribute}/>').nodes[0].namespace == result


CONDITIONS = [
    ('if="true"', True),
    ('if="0"', False),
    ('unless="False"', True),
    ('unless="1"', False),
    ('if="$(equals $(var v) yes)"', True),
    ('unless="$(equals $(var v) yes)"', False),
]


@pytest.mark.parametrize(("condition", "done"), CONDITIONS)
@pytest.mark.parametrize(
    "inside",
    [
        '<node pkg="p" exec="e" {}/>',
        '<executable cmd="x" {}/>',
        '<log message="x" {}/>',
        '<group {}><log message="x"/></group>',
        '<include file="$(dirname)/other.launch.xml" {}/>',
    ],
)
def test_conditions_of_what_starts_and_says(read, condition, done, inside):
    plan = read('<let name="v" value="yes"/>' + inside.format(condition), other='<log message="x"/>')
    assert len(plan.nodes + plan.executables + plan.log) == done


@pytest.mark.parametrize(("condition", "done"), CONDITIONS)
def test_conditions_of_what_sets(read, condition, done):
    plan = read(
        f"""<let name="v" value="yes"/>
            <let name="w" value="set" {condition}/>
            <arg name="x" default="set" {condition}/>
            <set_env name="A" value="set" {condition}/>
            <unset_env name="B" {condition}/>
            <push-ros-namespace namespace="set" {condition}/>
            <set_parameter name="p" value="1" {condition}/>
            <log message="$(var w no) $(var x no) $(env A no) $(env B set)"/>{NODE}""",
        environment={"B": "no"},
    )
    assert plan.log == ("set set set set" if done else "no no no no",)
    assert plan.nodes[0].namespace == ("/set" if done else None)
    assert plan.nodes[0].global_parameters == ((("p", 1),) if done else ())


CHANGES = """<let name="v" value="in"/><set_env name="A" value="in"/><unset_env name="B"/>
             <push-ros-namespace namespace="in"/>"""


@pytest.mark.parametrize("scoped", ["", 'scoped="true"', 'scoped="1"'])
def test_scoped_group(read, scoped):
    plan = read(
        f'<let name="v" value="out"/><group {scoped}>{CHANGES}{NODE}</group>{NODE}<log message="$(var v)"/>',
        environment={"B": "b"},
    )
    assert [(node.namespace, node.env) for node in plan.nodes] == [
        ("/in", {"A": "in", "B": None}),
        (None, {}),
    ]
    assert plan.log == ("out",)


def test_unscoped_group(read):
    plan = read(
        f'<group scoped="false">{CHANGES}</group>{NODE}<log message="$(var v)"/>', environment={"B": "b"}
    )
    assert (plan.nodes[0].namespace, plan.nodes[0].env) == ("/in", {"A": "in", "B": None})
    assert plan.log == ("in",)


def test_set_parameter(read):
    plan = read(
        f"""<group>
              <set_parameter name="rate" value="1.5"/><set_parameter name="on" value="true"/>{NODE}
            </group>{NODE}"""
    )
    assert [node.global_parameters for node in plan.nodes] == [(("rate", 1.5), ("on", True)), ()]


def test_include_shares_variables_both_ways(read):
    plan = read(
        """<let name="before" value="1"/>
           <include file="$(dirname)/other.launch.xml">
             <arg name="given" value="$(var before)2"/>
             <let name="second" value="$(var given)3"/>
           </include>
           <log message="$(var made) $(var given)"/>""",
        other="""<arg name="given"/>
                 <arg name="before" default="not this"/>
                 <arg name="new" default="$(var second)4"/>
                 <let name="made" value="$(var before) $(var given) $(var new)"/>""",
    )
    assert plan.log == ("1 12 1234 12",)


def test_dirname_is_that_of_the_file_it_stands_in(read, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.xml").write_text('<launch><log message="$(dirname)"/></launch>', encoding="utf-8")
    log = '<log message="$(dirname)"/>'
    plan = read(log + '<include file="$(dirname)/sub/../sub/a.xml"/>' + log)
    assert plan.log == (str(tmp_path), str(tmp_path / "sub"), str(tmp_path))


def test_same_file_twice_is_no_cycle(read):
    include = '<include file="$(dirname)/other.launch.xml"/>'
    assert len(read(include * 2, other=NODE).nodes) == 2


ARGUMENTS = """<arg name="plain" default="$(var other)" description="What it is."/>
               <group if="false">
                 <arg name="mode" default="a"><choice value="a"/><choice value="b"/></arg>
               </group>
               <arg name="other" default="o"/><arg name="needed"/>"""


def test_declared_arguments(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(f"<launch>{ARGUMENTS}</launch>", encoding="utf-8")
    found = [(a.name, a.default, a.description, a.choices) for a in read_arguments(path)]
    assert found == [
        ("plain", "$(var other)", "What it is.", ()),
        ("mode", "a", "", ("a", "b")),
        ("other", "o", "", ()),
        ("needed", None, "", ()),
    ]


def test_arguments_of_included_files_can_be_given(read):
    main, other = (
        '<include file="$(dirname)/other.launch.xml"/>',
        '<arg name="a" default="1"/><log message="$(var a)"/>',
    )
    assert read(main, {"a": "2"}, other=other).log == ("2",)
    assert [argument.name for argument in read(main, other=other).arguments] == ["a"]


@pytest.mark.parametrize(
    ("words", "result"),
    [([], {}), (["a:=1"], {"a": "1"}), (["a:=1", "a:=2"], {"a": "2"}), (["a:=b:=c"], {"a": "b:=c"})],
)
def test_parse_arguments(words, result):
    assert parse_arguments(words) == result


@pytest.mark.parametrize("word", ["a", "a=1", ":=1", "a:=", ""])
def test_parse_bad_arguments(word):
    with pytest.raises(ConfigError, match="is not of the form name:=value"):
        parse_arguments([word])


def test_levels_of_lyrical(read):
    """Debug is not shown, as in ros2 launch."""
    plan = read(
        """<log message="a"/><log message="b" level="WARNING"/><log message="no" level="debug"/>
           <log_debug message="no"/><log_info message="c"/><log_warning message="d"/><log_error message="e"/>
           <log_error message="no" if="false"/>"""
    )
    assert plan.log == ("a", "b", "c", "d", "e")
