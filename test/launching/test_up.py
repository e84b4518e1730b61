# SPDX-License-Identifier: Apache-2.0
"""How `up` begins and ends what is in a launch file, and what it says of errors."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import PROCESS, spin_until, until

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.launching import executables
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import NOT_STARTED

LAUNCH = """<launch>
<node pkg="embodiment_bridge" exec="first" name="first"/>
<node pkg="embodiment_bridge" exec="second" name="second"/>
</launch>"""


def test_a_node_has_begun_when_the_next_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(LAUNCH)
    made: list[BridgeNode] = []
    active_before: list[list[bool]] = []

    def make(**node_kwargs: object) -> BridgeNode:
        active_before.append([node.active for node in made])
        made.append(BridgeNode(f"node{len(made)}", (), **node_kwargs))
        return made[-1]

    monkeypatch.setattr(executables, "EXECUTABLES", {"first": make, "second": make})
    plan = read_launch(file, {}, find_share=lambda name: tmp_path, environment=os.environ)
    with Graph(plan, lambda line: None):
        assert active_before == [[], [True]]
        assert [node.begun for node in made] == [True, True]


def test_a_program_has_the_environment_of_its_place_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, told = tmp_path / "mine.launch.xml", tmp_path / "told"
    file.write_text(
        f"""<launch><executable cmd="sh -c 'env > {told}.part; mv {told}.part {told}; sleep 60'"/>
<set_env name="OF_THE_NODES" value="5"/><node pkg="embodiment_bridge" exec="only" name="only"/></launch>"""
    )
    monkeypatch.setenv("OF_THE_NODES", "before")
    only = {"only": lambda **node_kwargs: BridgeNode("only", (), **node_kwargs)}
    monkeypatch.setattr(executables, "EXECUTABLES", only)
    monkeypatch.chdir(tmp_path)
    plan = read_launch(file, {}, find_share=lambda name: tmp_path, environment=os.environ)
    with Graph(plan, lambda line: None) as graph:
        spin_until(graph, told.exists, patience=PROCESS)
        assert os.environ["OF_THE_NODES"] == "5"
    lines = told.read_text().splitlines()
    assert "OF_THE_NODES=before" in lines
    assert f"PWD={tmp_path}" in lines


def test_slips_in_a_parameter_file_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    parameters = (
        Parameter("rate", 50.0, "Hz."),
        Parameter("max_run_time", 0.0, "s.", safety=True),
    )
    launch, file = tmp_path / "mine.launch.xml", tmp_path / "params.yaml"
    launch.write_text(
        f"""<launch><push-ros-namespace namespace="robot1"/>
<node pkg="embodiment_bridge" exec="first" name="first"><param from="{file}"/></node>
<node pkg="embodiment_bridge" exec="second" name="second"><param from="{file}"/></node></launch>"""
    )
    file.write_text(
        """/**: {ros__parameters: {colour: red, max_run_time: 5.0}}
/*/first: {ros__parameters: {rat: 77.0}}
robot1: {second: {ros__parameters: {max_run_tim: 5.0}}}
/robot1/frist: {ros__parameters: {rate: 77.0}}
second: {ros__parameters: {rate: 77.0}}
/robbot1/**: {ros__parameters: {rate: 77.0}}
"""
    )
    makers = {
        name: lambda name=name, **node_kwargs: BridgeNode(name, parameters, **node_kwargs)
        for name in ("first", "second")
    }
    monkeypatch.setattr(executables, "EXECUTABLES", makers)
    plan = read_launch(launch, {}, find_share=lambda name: tmp_path, environment=os.environ)
    told: list[str] = []
    with Graph(plan, told.append, keep_going=True) as graph:
        first, second = graph._nodes
        assert (first.active, first.values["rate"], first.values["max_run_time"]) == (True, 50.0, 5.0)
        assert "unknown parameter 'max_run_tim'; did you mean 'max_run_time', a limit" in second.not_started
    about = [line.partition("unknown node ")[2].partition(" (")[0] for line in told if str(file) in line]
    assert about == [
        "'/robot1/frist'; did you mean '/robot1/first'?",
        "'/second'; did you mean '/robot1/second'?",
        "'/robbot1/**'; did you mean '/robot1/first'?",
    ]
    said = capfd.readouterr()
    said = said.out + said.err
    assert "no parameter 'rat' here: it has no effect; did you mean 'rate'?" in said
    assert "no parameter 'colour' here: it has no effect\n" in said.replace("\x1b[0m", "")
    assert "no parameter 'max_run_time'" not in said


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("package", "executable", "reason"),
    [
        ("embodiment_bridge", "mock_boddy", "unknown executable of embodiment_bridge 'mock_boddy'"),
        ("turtlesim", "turtlesim_node", "node of package 'turtlesim'"),
    ],
)
def test_nodes_of_others(package: str, executable: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(f'<launch>\n\n<node pkg="{package}" exec="{executable}"/>\n</launch>\n')
    plan = read_launch(file, {}, find_share=lambda name: tmp_path, environment={})
    with pytest.raises(ConfigError) as refused, Graph(plan, lambda line: None):
        pass
    assert str(refused.value).startswith(f"{file}:3: <node>: {reason}")


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ('cmd="no_such_program"', "program 'no_such_program' is not installed"),
        ('cmd="sleep 1" cwd="/no/such/folder"', "sleep 1: cannot be started: "),
        ('cmd="sleep 1" name="{long}"', "sleep 1: cannot be started: "),
    ],
)
def test_programs_that_cannot_be_started(attributes: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(f"<launch>\n<executable {attributes.format(long='x' * 300)}/>\n</launch>\n")
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    with pytest.raises(ConfigError) as refused, Graph(plan, lambda line: None):
        pass
    assert str(refused.value).startswith(f"{file}:2: {reason}")


NODE = (
    '<launch>\n<node pkg="embodiment_bridge" exec="{0}" name="it">\n'
    '<param name="body_file" value="{1}"/>\n</node>\n</launch>'
)


@pytest.mark.parametrize(
    "executable", ["mock_body", "joint_driver"]
)  # in this process, and in one of its own
def test_a_node_that_cannot_be_configured_ends_all(executable: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(NODE.format(executable, "/no/such.yaml"))
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    told: list[str] = []
    deadline = time.monotonic() + PROCESS
    with Graph(plan, told.append) as graph:
        graph.spin(lambda: time.monotonic() > deadline)
        assert graph.failed
    assert graph.exit_code == NOT_STARTED
    assert any("it did not start" in line for line in told), told
    if executable == "mock_body":
        assert "not configured: " in told[-1]


def test_the_others_go_on_where_that_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(NODE.format("mock_body", "/no/such.yaml"))
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    with Graph(plan, lambda line: None, keep_going=True) as graph:
        graph.spin(lambda: any(node.not_started for node in graph._nodes))
        turns: list[int] = []
        graph.spin(lambda: turns.append(1) or len(turns) > 3)
    assert len(turns) > 3
    assert graph.exit_code == 0


COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
# Each program writes its number, and at its end the signal and the time. The second has started another one.
PAIR = """<launch>
<executable cmd="{python} {folder}/heeds.py first"/>
<executable cmd="sh -c 'sleep 1000 &amp; echo $! &gt; {folder}/child; exec {python} {folder}/heeds.py second'"/>
</launch>"""
HEEDS = """\
import signal, sys, time
from pathlib import Path
def end(number, frame):
    Path(sys.argv[0]).with_name(sys.argv[1] + ".end").write_text(f"{number} {time.monotonic()}")
    sys.exit()
signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, end)
Path(sys.argv[0]).with_name(sys.argv[1]).write_text(str(__import__("os").getpid()))
while True:
    time.sleep(1)
"""


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    file = tmp_path / "pair.launch.xml"
    file.write_text(PAIR.format(python=sys.executable, folder=tmp_path))
    (tmp_path / "heeds.py").write_text(HEEDS)
    return file


def numbers(folder: Path) -> list[int]:
    """The processes that ``pair`` has started, once all have written their number."""
    files = [folder / name for name in ("first", "second", "child")]
    until(lambda: all(file.exists() and file.read_text().strip() for file in files))
    return [int(file.read_text()) for file in files]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_programs_and_what_they_have_started_end_with_up(pair: Path, how: signal.Signals) -> None:
    with subprocess.Popen([COMMAND, "up", str(pair)], stderr=subprocess.DEVNULL) as up:
        started = numbers(pair.parent)
        up.send_signal(how)
    until(lambda: not any(runs(one) for one in started))
    ends = [(pair.parent / f"{name}.end").read_text().split() for name in ("first", "second")]
    assert [number for number, _ in ends] == [str(signal.SIGINT.value)] * 2
    assert float(ends[1][1]) <= float(ends[0][1])  # the last that was started ends first


REQUIRED = """<launch>
<executable cmd="sh -c 'echo too bad; exit {code}'" name="it" {attribute}/>
<executable cmd="sleep 1000"/>
</launch>"""


@pytest.mark.parametrize(
    ("attribute", "code", "keep_going", "expected"),
    [
        ('on_exit="shutdown"', 3, False, 3),
        ('on_exit="shutdown"', 0, False, 1),
        ('on_exit="shutdown"', 3, True, 0),
        ("", 3, False, 0),
    ],
)
def test_a_program_that_is_required(
    attribute: str, code: int, keep_going: bool, expected: int, tmp_path: Path
) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(REQUIRED.format(attribute=attribute, code=code))
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    told: list[str] = []
    deadline = time.monotonic() + PROCESS
    with Graph(plan, told.append, keep_going=keep_going) as graph:
        graph.spin(lambda: time.monotonic() > deadline or (expected == 0 and bool(told)))
        assert graph.failed == (expected != 0)
    assert graph.exit_code == expected
    assert told[0] == f"it ended with exit code {code}; it said: too bad"
    ending = "ending, because it has ended (--keep-going goes on without it)"
    assert told[1:] == ([ending] if expected else [])


def test_what_ends_together_with_up_has_not_failed(tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(REQUIRED.format(attribute='on_exit="shutdown"', code=3))
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    told: list[str] = []
    with Graph(plan, told.append) as graph:
        until(lambda: graph._programs[0].ended() is not None)
        graph.spin(lambda: True)
    assert (graph.exit_code, told) == (0, [])


@pytest.mark.parametrize(
    "words",
    [
        ["body:=rcsssmj", "port:={}", "monitor_port:=1"],
        ["body:=rcsssmj", "port:=1", "monitor_port:={}"],
        ["body:=simspark", "port:={}"],
        ["body:=maeden", "port:={}"],
        ["body:=dummy", "port:={}"],
        ["brain:=opencog", "start_oac:=true", "router_port:={}"],
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_an_old_simulator_is_named_and_not_joined(words: list[str]) -> None:
    from embodiment_bridge.cli.commands.up import launch_description

    with socket.create_server(("127.0.0.1", 0)) as old:
        port = old.getsockname()[1]
        words = [word.format(port) for word in words]
        plan = launch_description(ROOT / "launch/bringup.launch.xml", ["start_peer:=true", *words])
        with pytest.raises(ConfigError) as refused, Graph(plan, lambda line: None):
            pass
        assert f"port {port} is taken by process {os.getpid()} (" in str(refused.value)
