# SPDX-License-Identifier: Apache-2.0
"""Whether a process is gone that another one ends with."""

import os
import subprocess
import sys

from embodiment_bridge.cli.ending import is_gone


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
