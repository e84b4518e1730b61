# SPDX-License-Identifier: Apache-2.0
"""Our reader finds what ROS 2's own launch finds: against values it gave, and against itself where installed.

The values in ``expected/`` are from launch 3.4.3 and launch_ros 0.26.6 (Jazzy), by ``real_launch.py``.
"""

import importlib.util

import pytest
from launch_cases import CASES, ENVIRONMENT, HERE, as_json, make_prefix, plan_as_data, read_case

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
