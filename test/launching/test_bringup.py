# SPDX-License-Identifier: Apache-2.0
"""The launch files of the package: what they start with which arguments."""

import importlib.util
import re

import pytest
from launch_cases import (
    BRINGUP,
    CASES,
    ENVIRONMENT,
    HERE,
    ROOT,
    as_json,
    make_prefix,
    plan_as_data,
    read_case,
    share_finder,
)

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.read import read_arguments, read_launch

FILES = sorted((ROOT / "launch").rglob("*.launch.xml"))


@pytest.fixture
def bringup(tmp_path):
    def bringup(**arguments):
        share = share_finder(make_prefix(tmp_path / "prefix"))
        file = share("embodiment_bridge") / BRINGUP
        return read_launch(file, arguments, find_share=share, environment=ENVIRONMENT)

    return bringup


def test_there_are_launch_files():
    assert ROOT / BRINGUP in FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_argument_is_described_and_has_a_default(path):
    for argument in read_arguments(path):
        assert argument.description.endswith(".")
        assert argument.default is not None


def test_arguments_of_bringup():
    names = [argument.name for argument in read_arguments(ROOT / BRINGUP)]
    expected = (
        "body brain robot namespace host port team number start_peer params viewer rviz record use_sim_time"
    )
    assert names == expected.split()


def test_each_body_has_a_file_and_each_file_is_a_choice():
    body = read_arguments(ROOT / BRINGUP)[0]
    assert set(body.choices) == {
        path.name.removesuffix(".launch.xml") for path in (ROOT / "launch/body").iterdir()
    }


@pytest.mark.parametrize(
    "argument", ["body", "brain", "robot", "start_peer", "viewer", "rviz", "record", "use_sim_time"]
)
def test_value_that_does_not_exist_is_refused_with_the_choices(bringup, argument):
    with pytest.raises(
        ConfigError, match=rf"argument '{argument}' is 'nonesuch', which is not one of its choices: \w"
    ):
        bringup(**{"body": "rcsssmj", argument: "nonesuch"})


@pytest.mark.parametrize(("argument", "value"), [("port", "soccer"), ("number", "one")])
def test_number_that_is_none_is_refused(bringup, argument, value):
    with pytest.raises(ConfigError, match=re.escape(f"<param>: '{value}' is not a valid int")):
        bringup(**{"body": "rcsssmj", argument: value})


def test_parameter_file_that_is_not_there_is_refused(bringup):
    with pytest.raises(ConfigError, match=r"parameter file '/no/file\.yaml' does not exist"):
        bringup(params="/no/file.yaml")


def test_peer_listens_where_the_body_looks(bringup):
    plan = bringup(body="rcsssmj", start_peer="true", host="127.0.0.2", port="61000", monitor_port="61005")
    server = plan.executables[0].cmd
    values = {name: value for item in plan.nodes[0].parameters[1:] for name, value in item.items()}
    options = dict(zip(server[3:9:2], server[4:9:2], strict=True))
    assert options == {
        "--host": values["host"],
        "--aport": str(values["port"]),
        "--mport": str(values["monitor_port"]),
    }


def server_options(plan):
    """What the simulator's own parser would make of its command line; flags are true."""
    words = list(plan.executables[0].cmd[1:])
    found = {}
    while words:
        word = words.pop(0)
        name, _, value = word.removeprefix("--").partition("=")
        if not value:
            value = words.pop(0) if words and not words[0].startswith("--") else True
        assert found.get(name, value) == value
        found[name] = value
    return found


def test_simulator_is_started_as_ever_without_options(bringup):
    assert server_options(bringup(body="rcsssmj", start_peer="true")) == {
        "no-render": True, "sync": True, "realtime": True, "host": "127.0.0.1", "aport": "60000",
        "mport": "60001", "rules": "ssim", "phase": "0",
    }  # fmt: skip


def test_simulator_is_started_as_asked(bringup):
    plan = bringup(
        body="rcsssmj", start_peer="true", rules="fifa", field="fifa7vs7", phase="1", time="12.5", sync="false",
        realtime="false", logfile="game one.log", render="true",
    )  # fmt: skip
    assert server_options(plan) == {
        "render": True, "no-realtime": True, "host": "127.0.0.1", "aport": "60000", "mport": "60001",
        "rules": "fifa", "field": "fifa7vs7", "phase": "1", "time": "12.5", "logfile": "game one.log",
    }  # fmt: skip


@pytest.fixture
def team(tmp_path):
    share = share_finder(make_prefix(tmp_path / "prefix"))

    def team(**arguments):
        file = share("embodiment_bridge") / "launch/team.launch.xml"
        return read_launch(file, arguments, find_share=share, environment=ENVIRONMENT)

    return team


@pytest.mark.parametrize(("players", "rules"), [("1", "ssim"), ("7", "ssim"), ("8", "fifa"), ("11", "fifa")])
def test_team_is_started_with_rules_that_let_it_in(team, players, rules):
    assert server_options(team(players=players, start_peer="true"))["rules"] == rules


@pytest.mark.parametrize("rules", ["ssim", "ssim26"])
def test_more_players_than_the_rules_allow_are_refused(team, rules):
    with pytest.raises(ConfigError, match=f"8 players, but rules {rules} let 7 into a team"):
        team(players="8", rules=rules, start_peer="true")
    assert len(team(players="7", rules=rules, start_peer="true").nodes) == 14
    assert len(team(players="8", rules=rules).nodes) == 16  # that server was started by somebody else
    assert len(team(players="8", rules=rules, body="simspark", start_peer="true").nodes) == 16


@pytest.mark.parametrize(("given", "on"), [({}, True), ({"auto_get_up": "false"}, False)])
def test_players_of_a_team_get_up_by_themselves(team, given, on):
    bodies = [node for node in team(players="2", **given).nodes if node.name == "agent_bridge"]
    assert [dict(node.global_parameters)["auto_get_up"] for node in bodies] == [on, on]


@pytest.mark.parametrize("body", ["rcsssmj", "simspark"])
def test_players_of_a_team_that_plays_have_their_documents(tmp_path, body):
    share = share_finder(make_prefix(tmp_path / "prefix"))
    file = share("embodiment_bridge") / "launch/team.launch.xml"
    given = {
        "body": body,
        "players": "2",
        "play": "true",
        "documents": "/mine",
        "body_file": "/mine/robot.yaml",
    }
    plan = read_launch(file, given, find_share=share, environment=ENVIRONMENT)
    values = [
        {key: value for group in node.parameters if isinstance(group, dict) for key, value in group.items()}
        for node in plan.nodes
    ]
    assert [one["body_file"] for one in values[::2]] == ["/mine/robot.yaml"] * 2
    assert [one["team_frame"] for one in values[::2]] == [True] * 2
    assert [one["start_file"] for one in values[1::2]] == ["/mine/1.json", "/mine/2.json"]
    shoot = f"shoot=/mine/shoot_{body}.json"
    assert values[1]["start_subtrees"] == ["player=/mine/player.json", "keeper=/mine/keeper.json", shoot]
    assert values[1]["team_values"] is True


FILE = ROOT / "launch/soccer_monitor.launch.xml"


@pytest.mark.parametrize(
    ("arguments", "protocol", "port", "namespace"),
    [
        ({}, "simspark_monitor", 3200, "/monitor"),
        ({"server": "rcsssmj"}, "rcsssmj_monitor", 60001, "/monitor"),
        ({"server": "rcsssmj", "port": "7001", "namespace": "/"}, "rcsssmj_monitor", 7001, "/"),
    ],
)
def test_node_has_the_protocol_and_port_of_its_server(arguments, protocol, port, namespace):
    launch = read_launch(FILE, arguments, find_share=lambda _: ROOT, environment=ENVIRONMENT)
    (node,) = launch.nodes
    values = {}
    for item in node.parameters:
        values.update(item if isinstance(item, dict) else {})
    assert (node.executable, values["protocol"], values["port"]) == ("soccer_monitor", protocol, port)
    assert node.namespace == namespace


needs_launch = pytest.mark.skipif(
    importlib.util.find_spec("launch_ros") is None, reason="ROS 2's launch is not installed"
)


@pytest.fixture
def prefix(tmp_path):
    return make_prefix(tmp_path / "prefix")


@pytest.mark.parametrize("name", CASES)
def test_same_as_recorded(name, prefix, tmp_path):
    expected = (HERE / "expected" / f"{name}.json").read_text(encoding="utf-8")
    assert as_json(plan_as_data(read_case(name, prefix), tmp_path), prefix) == expected


def test_every_recorded_value_is_used():
    assert {path.stem for path in (HERE / "expected").glob("*.json")} == set(CASES)


@needs_launch
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of lark, which launch uses
@pytest.mark.parametrize("name", CASES)
def test_same_as_installed(name, prefix, tmp_path):
    from real_launch import start_list

    path, arguments = CASES[name]
    found = start_list(prefix / "share" / "embodiment_bridge" / path, arguments, prefix, ENVIRONMENT)
    assert plan_as_data(read_case(name, prefix), tmp_path) == found
