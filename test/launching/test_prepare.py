# SPDX-License-Identifier: Apache-2.0
"""What is filled in of the environment of ROS, and what the user has chosen stays."""

import sys
import xml.etree.ElementTree as ET

import pytest
from launch_cases import ROOT

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import (
    CONFIG,
    FASTDDS_PROFILES,
    LOOPBACK,
    NETWORK,
    is_on_loopback,
    prepare,
)

RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"


@pytest.fixture
def prefix(tmp_path):
    """A ROS prefix with the middleware's settings in it."""
    (tmp_path / CONFIG).mkdir(parents=True)
    for name in (LOOPBACK, NETWORK):
        (tmp_path / CONFIG / name).write_bytes((ROOT / "config" / name).read_bytes())
    return tmp_path


def test_an_empty_environment():
    env = {}
    prepare(env)
    assert env["AMENT_PREFIX_PATH"] == sys.prefix
    assert env[RANGE] in ("LOCALHOST", "SYSTEM_DEFAULT")
    assert is_on_loopback(env) == (env[RANGE] == "SYSTEM_DEFAULT")


@pytest.mark.parametrize(
    ("told", "discovery", "profile"),
    [
        ({}, "SYSTEM_DEFAULT", LOOPBACK),
        ({RANGE: "LOCALHOST"}, "SYSTEM_DEFAULT", LOOPBACK),
        ({"RMW_IMPLEMENTATION": "rmw_fastrtps_dynamic_cpp"}, "SYSTEM_DEFAULT", LOOPBACK),
        ({RANGE: "SUBNET"}, "SUBNET", NETWORK),
        ({RANGE: "SYSTEM_DEFAULT"}, "SYSTEM_DEFAULT", NETWORK),
        ({RANGE: "OFF"}, "OFF", NETWORK),
        ({"ROS_STATIC_PEERS": "10.0.0.2"}, "LOCALHOST", NETWORK),
        ({"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"}, "LOCALHOST", NETWORK),
        ({"ROS_LOCALHOST_ONLY": "0"}, None, NETWORK),
    ],
)
def test_on_loopback_unless_the_user_opens_the_graph(prefix, told, discovery, profile):
    env = {"AMENT_PREFIX_PATH": str(prefix), **told}
    for _ in range(2):  # a program that ours starts prepares again
        prepare(env)
        assert env.get(RANGE) == discovery
        assert env[FASTDDS_PROFILES[0]] == str(prefix / CONFIG / profile)
        assert is_on_loopback(env) == (profile == LOOPBACK)


def test_a_graph_that_is_opened_later(prefix):
    """As by <set_env> of a launch file: what was filled in before does not hold it back."""
    env = {"AMENT_PREFIX_PATH": str(prefix)}
    prepare(env)
    env[RANGE] = "SUBNET"
    prepare(env)
    assert (env[RANGE], env[FASTDDS_PROFILES[0]]) == ("SUBNET", str(prefix / CONFIG / NETWORK))


@pytest.mark.parametrize(("share", "name"), [*zip(("fastrtps", "fastdds"), FASTDDS_PROFILES, strict=True)])
def test_our_settings_of_the_middleware_for_either_generation(prefix, share, name):
    (prefix / "ros" / "share" / share).mkdir(parents=True)
    env = {"AMENT_PREFIX_PATH": f"/nowhere:{prefix}:{prefix / 'ros'}"}
    prepare(env)
    assert {n: env[n] for n in FASTDDS_PROFILES if n in env} == {name: str(prefix / CONFIG / LOOPBACK)}


def test_the_overlay_s_settings_come_first(prefix, tmp_path_factory):
    underlay = tmp_path_factory.mktemp("underlay")
    (underlay / CONFIG).mkdir(parents=True)
    (underlay / CONFIG / LOOPBACK).touch()
    env = {"AMENT_PREFIX_PATH": f"{prefix}:{underlay}"}
    prepare(env)
    assert env[FASTDDS_PROFILES[0]] == str(prefix / CONFIG / LOOPBACK)


BROKEN = [
    (b"", "cannot be read"),
    (b"<dds><profiles>", "cannot be read"),
    (b"<dds/>", "no address"),
    (b"<dds><interfaceWhiteList><address>0.0.0.0</address></interfaceWhiteList></dds>", "'0.0.0.0'"),
    (
        b"<dds><interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList></dds>",
        "useBuiltinTransports is not there",
    ),
]


@pytest.mark.parametrize(("text", "reason"), BROKEN)
def test_a_broken_profile_for_this_machine_alone_is_an_error(prefix, text, reason):
    """Fast DDS would only warn, and listen on all networks."""
    started = {"AMENT_PREFIX_PATH": str(prefix)}
    prepare(started)
    profile = prefix / CONFIG / LOOPBACK
    profile.write_bytes(text)
    env = {"AMENT_PREFIX_PATH": str(prefix)}
    for environment in (env, started):
        with pytest.raises(ConfigError, match=reason) as error:
            prepare(environment)
        assert str(profile) in str(error.value)
    assert env[RANGE] == "LOCALHOST"


def test_a_profile_that_is_gone_since_is_an_error(prefix):
    env = {"AMENT_PREFIX_PATH": str(prefix)}
    prepare(env)
    (prefix / CONFIG / LOOPBACK).unlink()
    with pytest.raises(ConfigError, match="cannot be read, so the graph would be open"):
        prepare(env)


def test_a_broken_profile_is_nothing_to_a_graph_that_is_open(prefix):
    (prefix / CONFIG / LOOPBACK).write_bytes(b"")
    prepare({"AMENT_PREFIX_PATH": str(prefix), RANGE: "SUBNET"})


@pytest.mark.parametrize("name", FASTDDS_PROFILES)
def test_settings_of_the_user_win(prefix, name):
    env = {"AMENT_PREFIX_PATH": str(prefix), name: "mine.xml"}
    prepare(env)
    assert {env[n] for n in FASTDDS_PROFILES if n in env} == {"mine.xml"}
    assert env[RANGE] == "LOCALHOST"


def test_a_workspace_without_this_package(tmp_path):
    """Somebody sourced the setup file of another one: ours is found beside it, with its settings."""
    env = {"AMENT_PREFIX_PATH": f"{tmp_path}:"}
    for _ in range(2):
        prepare(env)
        assert [part for part in env["AMENT_PREFIX_PATH"].split(":") if part] == [str(tmp_path), sys.prefix]
        assert is_on_loopback(env)


def test_a_prefix_without_settings(tmp_path):
    index = tmp_path / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "embodiment_bridge").touch()
    env = {"AMENT_PREFIX_PATH": str(tmp_path)}
    prepare(env)
    assert not set(FASTDDS_PROFILES) & set(env)
    assert env[RANGE] == "LOCALHOST"


@pytest.mark.parametrize("name", ["ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY"])
def test_discovery_of_the_user_wins(name):
    env = {name: "1"}
    prepare(env)
    assert env[name] == "1"
    assert ("ROS_AUTOMATIC_DISCOVERY_RANGE" in env) == (name == "ROS_AUTOMATIC_DISCOVERY_RANGE")


@pytest.mark.parametrize("name", [LOOPBACK, NETWORK])
def test_announcements_are_more_frequent_than_the_middleware_s_own(name):
    root = ET.parse(ROOT / "config" / name).getroot()
    announce = next(e for e in root.iter() if e.tag.endswith("leaseAnnouncement"))
    seconds, nanoseconds = (float(part.text) for part in announce)
    assert 0.1 <= seconds + nanoseconds * 1e-9 < 3.0


@pytest.mark.parametrize("name", [LOOPBACK, NETWORK])
def test_a_process_is_kept_in_sight_while_some_announcements_are_late(name):
    root = ET.parse(ROOT / "config" / name).getroot()
    parts = {part.tag.rpartition("}")[2]: part for part in root.iter()}
    lease = float(parts["leaseDuration"][0].text)
    announce = float(parts["leaseAnnouncement"][1].text) * 1e-9
    assert lease >= 1.0 + 3 * announce  # also if the machine stood still for a second
