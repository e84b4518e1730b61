# SPDX-License-Identifier: Apache-2.0
"""tools/bare.sh hides what it says and nothing else; the loops of tools/busy.sh end with their command."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PROCESS, until

TOOLS = Path(__file__).parents[1] / "tools"
RENDERS = f"{sys.executable} -c 'import ctypes; ctypes.CDLL(\"libEGL.so.1\")'"
# What tells that a package of debian_parts.sh is there; and openssl.
PROBES = {
    "chromium": "command -v chromium",
    "espeak-ng": f"command -v espeak-ng || {sys.executable} -c 'import ctypes; ctypes.CDLL(\"libespeak-ng.so.1\")'",
    "gstreamer1.0-plugins-base": "command -v gst-launch-1.0",
    "gstreamer1.0-plugins-good": "command -v gst-launch-1.0",
    "python3-gi": "/usr/bin/python3 -c 'from gi.repository import GLib'",
    "gir1.2-gst-plugins-base-1.0": "env -u LD_LIBRARY_PATH /usr/bin/python3 -c 'from gi.repository import Gst'",
    "iproute2": "command -v ip",
    "libegl1": RENDERS,
    "libgl1-mesa-dri": RENDERS,
    "liburdfdom-tools": "command -v check_urdf",
    "openssl": "command -v openssl",
}
COMMON = ("make", "git", "c++")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, **options)


def test_debian_parts_are_hidden_and_all_else_is_found():
    probes = [f"if ( {probe} ) >&2; then echo {name}; fi" for name, probe in PROBES.items()]
    others = [f"if command -v {name} >&2; then echo {name}; fi" for name in COMMON]
    found = run(TOOLS / "bare.sh", "sh", "-c", "\n".join([*probes, *others])).stdout.split()
    assert found == [name for name in COMMON if shutil.which(name)]


def test_no_debian_part_is_forgotten():
    (line,) = [line for line in (TOOLS / "debian_parts.sh").read_text().splitlines() if "packages=" in line]
    assert set(line.partition("=")[2].strip('"').split()) <= set(PROBES)


def test_the_team_of_a_tournament_ends_also_before_it_handles_signals(tmp_path):
    start = tmp_path / "tools" / "tournament" / "start.sh"
    start.parent.mkdir(parents=True)
    shutil.copy(TOOLS / "tournament" / "start.sh", start)
    program = tmp_path / "embodiment_bridge"
    program.write_text('#!/bin/sh\necho "$@"\nexec sleep 600\n')
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    process = subprocess.Popen(
        [start, "server", "60000", "team:=ours"],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
    )
    try:
        words = process.stdout.readline().split()
        assert (words[:2], words[-3:]) == (
            ["up", "team.launch.xml"],
            ["host:=server", "port:=60000", "team:=ours"],
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(PROCESS) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()


@pytest.fixture
def folder(tmp_path):
    """Of programs: a browser, and one that tells its words."""
    for name in ("chromium", "beside"):
        (tmp_path / name).write_text('#!/bin/sh\necho "$@"\n')
        (tmp_path / name).chmod(0o755)
    return tmp_path


def test_all_else_is_found_and_gets_its_words(folder):
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}:/nowhere"}
    assert run("chromium", "x", env=env).stdout == "x\n"
    assert run(TOOLS / "bare.sh", "beside", "one word", "two", env=env).stdout == "one word two\n"
    assert run(TOOLS / "bare.sh", "chromium", env=env).returncode == 127


def test_nothing_is_left_and_the_exit_code_is_that_of_the_command(tmp_path):
    done = run(TOOLS / "bare.sh", "sh", "-c", "exit 7", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 7
    assert list(tmp_path.iterdir()) == []


def living(mark):
    """How many processes have it in their environment."""
    return sum(f"BUSY_TEST={mark}".encode() in environment(place) for place in Path("/proc").glob("[0-9]*"))


def environment(place):
    try:
        return (place / "environ").read_bytes().split(b"\0")
    except OSError:  # gone, or somebody else's
        return []


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_loops_end_with_their_command_however_it_ends(ending):
    mark = f"{os.getpid()}_{ending}"
    env = {**os.environ, "BUSY_TEST": mark}
    with subprocess.Popen([TOOLS / "busy.sh", "sleep", "1000"], env=env) as process:
        until(lambda: living(mark) == 5)
        process.send_signal(ending)
    until(lambda: not living(mark))


def test_the_exit_code_beside_the_loops_is_that_of_the_command():
    assert run(TOOLS / "busy.sh", "sh", "-c", "exit 7").returncode == 7


def test_random_examples_are_looked_for_as_long_as_was_said_also_for_a_part_of_a_minute():
    done = run("sh", TOOLS / "fuzz.sh", "0.5", "false", cwd=TOOLS.parent)  # `false`: a round that fails
    assert (done.returncode, done.stdout) == (1, "fuzz: round 1\n"), done.stderr
    assert run("sh", TOOLS / "fuzz.sh", "0", "false", cwd=TOOLS.parent).returncode == 0
    bad = run("sh", TOOLS / "fuzz.sh", "long", "false", cwd=TOOLS.parent)
    assert (bad.returncode, bad.stderr) == (2, "fuzz.sh: MINUTES is a number such as 30 or 0.5, not 'long'\n")
