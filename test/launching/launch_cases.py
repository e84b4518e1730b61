# SPDX-License-Identifier: Apache-2.0
"""Launch files with arguments, and what they start as plain data, whether our reader or launch says it."""

import itertools
import json
from pathlib import Path

import yaml

from embodiment_bridge.launching.launch_description import ros_args
from embodiment_bridge.launching.read import read_launch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENT = {"HOME": "/home/somebody", "PATH": "/usr/bin", "COLOUR": "blue sky", "DROPPED": "1"}
BRINGUP, BODY = "launch/bringup.launch.xml", "launch/body/rcsssmj.launch.xml"

# Name of the case: (file below the share directory of embodiment_bridge, arguments).
CASES = {
    "bringup": (BRINGUP, {}),
    "bringup_mock": (
        BRINGUP,
        {"body": "mock", "use_sim_time": "true", "speed": "20", "seed": "7", "namespace": "m"},
    ),
    "bringup_dummy": (BRINGUP, {"body": "dummy", "start_peer": "true"}),
    "bringup_start_peer": (
        BRINGUP,
        {"body": "rcsssmj", "start_peer": "true", "port": "61000", "monitor_port": "61001"},
    ),
    "bringup_robot1": (
        BRINGUP,
        {
            "body": "rcsssmj",
            "brain": "bml",
            "robot": "T1",
            "namespace": "team_a/robot1",
            "host": "192.0.2.7",
            "port": "3100",
            "team": "12",
            "number": "7",
            "use_sim_time": "true",
        },
    ),
    "bringup_no_clock": (BRINGUP, {"body": "rcsssmj", "use_sim_time": "true", "publish_clock": "false"}),
    "bringup_k1": (BRINGUP, {"body": "rcsssmj", "robot": "K1"}),
    "bringup_managed": (
        BRINGUP,
        {
            "body": "rcsssmj",
            "robot": "ant",
            "transport": "managed",
            "realtime_factor": "0.0",
            "start_peer": "true",
        },
    ),
    "bringup_stream": (
        BRINGUP,
        {"body": "simspark", "transport": "replay", "recording": "nao.bin", "start_peer": "true"},
    ),
    "bringup_simspark": (
        BRINGUP,
        {"body": "simspark", "start_peer": "true", "robot": "nao4", "frame_prefix": "r/"},
    ),
    "bringup_virtual_servos": (BRINGUP, {"body": "virtual_servos", "start_peer": "true"}),
    "bringup_servos_with_weight": (BRINGUP, {"body": "virtual_servos", "physics": "true", "world": "desk"}),
    "bringup_mujoco": (BRINGUP, {"body": "mujoco", "robot": "T1", "world": "soccer", "use_sim_time": "true"}),
    "bringup_dynamixel": (BRINGUP, {"body": "dynamixel", "port": "/dev/ttyUSB0"}),
    "bringup_opencog": (BRINGUP, {"brain": "opencog", "start_peer": "true"}),
    "bringup_replay": (BRINGUP, {"body": "replay", "port": "dance", "use_sim_time": "true"}),
    "bringup_record": (BRINGUP, {"record": "true", "namespace": "m"}),
    "bringup_maeden": (BRINGUP, {"body": "maeden", "start_peer": "true"}),
    "bringup_watched": (
        BRINGUP,
        {"viewer": "true", "rviz": "true", "namespace": "/m", "use_sim_time": "true"},
    ),
    "team": ("launch/team.launch.xml", {"players": "3", "start_peer": "true", "use_sim_time": "true"}),
    "team_simspark": (
        "launch/team.launch.xml",
        {"body": "simspark", "players": "2", "team": "t", "record": "true"},
    ),
    "team_of_eleven": ("launch/team.launch.xml", {"players": "11", "robot": "T1", "start_peer": "true"}),
    "soccer_monitor": ("launch/soccer_monitor.launch.xml", {}),
    "body_alone": (BODY, {}),
    "mock_alone": ("launch/body/mock.launch.xml", {}),
    "dummy_alone": ("launch/body/dummy.launch.xml", {}),
    "pushed": ("files/pushed.launch.xml", {}),
    "torture": ("files/torture.launch.xml", {"count": "3"}),
    "torture_else": ("files/torture.launch.xml", {"count": "4", "left": "false", "mode": "slow"}),
}


def make_prefix(folder):
    """An ament prefix with this package's launch files, the tests' own, and the executables they name."""
    share = folder / "share" / "embodiment_bridge"
    share.mkdir(parents=True)
    for name, target in (("launch", ROOT / "launch"), ("config", ROOT / "config"), ("files", HERE / "files")):
        (share / name).symlink_to(target)
    index = folder / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "embodiment_bridge").touch()
    programs = folder / "lib" / "embodiment_bridge"
    programs.mkdir(parents=True)
    for name in (program.name for program in (ROOT / "scripts").iterdir()):
        (programs / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    return folder


def share_finder(prefix):
    """The find_share of such a prefix."""

    def find_share(package):
        if package != "embodiment_bridge":
            raise LookupError(package)
        return prefix / "share" / package

    return find_share


def read_case(name, prefix):
    """The plan of a case."""
    path, arguments = CASES[name]
    share = share_finder(prefix)
    return read_launch(
        share("embodiment_bridge") / path, arguments, find_share=share, environment=ENVIRONMENT
    )


def plan_as_data(plan, folder):
    """A plan as plain data; parameter files are written below ``folder`` and read back."""
    numbers = itertools.count()

    def write(text):
        path = folder / f"parameters_{next(numbers)}.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    nodes = [
        {
            "package": node.package,
            "executable": node.executable,
            "words": words_as_data(ros_args(node, write)),
            "env": dict(node.env),
            "output": node.output,
        }
        for node in plan.nodes
    ]
    executables = [
        {
            "cmd": list(program.cmd),
            "name": program.name,
            "cwd": None if program.cwd is None else str(program.cwd),
            "env": dict(program.env),
            "output": program.output,
        }
        for program in plan.executables
    ]
    return {"nodes": nodes, "executables": executables, "log": list(plan.log)}


def words_as_data(words):
    """A command line in the same order: flags with their words, parameter files with what is in them."""
    at = words.index("--ros-args") + 1
    data = words[:at]
    for flag, word in zip(words[at::2], words[at + 1 :: 2], strict=True):
        if flag == "--params-file":
            document = yaml.safe_load(Path(word).read_text(encoding="utf-8"))
            values = {node: body["ros__parameters"] for node, body in document.items()}
            word = json.dumps(values, sort_keys=True)
        data.append(f"{flag} {word}")
    return data


def as_json(data, prefix):
    """The data as text, with the prefix's own path taken out."""
    return json.dumps(data, indent=2, sort_keys=True).replace(str(prefix), "PREFIX") + "\n"
