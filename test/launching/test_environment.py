# SPDX-License-Identifier: Apache-2.0
"""The environment of launched programs, and where packages are found in it."""

import os

import pytest
from ament_index_python.packages import get_package_share_directory

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_share, of_outside_program, of_program

OURS = {"PATH": "/bin", "PYTHONPATH": "/ros", "LD_LIBRARY_PATH": "/ros/lib"}


def test_outside_program_gets_nothing_that_belongs_to_our_python():
    assert of_program("rcssservermj", OURS) == of_outside_program(OURS) == {"PATH": "/bin"}


def test_our_own_command_line_gets_all_that_we_have():
    assert of_program("embodiment_bridge", OURS) == OURS
    assert of_program("embodiment_bridge", OURS) is not OURS


@pytest.fixture
def prefixes(tmp_path, monkeypatch):
    """Prefixes a (has one), b (has one and two)."""
    for prefix, packages in (("a", ["one"]), ("b", ["one", "two"])):
        index = tmp_path / prefix / "share" / "ament_index" / "resource_index" / "packages"
        index.mkdir(parents=True)
        for package in packages:
            (index / package).touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'a'}{os.pathsep}{os.pathsep}{tmp_path / 'b'}")
    return tmp_path


def test_first_prefix_that_has_the_package(prefixes):
    assert find_share("one") == prefixes / "a" / "share" / "one"
    assert find_share("two") == prefixes / "b" / "share" / "two"


@pytest.mark.parametrize("name", ["three", "", ".", "..", "../packages/one", "one/"])
def test_no_such_package_names_it_and_where_was_looked(prefixes, name):
    with pytest.raises(LookupError) as raised:
        find_share(name)
    assert isinstance(raised.value, ConfigError)  # so that each command ends with this one line
    assert "unset AMENT_PREFIX_PATH" in str(raised.value)
    assert f"'{name}'" in str(raised.value)
    assert str(prefixes / "a") in str(raised.value)
    assert str(prefixes / "b") in str(raised.value)


def test_same_as_the_index_of_ros():
    assert str(find_share("geometry_msgs")) == get_package_share_directory("geometry_msgs")
