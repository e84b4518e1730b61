# SPDX-License-Identifier: Apache-2.0
"""What `up` has started ends with it, however it ends, and `up` ends with what it cannot do without."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import PROCESS, until

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph

ROOT = Path(__file__).parents[2]
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
