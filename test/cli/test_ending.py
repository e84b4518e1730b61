# SPDX-License-Identifier: Apache-2.0
"""How commands end: with which code, on which signal, and with whom."""

import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import PROCESS

from embodiment_bridge.cli import command_line, ending
from embodiment_bridge.cli.ending import exit_code, is_gone, where_and_why


def test_one_that_runs_is_there() -> None:
    assert not is_gone(os.getpid())
    assert not is_gone(None)


def test_one_that_has_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    assert is_gone(process.pid)


def test_one_that_was_killed_is_gone_also_where_its_parent_has_not_noticed() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        assert not is_gone(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie
        assert is_gone(process.pid)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("SUCCEEDED", 0),
        ("STOPPED", 0),
        ("FAILED", 1),
        ("REJECTED", 3),
        ("CANCELED", 4),
        ("PREEMPTED", 4),
        ("ERROR", 4),
    ],
)
def test_every_outcome_has_an_exit_code(outcome: str, code: int) -> None:
    assert exit_code(outcome) == code


@pytest.mark.parametrize(("outcome", "code"), [("CANCELED", 130), ("SUCCEEDED", 0), ("FAILED", 1)])
def test_a_run_that_was_canceled_by_ctrl_c_ends_as_shells_expect(outcome: str, code: int) -> None:
    assert exit_code(outcome, interrupted=True) == code


@pytest.mark.parametrize(
    ("pointer", "reason", "told"),
    [
        ("", "", ""),
        ("", "fails after 2 s, as written", ": fails after 2 s, as written"),
        ("/behaviors/2", "", " at /behaviors/2"),
        ("/behaviors/2", "stopped by a stop node", " at /behaviors/2: stopped by a stop node"),
        ("", ": NO_BODY: there is none", ": NO_BODY: there is none"),
        ("/action", "/action: UNKNOWN_ACTION: unknown", ": /action: UNKNOWN_ACTION: unknown"),
        ("/action", "/action/x: a longer pointer", " at /action: /action/x: a longer pointer"),
    ],
)
def test_no_pointer_is_told_twice_and_the_root_has_none(pointer: str, reason: str, told: str) -> None:
    assert where_and_why(SimpleNamespace(pointer=pointer, reason=reason)) == told


ROOT = Path(__file__).parents[2]
ENDED_BY_IT = (130, -signal.SIGINT)  # a shell shows both as 130
SAME_PYTHON = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}",
}


def started(*words: str) -> subprocess.Popen:
    command = [str(ROOT / "scripts" / "embodiment_bridge"), *words]
    return subprocess.Popen(
        command, env={**os.environ, **SAME_PYTHON}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("after", [0.0, 0.005, 0.02, 0.04, 0.08, 0.16, 0.32])  # s
def test_no_moment_of_the_start_has_a_traceback(after) -> None:
    with started("doctor") as program:
        time.sleep(after)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=PROCESS)
    assert errors == b""
    assert program.returncode in ENDED_BY_IT


def test_what_is_not_interrupted_runs_as_ever() -> None:
    with started("bml", "show", "first_steps.json") as program:
        said, errors = program.communicate(timeout=PROCESS)
    assert (program.returncode, errors) == (0, b"")
    assert said


def interrupted(_: Namespace) -> int:
    raise KeyboardInterrupt


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch, capsys) -> None:
    monkeypatch.setattr(command_line, "_parse", lambda *_: Namespace(run=interrupted))
    assert command_line.main(["doctor"]) == 130
    assert capsys.readouterr().err == ""


def test_output_that_nobody_reads_is_no_success(monkeypatch) -> None:
    def write(_: Namespace) -> int:
        raise BrokenPipeError

    dropped = []
    monkeypatch.setattr(command_line, "_parse", lambda *_: Namespace(run=write))
    monkeypatch.setattr(command_line, "drop_output", lambda: dropped.append(True))
    assert command_line.main(["doctor"]) == 141
    assert dropped


def test_ctrl_c_while_the_words_are_read_is_quiet_too(monkeypatch, capsys) -> None:
    monkeypatch.setattr(command_line, "parser", lambda *_: None)
    monkeypatch.setattr(command_line, "_parse", lambda *_: interrupted(Namespace()))
    assert command_line.main(["doctor"]) == 130
    assert capsys.readouterr().err == ""


def test_a_module_that_is_being_loaded_cannot_hide_it(tmp_path) -> None:
    (tmp_path / "loaded_slowly.py").write_text(
        "import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\nexcept BaseException:\n    pass\n"
    )
    program = (
        "import signal; from embodiment_bridge.cli import ending; "
        "ending.handle_by(ending.raise_or_end); import loaded_slowly; print('went on')"
    )
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{SAME_PYTHON['PYTHONPATH']}"}
    ended = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, timeout=PROCESS)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_otherwise_it_is_an_exception_so_that_things_are_put_away() -> None:
    with pytest.raises(KeyboardInterrupt):
        ending.raise_or_end(signal.SIGINT, None)


def test_a_program_in_the_background_of_a_script_ignores_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ending.handle_by(ending.end)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("words", "waits"), [({}, False), ({"end_with": None}, False), ({"end_with": 1}, True)]
)
def test_it_waits_for_a_node_that_its_parent_ends(words, waits, monkeypatch) -> None:
    asked: list[bool] = []

    def run(_: Namespace) -> int:
        asked.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        return 0

    monkeypatch.setattr(command_line, "_parse", lambda *_: Namespace(run=run, **words))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        command_line.main(["doctor"])
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert asked == [waits]
