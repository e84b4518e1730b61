# SPDX-License-Identifier: Apache-2.0
"""Where the wheel is installed and ROS 2 is not."""

import sys

import pytest

from embodiment_bridge.cli.command_line import main


def test_command_that_needs_a_graph_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rclpy", None)
    monkeypatch.delitem(sys.modules, "embodiment_bridge.launching.up", raising=False)
    assert main(["up", "bringup.launch.xml"]) == 2
    text = capsys.readouterr().err
    assert text.startswith("embodiment_bridge: this needs ROS 2, which is not installed (")
    assert "rclpy" in text
    assert "[ros]" in text


def test_other_modules_that_are_missing_are_not_blamed_on_ros(monkeypatch):
    monkeypatch.setitem(sys.modules, "embodiment_bridge.launching.up", None)
    with pytest.raises(ModuleNotFoundError, match=r"embodiment_bridge\.launching\.up"):
        main(["up", "bringup.launch.xml"])
