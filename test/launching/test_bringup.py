# SPDX-License-Identifier: Apache-2.0
"""The launch files of the package itself: that they can be read, and what their arguments are."""

import re

import pytest
from launch_cases import BRINGUP, ENVIRONMENT, ROOT, make_prefix, share_finder

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
    options = dict(zip(server[3::2], server[4::2], strict=True))
    assert options == {
        "--host": values["host"],
        "--aport": str(values["port"]),
        "--mport": str(values["monitor_port"]),
    }
