# SPDX-License-Identifier: Apache-2.0
"""Nothing that we start can be reached from the network unless the user opens it; this machine sees everything."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from open_sockets import family, open_sockets
from waiting import PROCESS, until

from embodiment_bridge.cli.commands.peer import PEERS
from embodiment_bridge.launching.environment import CONFIG, FASTDDS_PROFILES, RANGE

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, str(ROOT / "scripts/embodiment_bridge")]
PLAIN = [sys.executable, str(Path(__file__).with_name("plain_program.py"))]
BRINGUP = str(ROOT / "launch/bringup.launch.xml")


def plain_environment(**changes):
    """As in a shell in which nothing was chosen."""
    left_out = (RANGE, *FASTDDS_PROFILES)
    return {name: value for name, value in os.environ.items() if name not in left_out} | changes


@pytest.fixture
def environment(tmp_path):
    """The same, with the settings of the middleware that are in this checkout."""
    (tmp_path / CONFIG).parent.mkdir(parents=True)
    (tmp_path / CONFIG).symlink_to(ROOT / "config")
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    prefixes = f"{tmp_path}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}"
    return plain_environment(AMENT_PREFIX_PATH=prefixes, PYTHONPATH=path)


@contextmanager
def running(words, env, log):
    with (
        log.open("wb") as file,
        subprocess.Popen([*COMMAND, *words], env=env, stderr=file, stdout=file) as process,
    ):
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PROCESS)


def until_program(condition, process, log):
    until(lambda: condition() or process.poll() is not None, log.read_text, PROCESS)
    assert process.poll() is None, log.read_text()


def is_heard():
    done = subprocess.run(
        [*PLAIN, "30", "mock_body"], env=plain_environment(), capture_output=True, text=True, timeout=PROCESS
    )
    return done.stdout.startswith("1 ") and "mock_body" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["up", BRINGUP, "viewer:=true"],
        ["demo", "--body", "mock", "--stay"],
        ["up", BRINGUP, "body:=dummy", "start_peer:=true", "brain:=opencog", "start_oac:=true"],
        ["up", BRINGUP, "body:=virtual_servos"],
    ],
    ids=["viewer", "demo", "peers", "servos"],
)
def test_only_this_machine_can_reach_it(words, environment, tmp_path):
    log = tmp_path / "said.log"
    values = tmp_path / "values.yaml"
    values.write_text("viewer: {ros__parameters: {port: 0}}\n")
    if words[0] == "up":
        words = [*words, f"params:={values}"]
    ready = {"up": "running ", "demo": "staying up"}[words[0]]
    with running(words, environment, log) as process:
        until_program(lambda: ready in log.read_text(), process, log)
        if "viewer:=true" in words:
            until_program(lambda: "the page is at" in log.read_text(), process, log)
        pids = family(process.pid)
        found = {f"{pid}: {name}": address for pid in pids for name, address in open_sockets(pid).items()}
        assert any("udp" in name for name in found), "no socket was found at all"
        assert {name: str(address) for name, address in found.items() if not address.is_loopback} == {}
        if "viewer:=true" in words:
            assert len(pids) > 1
            assert any("tcp" in name for name in found)
            heard, said = is_heard()
            assert heard, said


@pytest.mark.parametrize(
    "words",
    [
        *(["peer", name, "--port", "0"] for name in sorted(PEERS)),
        ["bml", "preprocess", "--serve", "--port", "0"],
    ],
    ids=lambda words: words[1],
)
def test_what_listens_does_so_on_loopback(words, environment, tmp_path):
    log = tmp_path / "said.log"
    home = {**environment, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    with running(words, home, log) as process:
        until_program(lambda: open_sockets(process.pid), process, log)
        until_program(lambda: log.read_text(), process, log)  # it says where it listens, once it does
        assert [str(a) for a in open_sockets(process.pid).values() if not a.is_loopback] == []


def test_graph_that_was_opened(environment, tmp_path):
    log = tmp_path / "said.log"
    with running(["up", BRINGUP], {**environment, RANGE: "SUBNET"}, log) as process:
        until_program(lambda: "running " in log.read_text(), process, log)
        assert any(address.is_unspecified for address in open_sockets(process.pid).values())
