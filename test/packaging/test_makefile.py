# SPDX-License-Identifier: Apache-2.0
"""What `make` must not do, and what it shows of a step: how far it is, how long it took, what went wrong."""

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_make_around(monkeypatch):
    """These tests run under `make test`, whose variables are not theirs."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "VENV", "PYTHON"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def checkout(tmp_path):
    """As much of a checkout as the targets need, with a folder of the user."""
    for file in [ROOT / "Makefile", *(ROOT / "requirements").rglob("*.txt")]:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("years of work")
    return tmp_path


def make(folder: Path, target: str, venv: str) -> subprocess.CompletedProcess[str]:
    words = ["make", "-C", str(folder), target, f"VENV={venv}", "PYTHON=false"]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_an_environment_of_somebody_else_is_left_as_it_is(checkout, monkeypatch) -> None:
    (checkout / "work" / "pyvenv.cfg").touch()
    assert make(checkout, "clean", "work").returncode == 2
    monkeypatch.setenv("VENV", "work")
    subprocess.run(["make", "-C", str(checkout), "clean"], check=True, timeout=60)
    assert (checkout / "work" / "thesis.txt").exists()


@pytest.mark.parametrize("target", ["venv", "clean"])
def test_a_name_with_a_blank_is_refused(checkout, target) -> None:
    done = make(checkout, target, "work env")
    assert done.returncode == 2
    assert "VENV=work env has a blank in it" in done.stderr
    assert (checkout / "work" / "thesis.txt").exists()


def test_another_python_than_that_of_the_environment_is_refused(checkout) -> None:
    python = checkout / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho '(3, 99)'\n")
    python.chmod(0o755)
    words = ["make", "-C", str(checkout), "asked-python", "VENV=env", f"PYTHON={sys.executable}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"env has another Python than {sys.executable}: make clean first" in done.stderr
    python.write_text(f"#!/bin/sh\necho '({sys.version_info[0]}, {sys.version_info[1]})'\n")
    assert subprocess.run(words, timeout=60, check=False).returncode == 0


def test_a_ros_that_is_sourced_is_not_seen(checkout, monkeypatch) -> None:
    sourced = {
        "AMENT_PREFIX_PATH": "/opt/ros/x",
        "PYTHONPATH": "/opt/ros/x/py",
        "LD_LIBRARY_PATH": "/opt/ros/x/lib",
    }
    for name, value in sourced.items():
        monkeypatch.setenv(name, value)
    (checkout / "seen.mk").write_text("include Makefile\nseen:\n\t@env\n")
    words = ["make", "-C", str(checkout), "-f", "seen.mk", "seen"]
    seen = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "/opt/ros/x" not in seen


@pytest.mark.parametrize("target", ["venv", "clean"])
def test_a_folder_of_something_else_is_left_as_it_is(checkout, target) -> None:
    done = make(checkout, target, "work")
    assert done.returncode == 2
    assert "VENV=work was not made by make" in done.stderr
    assert (checkout / "work" / "thesis.txt").read_text() == "years of work"


def test_an_environment_an_empty_folder_and_none_are_cleaned(checkout) -> None:
    (checkout / "env").mkdir()
    (checkout / "env" / ".stamps").mkdir()
    (checkout / "empty").mkdir()
    for venv in ("env", "empty", "none"):
        assert make(checkout, "clean", venv).returncode == 0
        assert not (checkout / venv).exists()


STEP = ROOT / "tools" / "step.py"


def run(log: Path, *command: str) -> tuple[int, list[str], list[str]]:
    words = [sys.executable, str(STEP), "baking", str(log), *command]
    step = subprocess.run(words, capture_output=True, text=True, timeout=60)
    return step.returncode, step.stdout.splitlines(), step.stderr.splitlines()


def test_says_begin_and_end_and_the_next_time_how_long_it_took(tmp_path):
    log = tmp_path / "new" / "bake.log"
    code, out, err = run(log, "echo", "warm")
    assert (code, len(out), err) == (0, 2, [])
    assert out[0] == "baking"
    took = re.fullmatch(r"baking: done in (\d+:\d\d)", out[1])[1]
    assert log.read_text() == "warm\n"
    assert run(log, "true")[1][0] == f"baking (the last time it took {took})"


def test_failure_shows_the_end_of_the_output_and_keeps_the_time(tmp_path):
    log = tmp_path / "bake.log"
    run(log, "true")
    before = log.with_name("bake.log.time").read_bytes()
    code, out, err = run(log, "sh", "-c", "seq 100; exit 3")
    assert (code, len(out)) == (3, 1)
    assert err[:-1] == [str(n) for n in range(41, 101)]
    assert re.fullmatch(rf"baking: failed after \d+:\d\d; all of its output is in {log}", err[-1])
    assert log.with_name("bake.log.time").read_bytes() == before


def test_command_that_a_signal_ended_has_failed(tmp_path):
    assert run(tmp_path / "bake.log", "sh", "-c", "kill -9 $$")[0] == 128 + 9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_terminal_sees_the_progress_and_an_interrupt_ends_the_command_too(tmp_path, number):
    log = tmp_path / "bake.log"
    words = ["sh", "-c", "echo $$ > pid; echo '[3/7] Baking'; exec sleep 600"]
    ours, its = pty.openpty()
    step = subprocess.Popen(
        [sys.executable, str(STEP), "baking", str(log), *words],
        stdout=its, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    seen = b""
    while b"[3/7] 0:" not in seen:
        seen += os.read(ours, 1024)
    assert seen.startswith(b"baking\r\n\r  ")
    step.send_signal(number)
    assert step.communicate(timeout=60)[1] == "baking: interrupted\n"
    assert step.returncode == 1
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()
    os.close(ours)
    os.close(its)


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("", "at work"),
        ("-- Configuring done\n", "at work"),
        (
            "  [36/412] Building C a.o\n  [37/412] Linking C shared library b.so\n-- Installing: /x\n",
            "[37/412]",
        ),
        ("Collecting lxml==6.1.3 (from -r requirements/run.txt)\n  Using cached\n", "Collecting lxml"),
        ("Installing collected packages: a, b\n", "Installing collected"),
    ],
)
def test_progress(tmp_path, monkeypatch, output, shown):
    monkeypatch.syspath_prepend(str(STEP.parent))
    import step

    log = tmp_path / "log"
    log.write_text(output)
    assert step.progress(log) == shown


def test_clock(monkeypatch):
    monkeypatch.syspath_prepend(str(STEP.parent))
    import step

    assert [step.clock(s) for s in (0.4, 65.0, 3600.0)] == ["0:00", "1:05", "60:00"]
