# SPDX-License-Identifier: Apache-2.0
"""What is filled in of the environment of ROS, and what the user has chosen stays."""

import sys
import xml.etree.ElementTree as ET

import pytest
from launch_cases import ROOT

from embodiment_bridge.launching.environment import FASTDDS_PROFILES, OUR_PROFILES, prepare


@pytest.fixture
def prefix(tmp_path):
    """A ROS prefix with the middleware's settings in it."""
    file = tmp_path / OUR_PROFILES
    file.parent.mkdir(parents=True)
    file.write_bytes((ROOT / "config" / OUR_PROFILES.name).read_bytes())
    return tmp_path


def test_an_empty_environment():
    env = {}
    prepare(env)
    assert env["AMENT_PREFIX_PATH"] == sys.prefix
    assert env["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"


@pytest.mark.parametrize(("share", "name"), [*zip(("fastrtps", "fastdds"), FASTDDS_PROFILES, strict=True)])
def test_our_settings_of_the_middleware_for_either_generation(prefix, share, name):
    (prefix / "ros" / "share" / share).mkdir(parents=True)
    env = {"AMENT_PREFIX_PATH": f"/nowhere:{prefix}:{prefix / 'ros'}"}
    prepare(env)
    assert {n: env[n] for n in FASTDDS_PROFILES if n in env} == {name: str(prefix / OUR_PROFILES)}


def test_the_overlay_s_settings_come_first(prefix, tmp_path_factory):
    underlay = tmp_path_factory.mktemp("underlay")
    (underlay / OUR_PROFILES).parent.mkdir(parents=True)
    (underlay / OUR_PROFILES).touch()
    env = {"AMENT_PREFIX_PATH": f"{prefix}:{underlay}"}
    prepare(env)
    assert env[FASTDDS_PROFILES[0]] == str(prefix / OUR_PROFILES)


@pytest.mark.parametrize("name", FASTDDS_PROFILES)
def test_settings_of_the_user_win(prefix, name):
    env = {"AMENT_PREFIX_PATH": str(prefix), name: "mine.xml"}
    prepare(env)
    assert {env[n] for n in FASTDDS_PROFILES if n in env} == {"mine.xml"}


def test_a_prefix_without_settings(tmp_path):
    env = {"AMENT_PREFIX_PATH": f"{tmp_path}:"}
    prepare(env)
    assert not set(FASTDDS_PROFILES) & set(env)


@pytest.mark.parametrize("name", ["ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"])
def test_discovery_of_the_user_wins(name):
    env = {name: "1"}
    prepare(env)
    assert env[name] == "1"
    assert ("ROS_AUTOMATIC_DISCOVERY_RANGE" in env) == (name == "ROS_AUTOMATIC_DISCOVERY_RANGE")


def test_announcements_are_more_frequent_than_the_middleware_s_own():
    root = ET.parse(ROOT / "config" / OUR_PROFILES.name).getroot()
    announce = next(e for e in root.iter() if e.tag.endswith("leaseAnnouncement"))
    seconds, nanoseconds = (float(part.text) for part in announce)
    assert 0.1 <= seconds + nanoseconds * 1e-9 < 3.0
